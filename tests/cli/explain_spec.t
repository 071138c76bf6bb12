How a spec is read: canonical text, each field with its meaning, and what was odd.

  $ chanmirror explain-spec 'conda-forge::pytorch=2.7[build=cuda*]' 'numpy >=1.26,<3' 'pkg='
  conda-forge::pytorch=2.7[build='cuda*']
    name     pytorch      this package
    version  =2.7         2.7 and all that begins with it (2.7.x, 2.7rc1, 2.7.post1)
    build    cuda*        anything like 'cuda*'
    channel  conda-forge  only from https://conda.anaconda.org/conda-forge
    not restricted: subdir
  
  numpy[version='>=1.26,<3']
    name     numpy      this package
    version  >=1.26,<3  1.26 or newer, and older than 3
    not restricted: build, channel, subdir
  
  pkg
    name  pkg  this package
    not restricted: version, build, channel, subdir
    warning: 'pkg=': an empty version means any
  $ chanmirror explain-spec https://conda.anaconda.org/conda-forge/linux-64/bzip2-1.0.8-hda65f42_8.conda
  conda-forge/linux-64::bzip2==1.0.8=hda65f42_8[fn='bzip2-1.0.8-hda65f42_8.conda']
    name     bzip2        this package
    version  ==1.0.8      exactly 1.0.8
    build    hda65f42_8   exactly 'hda65f42_8'
    channel  conda-forge  only from https://conda.anaconda.org/conda-forge
    subdir   linux-64     exactly 'linux-64'
    fn       bzip2-1.0.8-hda65f42_8.conda  exactly 'bzip2-1.0.8-hda65f42_8.conda'
  $ chanmirror explain-spec 'numpy[when="python >=3.10 and (__unix or __win)"]'
  numpy[when='python >=3.10 and (__unix or __win)']
    name  numpy  this package
    when  python >=3.10 and (__unix or __win)  counts only where this holds (CEP 43); solve refuses it so far
    not restricted: version, build, channel, subdir

JSON for programs.

  $ chanmirror explain-spec --json 'x>=1'
  {
    "specs": [
      {
        "spec": "x>=1",
        "canonical": "x[version='>=1']",
        "fields": {
          "name": {
            "value": "x",
            "meaning": "this package"
          },
          "version": {
            "value": ">=1",
            "meaning": "1 or newer"
          }
        },
        "warnings": []
      }
    ]
  }

What cannot be read is said with its place; the others are shown all the same.

  $ chanmirror explain-spec 'numpy >=1.26 <3' 'bzip2'
  bzip2
    name  bzip2  this package
    not restricted: version, build, channel, subdir
  chanmirror: error: spec 'numpy >=1.26 <3': offset 13: a build is expected here; the clauses of a version are joined with ','
  [2]
  $ chanmirror explain-spec 'pkg[foo=1]' "$(printf 'a\001b')" '' 'https://u:hunter2@h.example/c/linux-64/a-1-0.conda#md5'
  chanmirror: error: spec 'pkg[foo=1]': offset 4: there is no key 'foo'
  chanmirror: error: spec 'a\x01b': offset 1: a spec is printable ASCII text
  chanmirror: error: spec '': offset 0: it names no package; '*' stands for any
  chanmirror: error: spec (not shown: it may hold credentials): offset 0: channel (not shown: it may hold credentials): it holds credentials: put them in ~/.netrc or the configuration's upstreams, and leave them out here
  [2]
  $ chanmirror explain-spec --json 'pkg==' | python3 -c 'import json, sys; print(json.load(sys.stdin)["specs"][0]["error"])'
  spec 'pkg==': offset 3: version spec '==', offset 2: an operator without a version
  $ chanmirror explain-spec
  chanmirror: error: SPEC is required; see 'chanmirror explain-spec --help'
  [2]
  $ python3 -c 'print("(" * 10000 + "1" + ")" * 10000)' | tr -d '\n' >deep
  $ chanmirror explain-spec "x[version='$(cat deep)']" 2>&1 | cut -c1-60
  chanmirror: error: spec 'x[version='((((((((((((((((((((((((
