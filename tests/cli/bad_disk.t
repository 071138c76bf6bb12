Disks that refuse. One line says what and where; the mirror is what it was, with nothing half-written.

  $ mkdir up && cp -r "$CHANNELS/pytorch" up/ && chmod -R u+w up && tiny_channel up/lab linux-64 && tiny_channel up/lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD/up" --quiet

A full disk, during the first sync and during a later one.

  $ in_mounts '. "$SOURCE/tests/cli/setup.sh"; mkdir small && mount -t tmpfs -o size=1m tmpfs small && export CHANMIRROR_ROOT=$PWD/small/mirror
  >     chanmirror sync pytorch --subdir linux-64 --upstream "file://$PWD/up" --quiet; echo "exit $?"; mirror_state small/mirror
  >     chanmirror sync lab --subdir linux-64 --upstream "file://$PWD/up" --quiet; echo "exit $?"
  >     good=$(readlink small/mirror/current); chanmirror sync pytorch --subdir linux-64 --upstream "file://$PWD/up" --quiet; echo "exit $?"
  >     mirror_state small/mirror | sed "s|$good|unchanged|"; chanmirror status | grep -c lab/linux-64' 2>&1 | sed 's|writing .*/small/|writing SMALL/|'
  chanmirror: error: writing SMALL/mirror/snapshots/new.unfinished/public/pytorch/linux-64/repodata.json: No space left on device; free some space or choose another place
  exit 1
  no snapshot
  exit 0
  chanmirror: error: writing SMALL/mirror/snapshots/new.unfinished/public/pytorch/linux-64/repodata.json: No space left on device; free some space or choose another place
  exit 1
  unchanged
  1

A read-only disk.

  $ in_mounts '. "$SOURCE/tests/cli/setup.sh"; mount --bind mirror mirror && mount -o remount,ro,bind mirror
  >     chanmirror sync lab --subdir linux-64 --upstream "file://$PWD/up" --quiet; echo "exit $?"; chanmirror status | grep -c lab/linux-64'
  chanmirror: error: opening the lock HERE/mirror/lock: Read-only file system; check the permissions of the mount, or choose another place
  exit 1
  1

A root that is a file, or below one.

  $ touch file
  $ chanmirror sync lab --root "$PWD/file" --upstream "file://$PWD/up"
  chanmirror: error: creating folder HERE/file: Not a directory
  [1]
  $ chanmirror sync lab --root "$PWD/file/below" --upstream "file://$PWD/up"
  chanmirror: error: creating folder HERE/file/below: Not a directory
  [1]
  $ chanmirror status --root "$PWD/file"
  chanmirror: error: reading HERE/file/current: Not a directory
  [1]

A root that this user may not read.

  $ mkdir closed && chmod 700 closed && cp -r mirror closed/ && chmod 755 . up && cp "$BUILD/src/cli/chanmirror" program
  $ nobody() { if ((EUID == 0)); then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else unshare -r "$@"; fi; }
  $ (cd / && nobody "$OLDPWD/program" status --root "$OLDPWD/closed/mirror" 2>&1)
  chanmirror: error: reading HERE/closed/mirror/current: Permission denied; check the permissions and the owner of this path
  [1]

An upstream folder that may not be read is an error, not a channel without files.

  $ chmod 711 closed && chmod 755 mirror && mkdir -m 777 theirs && cp -r up/lab closed/ && chmod 000 closed/lab/noarch/repodata.json
  $ (cd / && nobody env CHANMIRROR_RETRIES=0 "$OLDPWD/program" sync lab --subdir linux-64 --quiet --root "$OLDPWD/theirs/mirror" --upstream "file://$OLDPWD/closed")
  chanmirror: error: file://HERE/closed/lab/noarch/repodata.json: Couldn't open file HERE/closed/lab/noarch/repodata.json; check the address and the network, then run again
  [4]

Another sync holds the lock.

  $ serve up '/lab/linux-64/* hang'
  $ "$BUILD/src/cli/chanmirror" sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet & holder=$!
  $ until grep -q sync mirror/lock 2>/dev/null; do sleep 0.05; done
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD/up" 2>&1 | sed "s|pid $holder on host [^,]*, since [^)]*|WHO|"
  chanmirror: error: mirror root HERE/mirror is in use by chanmirror sync (WHO); wait for it to end, or stop it
  $ kill -9 $holder; wait $holder 2>/dev/null; chanmirror sync lab --subdir linux-64 --upstream "file://$PWD/up" --quiet
