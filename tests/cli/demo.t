tools/demo, as README promises it.

  $ "$SOURCE/tools/demo" --built "$BUILD" --dir "$PWD/demo" 2>&1 | sed 's/^\$ /> /'
  
  > chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream http://127.0.0.1:PORT
  fetching indexes ...
  publishing ...
  pytorch/linux-64                2256 records, fetched
  pytorch/noarch                     3 records, fetched
  nvidia/linux-64                  436 records, fetched
  nvidia/noarch                     67 records, fetched
  conda-forge/linux-64           15766 records, fetched
  conda-forge/noarch              6455 records, fetched
  published snapshot SNAPSHOT in HERE/demo/mirror
  
  > chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream http://127.0.0.1:PORT
  fetching indexes ...
  pytorch/linux-64                2256 records, unchanged
  pytorch/noarch                     3 records, unchanged
  nvidia/linux-64                  436 records, unchanged
  nvidia/noarch                     67 records, unchanged
  conda-forge/linux-64           15766 records, unchanged
  conda-forge/noarch              6455 records, unchanged
  nothing changed: snapshot SNAPSHOT stays current
  
  > chanmirror solve --spec pytorch=2.1.0 --spec pytorch-cuda=12.1 --spec python=3.11 -c pytorch -c nvidia -c conda-forge --platform linux-64 --virtual __cuda=12.4 -o torch.lock
  reading indexes ...
  solving ...
  solved: 74 packages, 2.7 GB to download, python 3.11.15 h7508c33_1_cpython, pytorch-cuda 12.1 ha16c6d3_6, pytorch 2.1.0 py3.11_cuda12.1_cudnn8.9.2_0
  wrote HERE/demo/torch.lock
  
  > chanmirror condarc -o condarc.yml
  wrote HERE/demo/condarc.yml
  
  > chanmirror status
  root      HERE/demo/mirror
  snapshot  SNAPSHOT, made TIME
  conda-forge/linux-64                15766 records  http://127.0.0.1:PORT/conda-forge/linux-64/repodata.json.zst
  conda-forge/noarch                   6455 records  http://127.0.0.1:PORT/conda-forge/noarch/repodata.json.zst
  nvidia/linux-64                       436 records  http://127.0.0.1:PORT/nvidia/linux-64/repodata.json.zst
  nvidia/noarch                          67 records  http://127.0.0.1:PORT/nvidia/noarch/repodata.json.zst
  pytorch/linux-64                     2256 records  http://127.0.0.1:PORT/pytorch/linux-64/repodata.json.zst
  pytorch/noarch                          3 records  http://127.0.0.1:PORT/pytorch/noarch/repodata.json.zst
  
  What it did:
    mirrored 6 indexes, and asked again for each: 6 of 6 had not changed
    locked 74 packages, every one with its hash
  
  Where it is:
    HERE/demo/mirror the mirror; clients read its folder public/
    HERE/demo/torch.lock the lock: conda create --name torch --file torch.lock
    HERE/demo/condarc.yml client configuration: CONDARC=HERE/demo/condarc.yml conda …
  
  The sample has indexes but no packages: the lock names the real channels, where they are.
  $ ls demo demo/mirror/public
  demo:
  condarc.yml
  mirror
  port
  requests.log
  server.log
  torch.lock
  
  demo/mirror/public:
  conda-forge
  nvidia
  pytorch
  $ mkdir mine && "$SOURCE/tools/demo" --built "$BUILD" --dir "$PWD/mine"
  tools/demo: HERE/mine exists and is not a demo's folder; choose another --dir
  [2]
