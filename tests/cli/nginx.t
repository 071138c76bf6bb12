The published tree behind nginx, by the configuration that comes with it.

  $ mkdir -p lab/linux-64 lab/noarch && printf 'the bytes of a package' >lab/linux-64/tiny-1.0-0.conda
  $ printf '{"info":{"subdir":"noarch"},"packages":{},"packages.conda":{}}' >lab/noarch/repodata.json
  $ printf '{"info":{"subdir":"linux-64"},"packages":{},"packages.conda":{"tiny-1.0-0.conda":{"name":"tiny","version":"1.0","build":"0","build_number":0,"depends":[],"size":22,"sha256":"%s"}}}' "$(sha256sum <lab/linux-64/tiny-1.0-0.conda | cut -d' ' -f1)" >lab/linux-64/repodata.json
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ chanmirror sync lab --subdir linux-64 --packages all --upstream "file://$PWD" --quiet

Its own main configuration, on a free port of this machine.

  $ port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  $ sed "s#listen 8080#listen 127.0.0.1:$port#; s#/srv/chanmirror#$PWD/mirror#" "$SOURCE/config/examples/nginx.conf" >site.conf
  $ user=$( ((EUID == 0)) && echo 'user root;')
  $ echo "$user daemon off; pid $PWD/nginx.pid; error_log $PWD/nginx.log; events {} http { access_log off; client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3; uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5; include $PWD/site.conf; }" >main.conf
  $ PATH=$PATH:/usr/sbin nginx -c "$PWD/main.conf" -e "$PWD/nginx.log" & nginx=$!; trap 'kill $nginx' EXIT
  $ for _ in {1..100}; do curl -sf "http://127.0.0.1:$port/lab/noarch/repodata.json" >/dev/null && break; sleep 0.05; done

What clients get: the published bytes, with a type and for how long they may keep them.

  $ for f in noarch/repodata.json linux-64/repodata.json linux-64/repodata.json.zst linux-64/repodata_shards.msgpack.zst linux-64/tiny-1.0-0.conda; do curl -s -D head -o got "http://127.0.0.1:$port/lab/$f"; echo "$f $(tr -d '\r' <head | grep -i '^content-type\|^cache-control' | cut -d: -f2 | paste -sd,)"; cmp got "mirror/public/lab/$f"; done
  noarch/repodata.json  application/json, max-age=60
  linux-64/repodata.json  application/json, max-age=60
  linux-64/repodata.json.zst  application/octet-stream, max-age=60
  linux-64/repodata_shards.msgpack.zst  application/octet-stream, max-age=60
  linux-64/tiny-1.0-0.conda  application/octet-stream, max-age=86400
  $ shard=$(cd mirror/public/lab/linux-64/shards/ && ls)
  $ curl -sI "http://127.0.0.1:$port/lab/linux-64/shards/$shard" | tr -d '\r' | grep -i '^HTTP\|^cache'
  HTTP/1.1 200 OK
  Cache-Control: max-age=31536000, immutable

An index that did not change is answered 304, also after a sync; a package may be continued.

  $ etag=$(curl -sI "http://127.0.0.1:$port/lab/linux-64/repodata.json" | tr -d '\r' | sed -n 's/^ETag: //p')
  $ printf '{"info":{"subdir":"noarch"},"packages":{},"packages.conda":{},"removed":[]}' >lab/noarch/repodata.json
  $ chanmirror sync lab --subdir linux-64 --packages all --upstream "file://$PWD" --quiet
  $ curl -s -o /dev/null -w '%{http_code}\n' -H "If-None-Match: $etag" "http://127.0.0.1:$port/lab/linux-64/repodata.json"
  304
  $ curl -s -r 4- -w ' %{http_code}\n' "http://127.0.0.1:$port/lab/linux-64/tiny-1.0-0.conda"
  bytes of a package 206

The mirror can itself be the upstream of another.

  $ chanmirror sync lab --subdir linux-64 --packages all --upstream "http://127.0.0.1:$port" --root "$PWD/second" --quiet
  $ cmp mirror/public/lab/linux-64/tiny-1.0-0.conda second/public/lab/linux-64/tiny-1.0-0.conda
  $ chanmirror verify --root "$PWD/second" --quiet
