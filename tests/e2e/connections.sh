#!/usr/bin/env bash
# Where connections go, against servers from Debian: nginx over a unix socket and on several addresses, IPv6's loopback, names
# from dnsmasq. What is not installed is skipped (scripts/setup --servers installs it), unless THRUM_CI is set.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
. "$here/peers.sh"
need jq || { summary; exit; }
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 \
  -subj /CN=shop.test -addext subjectAltName=DNS:shop.test >/dev/null 2>&1

# attack FILE TARGET FLAG...: 20 hits; the results go to FILE
attack() {
  local file=$1 target=$2
  shift 2
  echo "GET $target" | thrum attack -rate=200/s -n=20 -output="$file" "$@" 2>err
}
errors_of() { of "$1" '.errors | join("; ")'; }
servers_of() { thrum encode -to json "$1" | jq -r '.body // "" | @base64d' | sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd ' '; }

if need nginx; then
  port=$(free_port)
  nginx_with "
    server { listen unix:$work/nginx.sock; listen unix:$work/tls.sock ssl; ssl_certificate $work/cert.pem; ssl_certificate_key $work/key.pem;
             location / { return 200 \$host; } }
    server { listen 127.0.0.1:$port; listen 127.0.0.2:$port; listen 127.0.0.3:$port; listen 127.0.0.4:$port; listen [::1]:$port;
             location / { return 200 \$server_addr; } location /from { return 200 \$remote_addr; } }" 127.0.0.1 "$port"

  case_ "a unix socket"
  attack unix.bin http://no.such.name.invalid/ -unix-socket="$work/nginx.sock" -capture=body
  equal success "$(of unix.bin .success)" 1
  equal "the URL's host" "$(servers_of unix.bin)" no.such.name.invalid:20
  attack unix.bin http://no.such.name.invalid/ -unix-socket="$work/nginx.sock" -dns-ttl=1s
  equal "-dns-ttl has no part in it: stderr" "$(cat err)" 'thrum attack: -dns-ttl changes nothing: with -unix-socket no name is looked up'
  attack unix.bin https://shop.test/ -unix-socket="$work/tls.sock" -root-certs=cert.pem -keepalive=false
  equal "TLS over it" "$(of unix.bin .success)" 1
  attack unix.bin https://other.test/ -unix-socket="$work/tls.sock" -root-certs=cert.pem
  has "the certificate's name" "$(errors_of unix.bin)" 'certificate is not valid for other.test'
  attack unix.bin http://shop.test/ -unix-socket="$work/none.sock"
  equal "a missing socket" "$(errors_of unix.bin)" "connect: no such file or directory: $work/none.sock"
  if [ "$(id -u)" != 0 ]; then
    mkdir shut && cp -s "$work/nginx.sock" shut/s && chmod 0 shut
    attack unix.bin http://shop.test/ -unix-socket="$work/shut/s"
    equal "no permission" "$(errors_of unix.bin)" "connect: permission denied: $work/shut/s"
    chmod 700 shut
  fi

  case_ "-connect-to"
  attack to.bin http://shop.test/ -capture=body -keepalive=false \
    -connect-to="shop.test:80:127.0.0.2:$port,shop.test:80:[::1]:$port" -connect-to="shop.test:80:127.0.0.4:$port" -cpus=1
  equal "connections by server" "$(servers_of to.bin)" '127.0.0.2:7 127.0.0.4:6 ::1:7'

  case_ "-laddr"
  attack from.bin "http://127.0.0.1:$port/from" -capture=body -keepalive=false -laddr=127.0.0.10-127.0.0.13 -cpus=1
  equal "connections by address" "$(servers_of from.bin)" '127.0.0.10:5 127.0.0.11:5 127.0.0.12:5 127.0.0.13:5'
  echo "GET http://127.0.0.1:$port/" | thrum attack -laddr=192.0.2.1 -n=1 >out 2>err
  equal "somebody else's address: exit" $? 2
  has "somebody else's address" "$(cat err)" '-laddr.*192.0.2.1 is not an address of this machine'

  case_ "IPv6's loopback"
  attack v6.bin "http://[::1]:$port/" -capture=body
  equal server "$(servers_of v6.bin)" ::1:20

  if need dnsmasq; then
    dns=$(free_port)
    dnsmasq --no-daemon --conf-file=/dev/null --no-resolv --no-hosts --user="$(id -un)" --pid-file= --listen-address=127.0.0.1 \
      --bind-interfaces --port="$dns" --local-ttl=1 --log-queries --log-facility="$work/dns.log" --address=/test/ \
      --host-record=many.test,127.0.0.1 --host-record=many.test,127.0.0.2 --host-record=many.test,127.0.0.3 --host-record=many.test,127.0.0.4 \
      --host-record=one.test,127.0.0.1 2>dnsmasq.err &
    started+=($!)
    await "grep -q started $work/dns.log" || fail "dnsmasq did not start: $(cat dnsmasq.err)"

    case_ "names with several addresses"
    attack many.bin "http://many.test:$port/" -resolvers="127.0.0.1:$dns" -capture=body -keepalive=false -cpus=1
    equal "connections by address" "$(servers_of many.bin)" '127.0.0.1:5 127.0.0.2:5 127.0.0.3:5 127.0.0.4:5'
    has "the report" "$(thrum report many.bin)" '^Addresses +\[address:connections\] +127.0.0..:5  127.0.0..:5  127.0.0..:5  127.0.0..:5'
    has "phases" "$(thrum report many.bin)" '^Connect +20 '

    case_ "-dns-ttl"
    # asked TTL: how often the name is asked for in a second of one connection per hit
    asked() {
      : >dns.log
      echo "GET http://one.test:$port/" | thrum attack -rate=20/s -duration=1s -keepalive=false -cpus=1 -resolvers="127.0.0.1:$dns" "$@" -output=ttl.bin
      grep -c 'query\[A\] one.test ' dns.log
    }
    equal "for the whole attack" "$(asked -dns-ttl=0)" 1
    within "for 300ms" "$(asked -dns-ttl=300ms)" 3 4
    equal never "$(asked -dns-ttl=-1)" 20

    case_ "names that fail"
    attack no.bin "http://missing.test:$port/" -resolvers="127.0.0.1:$dns"
    equal "no such name" "$(errors_of no.bin)" 'dns: no such host: missing.test'
    attack no.bin "http://one.test:$port/" -resolvers="127.0.0.1:$(free_port)"
    has "nobody answers" "$(errors_of no.bin)" '^dns: (no name server answers, looking|timed out looking) up one.test$'
    attack no.bin "http://one.test:$port/" -resolvers="127.0.0.1:$(free_port),127.0.0.1:$dns"
    equal "the second answers" "$(of no.bin .success)" 1
  fi
fi

summary
