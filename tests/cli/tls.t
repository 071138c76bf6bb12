An upstream with a certificate of its own authority that asks for ours.

  $ tiny_channel lab linux-64 && tiny_channel lab noarch
  $ export CHANMIRROR_ROOT=$PWD/mirror
  $ { openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=our-ca -days 2
  >   for name in localhost mirror; do
  >     openssl req -newkey rsa:2048 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
  >     printf 'subjectAltName=DNS:%s\n' $name >$name.ext
  >     openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile $name.ext -out $name.pem
  >   done; } 2>/dev/null
  $ port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  $ user=$( ((EUID == 0)) && echo 'user root;')
  $ echo "$user daemon off; pid $PWD/nginx.pid; error_log $PWD/nginx.log; events {} http { log_format short '\$request_uri \$server_protocol \$ssl_client_s_dn'; access_log $PWD/access.log short; client_body_temp_path $PWD/t1; proxy_temp_path $PWD/t2; fastcgi_temp_path $PWD/t3; uwsgi_temp_path $PWD/t4; scgi_temp_path $PWD/t5; server { listen 127.0.0.1:$port ssl http2; ssl_certificate $PWD/localhost.pem; ssl_certificate_key $PWD/localhost.key; ssl_client_certificate $PWD/ca.pem; ssl_verify_client on; root $PWD; } }" >main.conf
  $ PATH=$PATH:/usr/sbin nginx -c "$PWD/main.conf" -e "$PWD/nginx.log" & nginx=$!; trap 'kill $nginx' EXIT
  $ for _ in {1..100}; do curl -sk "https://localhost:$port/" >/dev/null && break; sleep 0.05; done
  $ sync() { chanmirror sync lab --subdir linux-64 --upstream "https://localhost:$port" --quiet 2>&1 | sed "s/:$port/:PORT/g"; }

Nobody that we trust vouches for it; then the authority is told, but not who we are.

  $ export CHANMIRROR_RETRIES=0
  $ unset SSL_CERT_FILE; sync
  chanmirror: error: https://localhost:PORT/lab/linux-64/repodata.json.zst: SSL certificate problem: unable to get local issuer certificate; check the address and the network, then run again (1 more failed too; -v names them)
  $ export CHANMIRROR_SSL_VERIFY=$PWD/ca.pem; sync
  chanmirror: error: https://localhost:PORT/lab/linux-64/repodata.json: unexpected answer 400; check the address (1 more failed too; -v names them)
  $ CHANMIRROR_SSL_VERIFY=$PWD/no-such.pem sync
  chanmirror: error: https://localhost:PORT/lab/linux-64/repodata.json.zst: error setting certificate file: HERE/no-such.pem; check the address and the network, then run again (1 more failed too; -v names them)
  $ CHANMIRROR_SSL_VERIFY=false sync
  chanmirror: error: CHANMIRROR_SSL_VERIFY: ssl_verify: a mirror that does not check its upstreams' certificates would take any server's packages; behind a proxy that opens TLS, give the file of its certificate authority

With both it works, over HTTP/2.

  $ export CHANMIRROR_CLIENT_SSL_CERT=$PWD/mirror.pem CHANMIRROR_CLIENT_SSL_CERT_KEY=$PWD/mirror.key
  $ : >access.log; sync
  $ sort access.log
  /lab/linux-64/repodata.json HTTP/2.0 CN=mirror
  /lab/linux-64/repodata.json.bz2 HTTP/2.0 CN=mirror
  /lab/linux-64/repodata.json.zst HTTP/2.0 CN=mirror
  /lab/noarch/repodata.json HTTP/2.0 CN=mirror
  /lab/noarch/repodata.json.bz2 HTTP/2.0 CN=mirror
  /lab/noarch/repodata.json.zst HTTP/2.0 CN=mirror
  $ CHANMIRROR_SSL_VERIFY= SSL_CERT_FILE=$PWD/ca.pem sync
