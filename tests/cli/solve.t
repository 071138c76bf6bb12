A lock for PyTorch with CUDA 12.1, from the bundled sample; which packages it must have is what conda and micromamba chose from the same records.

  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream "file://$CHANNELS" --quiet
  $ chanmirror solve --spec 'pytorch=2.1.0' --spec 'pytorch-cuda=12.1' --spec 'python=3.11' -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 -o torch.lock
  $ head -7 torch.lock
  $ sed -n 's|^https://conda.anaconda.org/\(.*\)/[^/]*/\([^#]*\)\(\.conda\|\.tar\.bz2\)#[0-9a-f]*$|\1::\2|p' torch.lock | LC_ALL=C sort >packages
  $ grep -v '^#' "$SOURCE/tests/data/oracle/pt-torch-2.1.0-cu12.1-py3.11.txt" | LC_ALL=C sort | diff - packages && wc -l <packages

The order of specs, the locale and the number of runs do not matter; without -o the lock, and nothing else, goes to standard output.

  $ LC_ALL=C chanmirror solve --spec 'python=3.11' --spec 'pytorch-cuda=12.1' --spec 'pytorch=2.1.0' -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 2>/dev/null | cmp - torch.lock

JSON for programs.

  $ chanmirror solve --spec 'bzip2' -c conda-forge --platform linux-64 --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], d["cached"], d["request"], [p["name"] for p in d["packages"]], sorted(d["packages"][0]))'

No solution: why, in words, ending in what was asked for or what the target machine has.

  $ solve() { chanmirror solve -c pytorch -c nvidia -c conda-forge --platform linux-64 --quiet "$@"; }
  $ solve --spec pytorhc
  $ solve --spec 'pytorch=9'
  $ solve --spec 'pytorch=2.1.0' --spec 'python=3.12'
  $ chanmirror solve -c conda-forge --platform linux-64 --quiet --spec pytorch --spec 'cuda-version=13.0' --virtual __cuda=12.4
  $ chanmirror solve -c conda-forge --platform linux-64 --quiet --spec pytorch --spec 'cuda-version=13.0' --virtual __cuda=12.4 --json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["status"], d["packages"], len(d["explanation"]))'

A result that cannot be written is a failure.

  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet >/dev/full
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o /dev/full
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o nowhere/torch.lock
  $ chanmirror solve --spec bzip2 -c conda-forge --platform linux-64 --quiet -o /dev/stdout | tail -1
