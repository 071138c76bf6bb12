One name for several channels: defaults, and the configuration's own.

  $ mkdir -p up/pkgs && for c in pkgs/main pkgs/r extra; do tiny_channel up/$c linux-64; done
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ printf '%s\n' 'custom_multichannels: {lab: [extra, pkgs/r]}' 'channels: [defaults, extra]' "upstreams: {default: 'file://$PWD/up', pkgs/main: 'file://$PWD/up', pkgs/r: 'file://$PWD/up'}" 'subdirs: [linux-64]' >chanmirror.yml
  $ chanmirror sync 2>&1 | grep records
  pkgs/main/linux-64                 1 records, fetched
  pkgs/r/linux-64                    1 records, fetched
  extra/linux-64                     1 records, fetched
  $ chanmirror solve --spec tiny -c lab -c defaults --platform linux-64 -o t.lock --quiet && grep -v '^# snapshot' t.lock
  # made by chanmirror
  # platform: linux-64
  # specs: tiny
  # channels: extra, pkgs/r, pkgs/main
  # virtual packages: __archspec=1=x86_64, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  @EXPLICIT
  https://conda.anaconda.org/extra/linux-64/tiny-1.0-0.tar.bz2#0123456789abcdef0123456789abcdef
  $ chanmirror condarc | sed -n '/^channels:/,/^[^ ]*:$/p' | grep -- '- '
    - pkgs/main
    - pkgs/r
    - extra
  $ chanmirror solve --spec tiny -c labs --platform linux-64
  reading indexes ...
  chanmirror: error: channel 'labs' is not in this mirror (bring it with 'chanmirror sync labs')
  [2]

A channel that declares what it builds on (CEP 42): it comes into the solve when it is here, and is missed when it is not.

  $ mkdir -p up/bio/linux-64 && cat >up/bio/linux-64/repodata.json <<'JSON'
  > {"info":{"subdir":"linux-64","channel_relations":{"base":"../forge"}},"packages":{"bio-1-0.tar.bz2":{"name":"bio","version":"1","build":"0","depends":["tiny"],"md5":"0123456789abcdef0123456789abcdef"}}}
  > JSON
  $ tiny_channel up/forge linux-64
  $ chanmirror sync bio --quiet
  warning: channel 'bio' declares a relation to 'forge' (CEP 42), which is not in this mirror: clients will look for it beside it; bring it with 'chanmirror sync forge'
  $ chanmirror solve --spec bio -c bio --platform linux-64
  warning: channel 'forge' (base of bio) is not in this mirror and left out; bring it with 'chanmirror sync forge'
  reading indexes ...
  solving ...
  chanmirror: no set of packages satisfies the request:
    you asked for bio
      bio 1 0 needs tiny, which nothing here provides
  [3]
  $ chanmirror sync forge --quiet
  $ chanmirror solve --spec bio -c bio --platform linux-64 -o bio.lock && grep -v '^# snapshot' bio.lock
  also using channel forge (base of bio)
  reading indexes ...
  solving ...
  solved: 2 packages, 0 B to download, bio 1 0
  wrote HERE/bio.lock
  # made by chanmirror
  # platform: linux-64
  # specs: bio
  # channels: bio
  # virtual packages: __archspec=1=x86_64, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  @EXPLICIT
  https://conda.anaconda.org/forge/linux-64/tiny-1.0-0.tar.bz2#0123456789abcdef0123456789abcdef
  https://conda.anaconda.org/bio/linux-64/bio-1-0.tar.bz2#0123456789abcdef0123456789abcdef
  $ sed -i '$a channel_relations_max_depth: 0' chanmirror.yml
  $ chanmirror solve --spec bio -c bio --platform linux-64 --quiet
  chanmirror: no set of packages satisfies the request:
    you asked for bio
      bio 1 0 needs tiny, which nothing here provides
  [3]
  $ sed -i '$d' chanmirror.yml && sed -i 's,\.\./forge,https://forge.example/x,' up/bio/linux-64/repodata.json
  $ chanmirror sync bio --quiet
  warning: channel 'bio': its channel_relations (CEP 42) hold 'https://forge.example/x', which is no path that begins with '../'; set channel_relations_max_depth to 0 to solve without them
  $ chanmirror solve --spec bio -c bio --platform linux-64 --quiet
  chanmirror: error: channel 'bio': its channel_relations (CEP 42) hold 'https://forge.example/x', which is no path that begins with '../'; set channel_relations_max_depth to 0 to solve without them
  [5]
