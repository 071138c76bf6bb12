The history of a mirror: what there is, what changed, back, and room again.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror snapshot list
  the mirror HERE/mirror holds no snapshot
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
  $ sed -i 's/tiny-1.0-0/tiny-2.0-0/; s/"1.0"/"2.0"/' lab/linux-64/repodata.json
  $ sleep 1; chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
  $ chanmirror snapshot list
  * SNAPSHOT  TIME  1 channel, 2 subdirs, 2 records
    SNAPSHOT  TIME  1 channel, 2 subdirs, 2 records
  $ chanmirror snapshot list --json
  {
    "root": "HERE/mirror",
    "snapshots": [
      {
        "id": "SNAPSHOT",
        "current": true,
        "created": "TIME",
        "channels": 1,
        "subdirs": 2,
        "records": 2,
        "stored_files": 0,
        "stored_bytes": 0,
        "missing_files": 0
      },
      {
        "id": "SNAPSHOT",
        "current": false,
        "created": "TIME",
        "channels": 1,
        "subdirs": 2,
        "records": 2,
        "stored_files": 0,
        "stored_bytes": 0,
        "missing_files": 0
      }
    ]
  }
  $ chanmirror snapshot diff previous current
  lab/linux-64                     1 added, 1 removed
  $ chanmirror snapshot diff previous current -v
  lab/linux-64                     1 added, 1 removed
    removed      tiny-1.0-0.tar.bz2
    added        tiny-2.0-0.tar.bz2
  $ chanmirror snapshot diff current current
  the snapshots do not differ
  $ chanmirror snapshot diff previous current --json
  {
    "from": "SNAPSHOT",
    "to": "SNAPSHOT",
    "subdirs": [
      {
        "channel": "lab",
        "subdir": "linux-64",
        "added": [
          "tiny-2.0-0.tar.bz2"
        ],
        "removed": [
          "tiny-1.0-0.tar.bz2"
        ],
        "replaced": [],
        "redescribed": [],
        "stored_files": 0,
        "stored_bytes": 0
      }
    ]
  }

Back to the older one; the next sync does not take the upstream's "not modified" for an answer about it.

  $ chanmirror snapshot rollback previous
  snapshot SNAPSHOT is current again; it was SNAPSHOT
  $ grep -o 'tiny-[0-9.]*' mirror/public/lab/linux-64/repodata.json
  tiny-1.0
  $ chanmirror snapshot rollback previous
  chanmirror: error: there is no snapshot older than the current one, SNAPSHOT
  [2]
  $ sleep 1; chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
  $ grep -o 'tiny-[0-9.]*' mirror/public/lab/linux-64/repodata.json
  tiny-2.0

Garbage collection keeps what is young; with less grace, what is old goes.

  $ chanmirror snapshot gc --keep 1
  removed: 0 snapshots, 0 stored files, 0 names of package files, 0 leftovers; 0 B are free again
  kept: 3 snapshots
  $ chanmirror snapshot gc --keep 1 --grace 0 --dry-run
  snapshot SNAPSHOT
  snapshot SNAPSHOT
  would be removed: 2 snapshots, 0 stored files, 0 names of package files, 0 leftovers; * kB would become free (glob)
  kept: 1 snapshot
  $ chanmirror snapshot gc --keep 1 --grace 0 --json --quiet
  {
    "dry_run": false,
    "kept": [
      "SNAPSHOT"
    ],
    "snapshots": [
      "SNAPSHOT",
      "SNAPSHOT"
    ],
    "objects": [],
    "names": [],
    "leftovers": [],
    "objects_spared": false,
    "bytes": * (glob)
  }
  $ ls mirror/snapshots | wc -l
  1
  $ chanmirror verify
  hashing stored files ...
  checking snapshots ...
  0 stored files read (0 B), 1 snapshot checked: all is as it should be

What people mistype.

  $ chanmirror snapshot
  chanmirror: error: A subcommand is required; see 'chanmirror snapshot --help'
  [2]
  $ chanmirror snapshot lst
  chanmirror: error: A subcommand is required; see 'chanmirror snapshot --help'
  [2]
  $ chanmirror snapshot rollback 1999
  chanmirror: error: no snapshot '1999'; 'chanmirror snapshot list' names them
  [2]
  $ chanmirror snapshot diff current
  chanmirror: error: TO is required; see 'chanmirror snapshot --help'
  [2]
  $ chanmirror snapshot gc --grace soon
  chanmirror: error: --grace: 'soon' is no duration: expected a whole number and one of s, m, h, d, w (12h, 7d), or 0
  [2]
  $ chanmirror snapshot gc --root nowhere
  chanmirror: error: the mirror HERE/nowhere does not exist; run 'chanmirror sync' first, or name another with --root
  [2]
