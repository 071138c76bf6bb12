A mistake in the configuration: file, line, and what was meant.

  $ try() { printf '%b' "$1" >chanmirror.yml; chanmirror config; }
  $ try 'root: /srv/m\nchanels: [pytorch]\n'
  chanmirror: error: HERE/chanmirror.yml:2: unknown key 'chanels'; did you mean 'channels'?
  [2]
  $ try 'root: /srv/m\n\nchannel_priority: strikt\n'
  chanmirror: error: HERE/chanmirror.yml:3: channel_priority: expected strict, flexible or disabled, got 'strikt'; did you mean 'strict'?
  [2]
  $ try 'jobs: many\n'
  chanmirror: error: HERE/chanmirror.yml:1: jobs: expected a whole number from 1 to 256, got 'many'
  [2]
  $ try 'jobs: 0\n'
  chanmirror: error: HERE/chanmirror.yml:1: jobs: expected a whole number from 1 to 256, got '0'
  [2]
  $ try 'jobs: 4\njobs: 5\n'
  chanmirror: error: HERE/chanmirror.yml:2: key 'jobs' is given twice
  [2]
  $ try 'channels: [../evil]\n'
  chanmirror: error: HERE/chanmirror.yml:1: channels: channel '../evil': it is a path: write file:///path/of/channel
  [2]
  $ try 'subdirs: [linux64]\n'
  chanmirror: error: HERE/chanmirror.yml:1: subdirs: 'linux64' is not a platform that conda knows (linux-64, noarch, …); did you mean 'linux-64'?
  [2]
  $ try 'upstreams: {conda-forge: ftp://x}\n'
  chanmirror: error: HERE/chanmirror.yml:1: upstreams: not an http, https or file URL (not shown: it may hold credentials)
  [2]
  $ try 'root: [a\n'
  chanmirror: error: HERE/chanmirror.yml:2: not valid YAML: end of sequence flow not found
  [2]
  $ try '- a list\n'
  chanmirror: error: HERE/chanmirror.yml:1: expected keys, such as 'root: /srv/chanmirror'
  [2]
  $ try 'virtual_packages: [__cuda]\n'
  chanmirror: error: HERE/chanmirror.yml:1: virtual_packages: expected a mapping, such as {__cuda: 12.4}
  [2]
  $ try 'packages: matching\n'
  chanmirror: error: HERE/chanmirror.yml:1: packages: policy: matching what? Give 'match' with MatchSpecs, or policy all
  [2]
  $ try 'jobs: 4\npackages:\n  pytorch:\n    match:\n      - numpy\n      - numpy ===\n'
  chanmirror: error: HERE/chanmirror.yml:2: packages: pytorch: match: line 6: spec 'numpy ===': offset 6: version spec '===', offset 0: an unknown operator; known are == != <= >= ~= = < >
  [2]
  $ try 'packages: {pkgs/main: all}\n'
  chanmirror: error: HERE/chanmirror.yml:1: packages: pkgs/main: storing its packages needs a licence: this is a channel of Anaconda (as all of 'defaults'), whose terms do not let everybody copy it; state what lets you under 'packages', such as {pkgs/main: {policy: all, licence: "our contract 123"}}
  [2]
  $ try 'a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n'
  chanmirror: error: HERE/chanmirror.yml:1: too many values (aliases expanded)
  [2]
  $ python3 -c 'print("[" * 100000)' >chanmirror.yml; chanmirror config
  chanmirror: error: HERE/chanmirror.yml:2: not valid YAML: bad file
  [2]
  $ head -c 2000000 /dev/zero >chanmirror.yml; chanmirror config
  chanmirror: error: reading HERE/chanmirror.yml: the file is larger than 1048576 bytes, the most that is read here
  [2]
  $ rm chanmirror.yml
  $ chanmirror --config nowhere.yml config
  chanmirror: error: reading HERE/nowhere.yml: No such file or directory
  [2]
  $ mkdir folder.yml && chanmirror --config folder.yml config
  chanmirror: error: reading HERE/folder.yml: Is a directory
  [2]
  $ CHANMIRROR_JOBS=-1 chanmirror config
  chanmirror: error: CHANMIRROR_JOBS: jobs: expected a whole number from 1 to 256, got '-1'
  [2]
