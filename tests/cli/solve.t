A lock for PyTorch with CUDA 12.1, from the bundled sample; which packages it must have is what conda and micromamba chose from the same records.

  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream "file://$CHANNELS" --quiet
  $ chanmirror solve --spec 'pytorch=2.1.0' --spec 'pytorch-cuda=12.1' --spec 'python=3.11' -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 -o torch.lock
  reading indexes ...
  solving ...
  solved: 74 packages, 2.7 GB to download, python 3.11.15 h7508c33_1_cpython, pytorch-cuda 12.1 ha16c6d3_6, pytorch 2.1.0 py3.11_cuda12.1_cudnn8.9.2_0
  wrote HERE/torch.lock
  $ head -7 torch.lock
  # made by chanmirror
  # platform: linux-64
  # specs: python=3.11, pytorch-cuda=12.1, pytorch=2.1.0
  # channels: pytorch, nvidia, conda-forge
  # virtual packages: __archspec=1=x86_64, __cuda=12.4=0, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  # snapshot: SNAPSHOT
  @EXPLICIT
  $ sed -nE 's,^https://conda.anaconda.org/(.*)/[^/]*/([^#]*)(\.conda|\.tar\.bz2)#[0-9a-f]*$,\1::\2,p' torch.lock | LC_ALL=C sort >packages
  $ grep -v '^#' "$SOURCE/tests/data/oracle/pt-torch-2.1.0-cu12.1-py3.11.txt" | LC_ALL=C sort | diff - packages && wc -l <packages
  74

The order of specs, the locale and the number of runs do not matter; without -o the lock, and nothing else, goes to standard output.

  $ LC_ALL=C chanmirror solve --spec 'python=3.11' --spec 'pytorch-cuda=12.1' --spec 'pytorch=2.1.0' -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 2>/dev/null | cmp - torch.lock

JSON for programs.

  $ chanmirror solve --spec 'bzip2' -c conda-forge --platform linux-64 --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], d["cached"], d["request"], [p["name"] for p in d["packages"]], sorted(d["packages"][0]))'
  solved no {'specs': ['bzip2'], 'channels': ['conda-forge']} ['libgomp', '_openmp_mutex', 'libgcc', 'bzip2'] ['build', 'build_number', 'channel', 'constrains', 'depends', 'fn', 'manager', 'md5', 'name', 'sha256', 'size', 'subdir', 'url', 'version']

No solution: why, in words, ending in what was asked for or what the target machine has.

  $ solve() { chanmirror solve -c pytorch -c nvidia -c conda-forge --platform linux-64 --quiet "$@"; }
  $ solve --spec pytorhc
  chanmirror: no set of packages satisfies the request:
    you asked for pytorhc
      no channel of this request has a package named 'pytorhc'; did you mean 'pytorch'?
  [3]
  $ solve --spec 'pytorch=9'
  chanmirror: no set of packages satisfies the request:
    you asked for pytorch=9
      pytorch has pytorch only as 2.5.1, 2.5.0, 2.4.1, 2.4.0, … down to 1.5.1
  [3]
  $ solve --spec 'pytorch=2.1.0' --spec 'python=3.12'
  chanmirror: no set of packages satisfies the request:
    you asked for python=3.12
    you asked for pytorch=2.1.0
      pytorch 2.1.0 (3 builds) needs python >=3.10,<3.11.0a0
      pytorch 2.1.0 (3 builds) needs python >=3.11,<3.12.0a0
      pytorch 2.1.0 (3 builds) needs python >=3.8,<3.9.0a0
      pytorch 2.1.0 (3 builds) needs python >=3.9,<3.10.0a0
      only one python can be installed
  [3]
  $ chanmirror solve -c conda-forge --platform linux-64 --quiet --spec pytorch --spec 'cuda-version=13.0' --virtual __cuda=12.4
  chanmirror: no set of packages satisfies the request:
    you asked for cuda-version=13.0
      cuda-version 13.0 hc7b4dd1_3 excludes __cuda 12.4 0 (constrains __cuda >=13)
      the target machine has __cuda 12.4 0
  [3]
  $ chanmirror solve -c conda-forge --platform linux-64 --quiet --spec pytorch --spec 'cuda-version=13.0' --virtual __cuda=12.4 --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], d["packages"], len(d["explanation"]))'
  unsolvable [] 3

The target machine, in layers: the platform's defaults, the configuration, CONDA_OVERRIDE_* as conda reads it, --virtual. The lock says what it was.

  $ target() { chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 "$@" 2>messages >bzip2.lock; grep -vE '^reading|^solving|^solved' messages; sed -n 's/^# virtual packages: //p' bzip2.lock; }
  $ target
  __archspec=1=x86_64, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA=12.4 CONDA_OVERRIDE_GLIBC='' CONDA_OVERRIDE_OSX=abc target
  using __cuda=12.4 from CONDA_OVERRIDE_CUDA, no __glibc from CONDA_OVERRIDE_GLIBC
  __archspec=1=x86_64, __cuda=12.4=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA=12.4 target --virtual __cuda=12.6
  __archspec=1=x86_64, __cuda=12.6=0, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA=12.4 CONDA_OVERRIDE_CUDA_ARCH=9.0 target --virtual __cuda=
  __archspec=1=x86_64, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  $ printf 'virtual_packages: {__cuda: 11.8, __glibc: 2.17}\n' >layers.yml
  $ target --config layers.yml
  __archspec=1=x86_64, __cuda=11.8=0, __glibc=2.17=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA='' target --config layers.yml
  using no __cuda from CONDA_OVERRIDE_CUDA
  __archspec=1=x86_64, __glibc=2.17=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA=12.4 target --config layers.yml --quiet
  __archspec=1=x86_64, __cuda=12.4=0, __glibc=2.17=0, __linux=5.15=0, __unix=0=0
  $ target --virtual __archspec=1=zen33
  warning: __archspec=1=zen33: archspec knows no microarchitecture of this name, and packages ask for those that it knows; did you mean 'zen3'?
  __archspec=1=zen33, __glibc=2.28=0, __linux=5.15=0, __unix=0=0
  $ CONDA_OVERRIDE_CUDA=12.4 chanmirror solve --spec 'pytorch=2.1.0' --spec 'pytorch-cuda=12.1' --spec 'python=3.11' -c pytorch -c nvidia -c conda-forge --platform linux-64 --quiet | cmp - torch.lock

This machine instead of the defaults, with a driver of the tests.

  $ export LD_LIBRARY_PATH=$BUILD/tests/support/fake_drivers/good
  $ target --this-machine --virtual __linux=5.14
  looking at this machine ...
  __archspec=1=*, __cuda=12.4=0, __cuda_arch=8.6=0, __glibc=2.*=0, __linux=5.14=0, __unix=0=0 (glob)
  $ CONDA_OVERRIDE_ARCHSPEC=zen3 CONDA_OVERRIDE_GLIBC=2.34 CONDA_OVERRIDE_LINUX=5.14 target --this-machine
  looking at this machine ...
  using __archspec=1=zen3 from CONDA_OVERRIDE_ARCHSPEC, __glibc=2.34 from CONDA_OVERRIDE_GLIBC, __linux=5.14 from CONDA_OVERRIDE_LINUX
  __archspec=1=zen3, __cuda=12.4=0, __cuda_arch=8.6=0, __glibc=2.34=0, __linux=5.14=0, __unix=0=0
  $ LD_LIBRARY_PATH=${LD_LIBRARY_PATH%good}crashes target --this-machine --virtual __archspec=1=zen3 --virtual __glibc=2.34 --virtual __linux=5.14
  looking at this machine ...
  warning: the NVIDIA driver does not answer (it crashes (signal 6)), so this machine counts as one without; --virtual __cuda=12.4 says otherwise
  __archspec=1=zen3, __glibc=2.34=0, __linux=5.14=0, __unix=0=0
  $ chanmirror solve --spec bzip2 -c conda-forge --this-machine --platform osx-arm64
  chanmirror: error: --this-machine is linux-64, --platform says osx-arm64: leave one of them away
  [2]
  $ unset LD_LIBRARY_PATH

What a hostile index says reaches a terminal harmless and short.

  $ mkdir -p evil/linux-64 && python3 -c 'import json; print(json.dumps({"packages": {"a-1-0.conda": {"name": "a", "version": "1", "build": "\x1b[2J", "build_number": 0, "depends": ["nowhere " + "*a" * 5000]}}}))' >evil/linux-64/repodata.json
  $ chanmirror sync evil --subdir linux-64 --upstream "file://$PWD" --root "$PWD/evil-mirror" --quiet
  $ chanmirror solve -c evil --platform linux-64 --spec a --root "$PWD/evil-mirror" --quiet >out 2>&1; echo "exit $?"; grep -c $'\x1b' out; awk 'length > 600' out | wc -l
  exit 3
  0
  0

A result that cannot be written is a failure.

  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet >/dev/full
  chanmirror: error: writing standard output: No space left on device; free some space or choose another place
  [1]
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o /dev/full
  chanmirror: error: writing /dev/full: No space left on device; free some space or choose another place
  [1]
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o nowhere/torch.lock
  chanmirror: error: -o nowhere/torch.lock: there is no folder HERE/nowhere; make it first
  [2]
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o /dev/stdout | tail -1
  https://conda.anaconda.org/conda-forge/linux-64/bzip2-1.0.8-hda65f42_10.conda#1a0d382c515ebf55f8ee1f38c8b81bc95af5c2acc42ad53b66bc5df932032f96
