A mirror is proven, and what is wrong is named.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror verify
  chanmirror: error: the mirror HERE/mirror holds no snapshot; run 'chanmirror sync' first, or name another with --root
  [2]
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
  $ chanmirror verify --background --jobs 2 --limit-rate 100M
  hashing stored files ...
  checking snapshots ...
  0 stored files read (0 B), 1 snapshot checked: all is as it should be
  $ chanmirror verify --json
  {"v":1,"event":"phase_began","time":"TIME","name":"hashing stored files","unit":"bytes"}
  {"v":1,"event":"phase_ended","time":"TIME","summary":""}
  {"v":1,"event":"phase_began","time":"TIME","name":"checking snapshots","unit":"items"}
  {"v":1,"event":"phase_ended","time":"TIME","summary":""}
  {"v":1,"event":"noted","time":"TIME","message":"0 stored files read (0 B), 1 snapshot checked: all is as it should be"}
  {
    "whole": true,
    "snapshot": "SNAPSHOT",
    "snapshots": 1,
    "objects": 0,
    "bytes": 0,
    "missing_files": 0,
    "faults": [],
    "quarantined": [],
    "taken_out": []
  }
  $ rm mirror/public/lab/noarch/repodata.json
  $ chanmirror verify
  hashing stored files ...
  checking snapshots ...
  0 stored files read (0 B), 1 snapshot checked: 1 fault
  public/lab/noarch/repodata.json
    expected  a symlink to ../../../current/public/lab/noarch/repodata.json
    got       No such file or directory
    to do     'chanmirror snapshot rollback current' makes the names of the current snapshot anew
  [5]
  $ chanmirror snapshot rollback current
  snapshot SNAPSHOT is the current one already
  $ chanmirror verify --quiet

With a lock, only what it names.

  $ echo '@EXPLICIT' >a.lock; echo https://h/lab/linux-64/tiny-1.0-0.tar.bz2#0123456789abcdef0123456789abcdef >>a.lock
  $ chanmirror verify a.lock
  hashing stored files ...
  0 stored files read (0 B): 1 fault
  HERE/a.lock: tiny-1.0-0.tar.bz2
    expected  md5 0123456789abcdef0123456789abcdef
    got       it is not stored in this mirror
    to do     mirror its channel's packages ('packages' in the configuration), then run 'chanmirror sync'
  [5]
  $ echo hello >b.lock
  $ chanmirror verify b.lock
  chanmirror: error: HERE/b.lock: not an @EXPLICIT lock: line 1: expected '@EXPLICIT' before anything else
  [2]
  $ chanmirror verify --repair a.lock
  chanmirror: error: --repair is for the whole mirror: give it without lockfiles
  [2]
  $ chanmirror verify --limit-rate fast
  chanmirror: error: --limit-rate: 'fast' is no number of bytes: expected a number and one of k, M, G (750k, 1.5G)
  [2]
