An upstream that misbehaves. After each fault the mirror is what it was, and the next sync with a sane upstream works.

  $ export CHANMIRROR_ROOT=$PWD/mirror CHANMIRROR_RETRIES=1 CHANMIRROR_STALL_TIMEOUT=1
  $ mkdir up && (cd up && tiny_channel lab linux-64 && tiny_channel lab noarch)
  $ serve up && chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet && good=$(readlink mirror/current)
  $ sed -i 's/"x_unknown"/"x_changed"/' up/lab/*/repodata.json
  $ try() {
  >     serve up "$@"
  >     chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet; echo "exit $?"
  >     mirror_state mirror | sed "s|$good|unchanged|"
  > }

Not an index.

  $ try '/lab/linux-64/repodata.json body=this_is_not_json'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: this is not a JSON object; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ try '/lab/linux-64/repodata.json body=<!DOCTYPE_html><title>Sign_in</title> type=text/html'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: this is an HTML or XML page (a login page, a proxy's answer?); tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ try '/lab/linux-64/repodata.json body='
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: the file is empty; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ try '/lab/linux-64/repodata.json truncate=100'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: the JSON is cut short; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ try '/lab/linux-64/repodata.json body={}'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: it has neither "packages" nor "packages.conda"; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ echo '{"info": {"subdir": "win-64"}, "packages": {}}' >win-64.json && try "/lab/linux-64/repodata.json body-file=$PWD/win-64.json"
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: it says that it is for win-64, not for linux-64; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ zstd -q up/lab/linux-64/repodata.json
  $ try '/lab/linux-64/repodata.json.zst truncate=40' '/lab/linux-64/repodata.json truncate=100'
  warning: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: zstd data is cut short after 40 bytes; taking repodata.json instead
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: the JSON is cut short; tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ try '/lab/linux-64/repodata.json.zst body=<html> type=text/html' '/lab/linux-64/repodata.json body=<html> type=text/html'
  warning: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: not zstd data (it looks like an HTML page); taking repodata.json instead
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: not a channel index: this is an HTML or XML page (a login page, a proxy's answer?); tell the upstream's maintainers, or choose another upstream
  exit 5
  unchanged
  $ rm up/lab/linux-64/repodata.json.zst

Not an answer.

  $ try '/lab/linux-64/repodata.json* status=503'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: the server answered 503 (2 tries); check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json* status=403'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: access denied (403); give credentials in the configured URL or in ~/.netrc
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json* status=418'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: unexpected answer 418; check the address
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json* status=429 retry-after=4000'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: the server answered 429 and asked to wait 1 h 07 min; check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json cut=100'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: transfer closed with 115 bytes remaining to read (2 tries); check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json close'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: Empty reply from server (2 tries); check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json hang'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: Operation too slow. Less than 1 bytes/sec transferred the last 1 seconds (2 tries); check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/linux-64/repodata.json redirect=/lab/linux-64/repodata.json'
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json: Maximum (8) redirects followed; check the address and the network, then run again
  exit 4
  unchanged
  $ try '/lab/* status=404'
  chanmirror: error: channel 'lab' is no longer at http://127.0.0.1:PORT/lab; the mirror keeps what it has, check the address of the upstream
  exit 4
  unchanged

Nobody there, and no network wanted.

  $ chanmirror sync lab --subdir linux-64 --upstream http://127.0.0.1:1 --quiet
  chanmirror: error: http://127.0.0.1:1/lab/linux-64/repodata.json.zst: Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server (2 tries); check the address and the network, then run again (1 more failed too; -v names them)
  [4]
  $ chanmirror sync lab --subdir linux-64 --upstream "$UPSTREAM" --quiet --offline 2>&1
  chanmirror: error: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: not fetched, because of --offline (1 more failed too; -v names them)
  [4]
  $ mirror_state mirror | sed "s|$good|unchanged|"
  unchanged

A damaged .zst does not stop a sync when the plain index is good.

  $ zstd -q up/lab/linux-64/repodata.json
  $ try '/lab/linux-64/repodata.json.zst flip=60' | sed "s|snapshots/.*|a new snapshot|"
  warning: http://127.0.0.1:PORT/lab/linux-64/repodata.json.zst: zstd data is damaged (its checksum does not match); taking repodata.json instead
  exit 0
  a new snapshot
  $ grep -c x_changed mirror/public/lab/linux-64/repodata.json
  1
