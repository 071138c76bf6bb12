What people mistype. Each message names the word and what was likely meant.

  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror
  chanmirror: error: no command given; see 'chanmirror --help'
  [2]
  $ chanmirror snyc
  chanmirror: error: unknown command 'snyc'; did you mean 'sync'? See 'chanmirror --help'
  [2]
  $ chanmirror sync --upstraem http://127.0.0.1:1
  chanmirror: error: unknown option '--upstraem'; did you mean '--upstream'? See 'chanmirror sync --help'
  [2]
  $ chanmirror condarc please
  chanmirror: error: condarc: unexpected argument 'please'; see 'chanmirror condarc --help'
  [2]
  $ chanmirror sync --jobs many
  chanmirror: error: --jobs: Value many not in range 1 to 256; see 'chanmirror sync --help'
  [2]
  $ chanmirror sync --upstream
  chanmirror: error: --upstream: 1 required URL missing; see 'chanmirror sync --help'
  [2]
  $ chanmirror solve --format yaml --spec x
  chanmirror: error: --format: yaml not in {explicit,json}; see 'chanmirror solve --help'
  [2]
  $ chanmirror --color sometimes status
  chanmirror: error: --color: sometimes not in {auto,always,never}; see 'chanmirror status --help'
  [2]
  $ chanmirror -q -v status
  chanmirror: error: --quiet and --verbose exclude each other
  [2]

Channels, platforms, virtual packages.

  $ serve "$CHANNELS"
  $ chanmirror sync pytorh --upstream "$UPSTREAM"
  fetching indexes ...
  chanmirror: error: channel 'pytorh' does not exist at http://127.0.0.1:PORT/pytorh; did you mean 'pytorch'?
  [2]
  $ chanmirror sync ../pytorch --upstream "$UPSTREAM"
  chanmirror: error: channel '../pytorch': it is a path: write file:///path/of/channel
  [2]
  $ chanmirror sync 'py torch' --upstream "$UPSTREAM"
  chanmirror: error: channel 'py torch': a path segment may hold only a-z, 0-9, '_', '.', '-' (CEP 26)
  [2]
  $ chanmirror sync https://conda.anaconda.org/conda-forge/linux-64
  chanmirror: error: channel 'https://conda.anaconda.org/conda-forge/linux-64': 'linux-64' is a subdir, not part of the channel: leave it away and use --subdir linux-64
  [2]
  $ chanmirror sync https://ada:secret@mirror.example.org/lab
  chanmirror: error: channel (not shown: it may hold credentials): it holds credentials: put them in ~/.netrc or the configuration's upstreams, and leave them out here
  [2]
  $ chanmirror sync https://mirror.example.org/t/ada-12345/lab
  chanmirror: error: channel (not shown: it may hold credentials): it holds a token (/t/…/): put it in the configuration's upstreams, and leave it out here
  [2]
  $ chanmirror sync pytorch --subdir linux64 --upstream "$UPSTREAM"
  chanmirror: error: 'linux64' is not a platform that conda knows (linux-64, noarch, …); did you mean 'linux-64'?
  [2]
  $ chanmirror sync pytorch --upstream ftp://example.org
  chanmirror: error: --upstream: not an http, https or file URL (not shown: it may hold credentials)
  [2]
  $ chanmirror sync pytorch --upstream "$UPSTREAM" --subdir linux-64 --quiet
  $ chanmirror solve
  chanmirror: error: nothing to solve: give --spec, for example --spec 'pytorch=2.1.0'; presets are not in this version yet
  [2]
  $ chanmirror solve torch-cuda
  chanmirror: error: solve: unexpected argument 'torch-cuda'; see 'chanmirror solve --help'
  [2]
  $ chanmirror solve --spec 'numpy >=' -c pytorch
  chanmirror: error: --spec: spec 'numpy >=': offset 6: version spec '>=', offset 2: an operator without a version
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorhc
  reading indexes ...
  chanmirror: error: channel 'pytorhc' is not in this mirror (bring it with 'chanmirror sync pytorhc'); did you mean 'pytorch'?
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --platform win-64
  reading indexes ...
  chanmirror: error: platform 'win-64' is not in this mirror for any of the channels; bring it with 'chanmirror sync --subdir win-64'
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --virtual cuda=12.4
  chanmirror: error: 'cuda=12.4' is not a virtual package: the name must be '__' and lower-case letters, digits, '.', '-', '_'; write __cuda=12.4, __archspec=1=x86_64_v3, or __cuda= for none
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --virtual __cuda=abc
  chanmirror: error: '__cuda=abc' is not a virtual package: the version must begin with a digit; write __cuda=12.4, __archspec=1=x86_64_v3, or __cuda= for none
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --virtual __cuda_arch=9.0a
  chanmirror: error: '__cuda_arch=9.0a' is not a virtual package: the version must be a compute capability, such as 9.0, without letters; write __cuda=12.4, __archspec=1=x86_64_v3, or __cuda= for none
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --virtual __cuda=12.4 --virtual __cuda=12.6
  chanmirror: error: --virtual: __cuda is given twice; a target has one of a name
  [2]
  $ CONDA_OVERRIDE_CUDA=abc chanmirror solve --spec 'numpy' -c pytorch
  chanmirror: error: CONDA_OVERRIDE_CUDA: 'abc' cannot be __cuda's: the version must begin with a digit; set it to what the target machine has (for example 12.4), or unset it
  [2]
  $ chanmirror solve --spec 'numpy' -c pytorch --channel-priority strikt
  chanmirror: error: --channel-priority: expected strict, flexible or disabled, got 'strikt'; did you mean 'strict'?
  [2]
  $ chanmirror condarc --base-url https://ada:secret@mirror.example.org/conda
  chanmirror: error: --base-url must not hold credentials: a .condarc is read by many; use ~/.netrc
  [2]
  $ chanmirror condarc --client pip
  chanmirror: error: --client: pip not in {conda,mamba}; see 'chanmirror condarc --help'
  [2]

A wrong upstream is not a wrong channel; a folder that is not there is said before the work.

  $ chanmirror sync pytorch --upstream "$UPSTREAM/pytorch" --quiet
  chanmirror: error: channel 'pytorch' is no longer at http://127.0.0.1:PORT/pytorch/pytorch; the mirror keeps what it has, check the address of the upstream
  [4]
  $ chanmirror solve --spec numpy -o nowhere/torch.lock
  chanmirror: error: -o nowhere/torch.lock: there is no folder HERE/nowhere; make it first
  [2]

A mirror that is not there yet.

  $ chanmirror status --root "$PWD/nothing"
  chanmirror: error: the mirror HERE/nothing does not exist; run 'chanmirror sync' first, or name another with --root
  [2]
  $ chanmirror solve --spec numpy --root "$PWD/nothing"
  chanmirror: error: the mirror HERE/nothing does not exist; run 'chanmirror sync' first, or name another with --root
  [2]
  $ env -i "$BUILD/src/cli/chanmirror" status
  chanmirror: error: no mirror root: give --root DIR, or set CHANMIRROR_ROOT
  [2]
