What the mirror holds.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
  $ chanmirror status
  root      HERE/mirror
  snapshot  SNAPSHOT, made TIME
  lab/linux-64                            1 records  file://HERE/lab/linux-64/repodata.json
  lab/noarch                              1 records  file://HERE/lab/noarch/repodata.json
  $ chanmirror status --json
  {
    "root": "HERE/mirror",
    "snapshot": "SNAPSHOT",
    "created": "TIME",
    "stored_files": 0,
    "stored_bytes": 0,
    "missing_files": 0,
    "channels": [
      {
        "name": "lab",
        "url": "https://conda.anaconda.org/lab",
        "subdirs": [
          {
            "subdir": "linux-64",
            "view": "upstream",
            "records": 1,
            "fetched_from": "file://HERE/lab/linux-64/repodata.json"
          },
          {
            "subdir": "noarch",
            "view": "upstream",
            "records": 1,
            "fetched_from": "file://HERE/lab/noarch/repodata.json"
          }
        ]
      }
    ]
  }

A damaged snapshot is named, not guessed at.

  $ chmod -R u+w mirror && echo '{' >mirror/current/manifest.json
  $ chanmirror status
  chanmirror: error: HERE/mirror/snapshots/SNAPSHOT/manifest.json: not a snapshot manifest: not valid JSON: The JSON document has an improper structure: missing or superfluous commas, braces, missing keys, etc.; point HERE/mirror/current at another snapshot, or remove it and run 'chanmirror sync'
  [5]
  $ echo '{"format": 2}' >mirror/current/manifest.json
  $ chanmirror status
  chanmirror: error: HERE/mirror/snapshots/SNAPSHOT/manifest.json: not a snapshot manifest: format 2 is not 1; another version of chanmirror wrote it; point HERE/mirror/current at another snapshot, or remove it and run 'chanmirror sync'
  [5]
