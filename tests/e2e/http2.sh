#!/usr/bin/env bash
# HTTP/2 against servers from Debian: nginx and caddy, over TLS and in clear text, by themselves and through tinyproxy. What is not
# installed is skipped (scripts/setup --servers installs it), unless THRUM_CI is set.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
. "$here/peers.sh"
need jq || { summary; exit; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 \
  -subj /CN=shop.test -addext subjectAltName=DNS:shop.test,IP:127.0.0.1 >/dev/null 2>&1

# attack FILE TARGET HITS FLAG...: a closed loop; the results go to FILE
attack() {
  local file=$1 target=$2 hits=$3
  shift 3
  echo "GET $target" | thrum attack -rate=0 -max-workers=200 -n="$hits" -root-certs=cert.pem -output="$file" "$@" 2>err
}
errors_of() { of "$1" '.errors | join("; ")'; }
protocols_of() { of "$1" '.runs[0].plan.protocols | "\(.http1) \(.http2)"'; }
opened_by() { of "$1" '.runs[0].plan.connections.opened'; }
bodies_of() { thrum encode -to json "$1" | jq -r '.body // "" | @base64d' | sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' '; }
# whole NAME FILE HITS PROTOCOLS: all of them were answered, by these protocols
whole() {
  equal "$1: hits, success, errors" "$(of "$2" '"\(.requests) \(.success)"') $(errors_of "$2")" "$3 1 "
  equal "$1: answers by HTTP/1.1 and HTTP/2" "$(protocols_of "$2")" "$4"
}

if need nginx; then
  tls=$(free_port) clear=$(free_port) leaving=$(free_port) old=$(free_port)
  nginx_with "
    ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem;
    server { listen 127.0.0.1:$tls ssl http2; listen 127.0.0.1:$clear http2; listen unix:$work/nginx.sock http2;
             keepalive_requests 1000000;
             location / { return 200 \$server_protocol; } location /moved { return 302 /; } location /gone { return 444; } }
    server { listen 127.0.0.1:$leaving ssl http2; keepalive_requests 100; location / { return 200 \$connection; } }
    server { listen 127.0.0.1:$old ssl; location / { return 200 \$server_protocol; } }" 127.0.0.1 "$tls"

  case_ "nginx, over TLS"
  attack r.bin "https://127.0.0.1:$tls/" 2000 -max-connections=2 -streams=50 -capture=body
  whole nginx r.bin 2000 "0 2000"
  equal "what nginx says it spoke" "$(bodies_of r.bin)" HTTP/2.0:2000
  within "connections" "$(opened_by r.bin)" 1 2
  has "the report" "$(thrum report r.bin)" '^Protocols +\[protocol:count\] +HTTP/2:2000'
  attack r.bin "https://127.0.0.1:$tls/" 20 -http2=false -capture=body
  whole "-http2=false" r.bin 20 "20 0"
  equal "-http2=false: what nginx says" "$(bodies_of r.bin)" HTTP/1.1:20
  attack r.bin "https://127.0.0.1:$old/" 20 -capture=body
  whole "a server that has HTTP/1.1 only" r.bin 20 "20 0"
  attack r.bin "https://127.0.0.1:$tls/" 20 -session-tickets -keepalive=false
  whole "-session-tickets" r.bin 20 "0 20"
  attack r.bin "https://127.0.0.1:$tls/moved" 200
  whole "a redirect" r.bin 200 "0 400"

  case_ "nginx, in clear text"
  attack r.bin "http://127.0.0.1:$clear/" 2000 -h2c -max-connections=2 -streams=50 -capture=body
  whole "with -max-connections" r.bin 2000 "0 2000"
  equal "what nginx says it spoke" "$(bodies_of r.bin)" HTTP/2.0:2000
  within "connections" "$(opened_by r.bin)" 1 2
  attack r.bin http://no.such.name.invalid/ 20 -h2c -unix-socket="$work/nginx.sock"
  whole "with -unix-socket" r.bin 20 "0 20"
  attack r.bin http://shop.test/ 20 -h2c -connect-to="shop.test:80:127.0.0.1:$clear"
  whole "with -connect-to" r.bin 20 "0 20"
  attack r.bin "http://127.0.0.1:$clear/" 20 -h2c -session-tickets
  whole "with -session-tickets" r.bin 20 "0 20"
  attack r.bin "http://127.0.0.1:$clear/" 20 -h2c -laddr=127.0.0.9
  whole "with -laddr" r.bin 20 "0 20"
  attack r.bin "http://127.0.0.1:$clear/" 600 -h2c -preconnect=3
  whole "with -preconnect" r.bin 600 "0 600"
  equal "with -preconnect: connections" "$(opened_by r.bin)" 3

  case_ "nginx ends a connection after every 100 requests"
  attack r.bin "https://127.0.0.1:$leaving/" 20000 -max-connections=10 -capture=body
  whole GET r.bin 20000 "0 20000"
  within "connections" "$(opened_by r.bin)" 200 400
  equal "the most on one connection" "$(bodies_of r.bin | tr ' ' '\n' | cut -d: -f2 | sort -n | tail -1)" 100
  head -c 2000 /dev/zero >body.bin
  for method in POST PATCH; do
    echo "$method https://127.0.0.1:$leaving/" |
      thrum attack -rate=0 -max-workers=200 -n=5000 -root-certs=cert.pem -max-connections=10 -body=body.bin -output=r.bin
    whole "$method, which may not be sent twice" r.bin 5000 "0 5000"
  done

  case_ "nginx drops a request"
  attack r.bin "https://127.0.0.1:$tls/gone" 3
  has "errors" "$(errors_of r.bin)" '^(http/2: stream reset by the server|response: connection closed before the response|http/2: connection ended)'

  case_ "what doesn't fit together"
  echo "GET http://127.0.0.1:$clear/" | thrum attack -h2c -http2=false -n=1 >out 2>err
  equal "-h2c with -http2=false: exit" $? 2
  has "-h2c with -http2=false" "$(cat err)" '-h2c asks for HTTP/2 and -http2=false forbids it'
  attack r.bin "http://127.0.0.1:$old/" 3 -h2c
  has "a server that doesn't speak it" "$(errors_of r.bin)" '^http/2: the server does not speak it: '

  case_ "-http2=only"
  attack r.bin "https://127.0.0.1:$tls/" 20 -http2=only
  whole "over TLS" r.bin 20 "0 20"
  attack r.bin "http://127.0.0.1:$clear/" 20 -http2=only
  whole "in clear text" r.bin 20 "0 20"
  attack r.bin "https://127.0.0.1:$old/" 3 -http2=only
  has "a server that doesn't speak it" "$(errors_of r.bin)" '^(http/2: the server does not speak it|tls: )'
  equal "never a silent fall-back" "$(of r.bin '.success')" 0

  if need tinyproxy; then
    port=$(free_port)
    printf 'Port %s\nListen 127.0.0.1\nTimeout 60\nMaxClients 100\nAllow 127.0.0.1\nConnectPort %s\nConnectPort %s\n' "$port" "$tls" "$clear" >tiny.conf
    tinyproxy -d -c tiny.conf >tiny.log 2>&1 &
    started+=($!)
    await_port 127.0.0.1 "$port" || fail "tinyproxy did not start: $(cat tiny.log)"
    case_ tinyproxy
    attack r.bin "https://127.0.0.1:$tls/" 200 -proxy="http://127.0.0.1:$port" -max-connections=2
    whole "https" r.bin 200 "0 200"
    attack r.bin "http://127.0.0.1:$clear/" 200 -h2c -proxy="http://127.0.0.1:$port" -max-connections=2
    whole "-h2c" r.bin 200 "0 200"
  fi
fi

if need caddy; then
  tls=$(free_port) clear=$(free_port)
  cat >Caddyfile <<CONF
{
  admin off
  auto_https off
  storage file_system $work/caddy
  servers {
    protocols h1 h2 h2c
  }
}
https://127.0.0.1:$tls {
  tls $work/cert.pem $work/key.pem
  respond {http.request.proto}
}
http://127.0.0.1:$clear {
  respond {http.request.proto}
}
CONF
  HOME=$work caddy run --config Caddyfile --adapter caddyfile >caddy.log 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$clear" || fail "caddy did not start: $(cat caddy.log)"
  case_ caddy
  attack r.bin "https://127.0.0.1:$tls/" 2000 -max-connections=2 -capture=body
  whole TLS r.bin 2000 "0 2000"
  equal "what caddy says it spoke" "$(bodies_of r.bin)" HTTP/2.0:2000
  attack r.bin "http://127.0.0.1:$clear/" 2000 -h2c -max-connections=2 -capture=body
  whole -h2c r.bin 2000 "0 2000"
  equal "what caddy says it spoke" "$(bodies_of r.bin)" HTTP/2.0:2000
  attack r.bin "http://127.0.0.1:$clear/" 20 -capture=body
  equal "HTTP/1.1 on the same port" "$(bodies_of r.bin)" HTTP/1.1:20
fi

# What is offered in the handshake, by the words of a server that lists it.
case_ "ALPN"
for flags in "" -http2=false; do
  port=$(free_port)
  stdbuf -o0 openssl s_server -accept "127.0.0.1:$port" -cert cert.pem -key key.pem -alpn http/1.1 -www >alpn.log 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$port"
  # shellcheck disable=SC2086
  attack r.bin "https://127.0.0.1:$port/" 1 $flags
  equal "offered with ${flags:-no flag}" "$(grep -m1 -o 'advertised by the client: .*' alpn.log | cut -d' ' -f5-)" "$([ -n "$flags" ] && echo http/1.1 || echo 'h2, http/1.1')"
done

summary
