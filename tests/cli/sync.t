The first sync takes every index, compressed where upstream has that; the second asks once for each and fetches nothing.

  $ serve "$CHANNELS"
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream "$UPSTREAM"
  fetching indexes ...
  publishing ...
  pytorch/linux-64                2256 records, fetched
  pytorch/noarch                     3 records, fetched
  nvidia/linux-64                  436 records, fetched
  nvidia/noarch                     67 records, fetched
  conda-forge/linux-64           15766 records, fetched
  conda-forge/noarch              6455 records, fetched
  published snapshot SNAPSHOT in HERE/mirror
  $ sort requests.log
  GET /conda-forge/linux-64/repodata.json.zst 200 1290598
  GET /conda-forge/noarch/repodata.json.zst 200 521453
  GET /nvidia/linux-64/repodata.json.zst 200 35789
  GET /nvidia/noarch/repodata.json.zst 200 5705
  GET /pytorch/linux-64/repodata.json.zst 200 153151
  GET /pytorch/noarch/repodata.json.zst 200 553
  $ : >requests.log
  $ chanmirror sync pytorch nvidia conda-forge --subdir linux-64 --upstream "$UPSTREAM"
  fetching indexes ...
  pytorch/linux-64                2256 records, unchanged
  pytorch/noarch                     3 records, unchanged
  nvidia/linux-64                  436 records, unchanged
  nvidia/noarch                     67 records, unchanged
  conda-forge/linux-64           15766 records, unchanged
  conda-forge/noarch              6455 records, unchanged
  nothing changed: snapshot SNAPSHOT stays current
  $ sort requests.log
  GET /conda-forge/linux-64/repodata.json.zst 304 0
  GET /conda-forge/noarch/repodata.json.zst 304 0
  GET /nvidia/linux-64/repodata.json.zst 304 0
  GET /nvidia/noarch/repodata.json.zst 304 0
  GET /pytorch/linux-64/repodata.json.zst 304 0
  GET /pytorch/noarch/repodata.json.zst 304 0

What clients read: the upstream's index, except that packages come from where the index says; both forms are the same.

  $ zstd -dcq <mirror/public/pytorch/noarch/repodata.json.zst | cmp - mirror/public/pytorch/noarch/repodata.json
  $ zstd -dcq "$CHANNELS/pytorch/noarch/repodata.json.zst" | head -c 60; echo
  {
   "info": {
    "subdir": "noarch"
   },
   "packages": {
    "cpuo
  $ sed "s|$UPSTREAM|UPSTREAM|" mirror/public/pytorch/noarch/repodata.json | head -c 60; echo
  {
   "info": {"base_url":"UPSTREAM/pytorch/noarch",
    "subdir"
  $ readlink mirror/public/pytorch/noarch/repodata.json
  ../../../current/public/pytorch/noarch/repodata.json

Standard output is empty but for the document that --json asks for; progress is then JSON, too.

  $ chanmirror sync pytorch --subdir linux-64 --upstream "$UPSTREAM" 2>/dev/null
  $ chanmirror sync pytorch --subdir linux-64 --upstream "$UPSTREAM" --json 2>progress | sed 's/"free_bytes": [0-9]*/"free_bytes": N/'
  {
    "snapshot": "SNAPSHOT",
    "new_snapshot": false,
    "subdirs": [
      {
        "channel": "pytorch",
        "subdir": "linux-64",
        "change": "unchanged",
        "records": 2256
      },
      {
        "channel": "pytorch",
        "subdir": "noarch",
        "change": "unchanged",
        "records": 3
      }
    ],
    "packages": [],
    "free_bytes": N,
    "missing": []
  }
  $ python3 -c 'import json; print(sorted({json.loads(line)["event"] for line in open("progress")}))'
  ['noted', 'phase_began', 'phase_ended', 'transfer_began', 'transfer_ended']
  $ chanmirror sync pytorch --subdir linux-64 --upstream "$UPSTREAM" --quiet

A change upstream makes a new snapshot, which shares what did not change; the old one stays.

  $ mkdir up && cp -r "$CHANNELS/pytorch" up/ && chmod -R u+w up
  $ serve up
  $ export CHANMIRROR_ROOT=$PWD/small
  $ chanmirror sync pytorch --subdir linux-64 --upstream "$UPSTREAM" --quiet
  $ before=$(readlink small/current)
  $ zstd -dcq up/pytorch/noarch/repodata.json.zst | sed 's/"removed":/"x_new":1,"removed":/' >changed && zstd -q -f -o up/pytorch/noarch/repodata.json.zst changed
  $ chanmirror sync pytorch --subdir linux-64 --upstream "$UPSTREAM"
  fetching indexes ...
  publishing ...
  pytorch/linux-64                2256 records, unchanged
  pytorch/noarch                     3 records, fetched
  published snapshot SNAPSHOT in HERE/small
  $ test "$(readlink small/current)" != "$before" && ls small/snapshots | wc -l
  2
  $ test "small/current/public/pytorch/linux-64/repodata.json" -ef "small/$before/public/pytorch/linux-64/repodata.json" && echo shared
  shared
  $ grep -o '"x_new":1' small/public/pytorch/noarch/repodata.json
  "x_new":1

Without repodata.json.zst the plain file serves, and the next sync asks for that at once.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch && tiny_channel lab/label/dev linux-64
  $ serve .
  $ export CHANMIRROR_ROOT=$PWD/plain
  $ chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet && sort requests.log
  GET /lab/linux-64/repodata.json 200 215
  GET /lab/linux-64/repodata.json.bz2 404 13
  GET /lab/linux-64/repodata.json.zst 404 13
  GET /lab/noarch/repodata.json 200 213
  GET /lab/noarch/repodata.json.bz2 404 13
  GET /lab/noarch/repodata.json.zst 404 13
  $ : >requests.log; chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet && sort requests.log
  GET /lab/linux-64/repodata.json 304 0
  GET /lab/noarch/repodata.json 304 0

Labels are channels of their own. A channel without noarch gets an empty one, since clients ask for it; a platform that upstream
does not have is simply absent.

  $ chanmirror sync lab/label/dev --subdir linux-64 --subdir osx-arm64 --upstream "$UPSTREAM"
  fetching indexes ...
  publishing ...
  lab/label/dev/linux-64             1 records, fetched
  lab/label/dev/osx-arm64      not at the upstream
  lab/label/dev/noarch         not at the upstream
  warning: no channel of this sync has osx-arm64 at its upstream
  published snapshot SNAPSHOT in HERE/plain
  $ cat plain/public/lab/label/dev/noarch/repodata.json; echo
  {"info":{"base_url":"http://127.0.0.1:PORT/lab/label/dev/noarch","subdir":"noarch"},"packages":{},"packages.conda":{},"removed":[],"repodata_version":2}
  $ ls plain/public/lab/label/dev plain/public/lab
  plain/public/lab:
  label
  linux-64
  noarch
  
  plain/public/lab/label/dev:
  linux-64
  noarch

A platform that no channel has was most likely not meant. --upstream goes for every channel, also those that live elsewhere.

  $ chanmirror sync lab --subdir osx-arm64 --upstream "$UPSTREAM" --quiet
  warning: no channel of this sync has osx-arm64 at its upstream
  $ tiny_channel pkgs/main linux-64 && chanmirror sync pkgs/main --subdir linux-64 --upstream "$UPSTREAM" --quiet --root "$PWD/pkgs"
  $ chanmirror sync "$UPSTREAM/lab" --subdir linux-64 --upstream "$UPSTREAM"
  chanmirror: error: --upstream says where to find channels by name; 'http://127.0.0.1:PORT/lab' is an address itself
  [2]
  $ chanmirror sync "$UPSTREAM/lab" --subdir linux-64 --root "$PWD/by-address"
  fetching indexes ...
  publishing ...
  127.0.0.1:PORT/lab/linux-64 * 1 records, fetched (glob)
  127.0.0.1:PORT/lab/noarch * 1 records, fetched (glob)
  published snapshot SNAPSHOT in HERE/by-address

Credentials reach the server, and nothing else: not the output, not a file.

  $ mkdir -p secret/t/tk-s3cret && cp -r lab secret/t/tk-s3cret/ && serve secret
  $ chanmirror sync lab --subdir linux-64 --upstream "http://ada:s3cret@${UPSTREAM#http://}/t/tk-s3cret" --root "$PWD/hidden" -v 2>&1 | grep -c s3cret
  0
  [1]
  $ grep -rl s3cret hidden; grep -c tk-s3cret requests.log
  6

An upstream can be a folder.

  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --root "$PWD/from-folder"
  fetching indexes ...
  publishing ...
  lab/linux-64                       1 records, fetched
  lab/noarch                         1 records, fetched
  published snapshot SNAPSHOT in HERE/from-folder

Transfers that fail in a passing way are tried again.

  $ serve . '/lab/linux-64/repodata.json status=503 times=1' '/lab/noarch/repodata.json cut=20 times=1'
  $ chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --root "$PWD/retried" --verbose 2>&1 | grep -o 'trying again'
  trying again
  trying again
