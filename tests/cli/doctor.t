What this machine offers. Drivers are the fakes of tests/support/fake_drivers, so that every machine has the same.

  $ with_driver() { local fake=$1; shift; LD_LIBRARY_PATH=$BUILD/tests/support/fake_drivers/$fake "$@"; }
  $ export ROCM_PATH=$PWD/rocm CONDA_OVERRIDE_ARCHSPEC=zen3 CONDA_OVERRIDE_LINUX=5.14.0-427.el9.x86_64 CONDA_OVERRIDE_GLIBC=2.34
  $ mkdir -p rocm/.info && echo 6.2.4-120 >rocm/.info/version
  $ with_driver good chanmirror doctor | grep -v '^AMD '
  looking at this machine ...
  platform           linux-64
  kernel             * (glob)
  glibc              * (glob)
  microarchitecture  * (glob)
  NVIDIA driver      CUDA 12.4, 3 devices, the least of compute capability 8.6
  ROCm               6.2.4
  
  virtual packages of this machine
    __archspec=1=zen3            from CONDA_OVERRIDE_ARCHSPEC
    __cuda=12.4
    __cuda_arch=8.6
    __glibc=2.34                 from CONDA_OVERRIDE_GLIBC
    __linux=5.14.0               from CONDA_OVERRIDE_LINUX
    __unix=0
  
  to solve for this machine here:  chanmirror solve --this-machine ...
  and elsewhere:                   chanmirror solve --platform linux-64 --virtual __archspec=1=zen3 --virtual __cuda=12.4 --virtual __cuda_arch=8.6 --virtual __glibc=2.34 --virtual __linux=5.14.0 ...
  
  configuration      no file, built-in defaults
  mirror root        HERE/.local/share/chanmirror
  $ with_driver good chanmirror doctor --quiet | head -1
  platform           linux-64

The driver counts, and what a CONDA_OVERRIDE_* variable says counts more; one that is empty takes away.

  $ doctor_packages() { chanmirror doctor --quiet "$@" | sed -n '/^virtual packages/,/^$/p'; }
  $ CONDA_OVERRIDE_CUDA=11.8 CONDA_OVERRIDE_GLIBC='' with_driver good doctor_packages
  virtual packages of this machine
    __archspec=1=zen3            from CONDA_OVERRIDE_ARCHSPEC
    __cuda=11.8                  from CONDA_OVERRIDE_CUDA
    __cuda_arch=8.6
    __linux=5.14.0               from CONDA_OVERRIDE_LINUX
    __unix=0
    no __glibc                   from CONDA_OVERRIDE_GLIBC
  
  $ CONDA_OVERRIDE_CUDA='' CONDA_OVERRIDE_CUDA_ARCH=9.0 with_driver good doctor_packages
  virtual packages of this machine
    __archspec=1=zen3            from CONDA_OVERRIDE_ARCHSPEC
    __glibc=2.34                 from CONDA_OVERRIDE_GLIBC
    __linux=5.14.0               from CONDA_OVERRIDE_LINUX
    __unix=0
    no __cuda                    from CONDA_OVERRIDE_CUDA
  
  $ CONDA_OVERRIDE_ARCHSPEC=zen33 with_driver no_devices chanmirror doctor --quiet 2>&1 | grep __archspec
  warning: __archspec=1=zen33: archspec knows no microarchitecture of this name, and packages ask for those that it knows; did you mean 'zen3'?
    __archspec=1=zen33           from CONDA_OVERRIDE_ARCHSPEC
  and elsewhere:                   chanmirror solve --platform linux-64 --virtual __archspec=1=zen33 --virtual __cuda=12.4 --virtual __glibc=2.34 --virtual __linux=5.14.0 ...

A driver without devices, one that is wrong, one that crashes, none that is a driver.

  $ for fake in no_devices error crashes ends no_driver; do with_driver $fake chanmirror doctor --quiet | grep -E '^NVIDIA|^  __cuda'; done
  NVIDIA driver      CUDA 12.4, no device
    __cuda=12.4
  NVIDIA driver      driver does not answer (cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH \x1b[2J)
  NVIDIA driver      driver does not answer (it crashes (signal 6))
  NVIDIA driver      driver does not answer (it ends the process (status 3))
  NVIDIA driver      driver does not answer (it is no CUDA driver: it has no cuDriverGetVersion or no cuInit)

The configuration is loaded; a wrong one, or a wrong variable, does not hide the facts.

  $ printf 'root: data\nvirtual_packages: {__cuda: 12.6}\n' >chanmirror.yml
  $ with_driver good chanmirror doctor --quiet | grep -E '^  __cuda=|^configuration|^mirror'
    __cuda=12.6                  from HERE/chanmirror.yml:2
  configuration      HERE/chanmirror.yml
  mirror root        HERE/data
  $ echo 'rooot: x' >chanmirror.yml
  $ CONDA_OVERRIDE_CUDA=abc with_driver good chanmirror doctor --quiet | grep -E '^NVIDIA|^  __cuda|^configuration|^mirror|^problem'; echo "exit ${PIPESTATUS[0]}"
  NVIDIA driver      CUDA 12.4, 3 devices, the least of compute capability 8.6
    __cuda=12.4
    __cuda_arch=8.6
  configuration      does not load, see below
  problem: HERE/chanmirror.yml:1: unknown key 'rooot'; did you mean 'root'?
  problem: CONDA_OVERRIDE_CUDA: 'abc' cannot be __cuda's: the version must begin with a digit; set it to what the target machine has (for example 12.4), or unset it
  exit 2
  $ rm chanmirror.yml

JSON for programs.

  $ CONDA_OVERRIDE_CUDA=11.8 with_driver good chanmirror doctor --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(list(d)); print(d["nvidia"], d["amd"]["rocm"]); print([(p["name"], p["version"], p["origin"]) for p in d["virtual_packages"]])'
  ['platform', 'kernel', 'glibc', 'microarchitecture', 'nvidia', 'amd', 'virtual_packages', 'solve_flags', 'config_file', 'root', 'problems']
  {'state': 'found', 'cuda': '12.4', 'devices': 3, 'compute_capability': '8.6'} 6.2.4
  [('__archspec', '1', 'CONDA_OVERRIDE_ARCHSPEC'), ('__cuda', '11.8', 'CONDA_OVERRIDE_CUDA'), ('__cuda_arch', '8.6', 'machine'), ('__glibc', '2.34', 'CONDA_OVERRIDE_GLIBC'), ('__linux', '5.14.0', 'CONDA_OVERRIDE_LINUX'), ('__unix', '0', 'machine')]
  $ with_driver good chanmirror doctor >/dev/full --quiet
  chanmirror: error: writing standard output: No space left on device; free some space or choose another place
  [1]
  $ chanmirror doctor please
  chanmirror: error: doctor: unexpected argument 'please'; see 'chanmirror doctor --help'
  [2]
