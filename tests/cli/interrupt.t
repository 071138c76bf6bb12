Ctrl-C and SIGTERM end a run within a second and leave the mirror as it was.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet && good=$(readlink mirror/current)
  $ stop() { # stop SIGNAL: during a transfer that never ends
  >     serve . '/lab/linux-64/* hang'
  >     env --default-signal=INT "$BUILD/src/cli/chanmirror" sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet & local pid=$!
  >     until [[ -s requests.log ]] || grep -q sync mirror/lock; do sleep 0.02; done; sleep 0.2
  >     local begun=${EPOCHREALTIME/./}
  >     kill -s "$1" $pid; wait $pid; echo "exit $?"
  >     ((${EPOCHREALTIME/./} - begun < 1000000)) && echo "within a second"
  >     mirror_state mirror | sed "s|$good|unchanged|"
  > } 2>&1
  $ stop INT
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: interrupted
  exit 130
  within a second
  unchanged
  $ stop TERM
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: interrupted
  exit 143
  within a second
  unchanged
  $ chanmirror sync lab --subdir linux-64 --upstream "file://$PWD" --quiet
