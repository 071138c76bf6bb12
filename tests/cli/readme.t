README's commands, copied verbatim; a configuration file sends them to the bundled sample instead of the network.

  $ sed -n '/^```console/,/^```/s/^\$ \(chanmirror [^#]*[^# ]\).*/\1/p' "$SOURCE/README.md" >commands && cat commands
  chanmirror sync pytorch nvidia conda-forge --subdir linux-64
  chanmirror solve --spec pytorch=2.1.0 --spec pytorch-cuda=12.1 --spec python=3.11 --virtual __cuda=12.4 -o torch.lock
  chanmirror condarc -o ~/.condarc
  $ printf 'root: mirror\nupstreams: "file://%s"\n' "$CHANNELS" >chanmirror.yml
  $ . ./commands 2>&1
  fetching indexes ...
  publishing ...
  pytorch/linux-64                2256 records, fetched
  pytorch/noarch                     3 records, fetched
  nvidia/linux-64                  436 records, fetched
  nvidia/noarch                     67 records, fetched
  conda-forge/linux-64           15766 records, fetched
  conda-forge/noarch              6455 records, fetched
  published snapshot SNAPSHOT in HERE/mirror
  reading indexes ...
  solving ...
  solved: 74 packages, 2.7 GB to download, python 3.11.15 h7508c33_1_cpython, pytorch-cuda 12.1 ha16c6d3_6, pytorch 2.1.0 py3.11_cuda12.1_cudnn8.9.2_0
  wrote HERE/torch.lock
  wrote HERE/.condarc
  $ grep -c '^https://.*#' torch.lock; grep -c public .condarc
  74
  3
