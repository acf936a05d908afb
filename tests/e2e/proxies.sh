#!/usr/bin/env bash
# Proxies from Debian: tinyproxy and squid for CONNECT and plain requests, with credentials, dante for SOCKS 5. What is not
# installed is skipped (scripts/setup --servers installs it), unless THRUM_CI is set.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
. "$here/peers.sh"
need jq || { summary; exit; }
serve serve -addr=127.0.0.1:0 -tls=127.0.0.1:0 -cert-out="$work/serve.pem"
plain=$(port_in serve http) tls=$(port_in serve https)

# attack FILE TARGET FLAG...: 20 hits; the results go to FILE
attack() {
  local file=$1 target=$2
  shift 2
  echo "GET $target" | thrum attack -rate=200/s -n=20 -root-certs="$work/serve.pem" -output="$file" "$@" 2>err
}
errors_of() { of "$1" '.errors | join("; ")'; }

# both NAME PROXY FLAG...: plain and TLS targets through it, which is told in the report
both() {
  local name=$1 proxy=$2
  shift 2
  attack p.bin "http://127.0.0.1:$plain/bytes/16" -proxy="$proxy" "$@"
  equal "$name, http: success" "$(of p.bin .success) $(errors_of p.bin)" '1 '
  has "$name: report" "$(thrum report p.bin)" "^Proxies +\[URL\] +${proxy%%://*}://.*:${proxy##*:}"
  attack p.bin "https://127.0.0.1:$tls/bytes/16" -proxy="$proxy" "$@"
  equal "$name, https: success" "$(of p.bin .success) $(errors_of p.bin)" '1 '
  attack p.bin "https://127.0.0.1:$tls/bytes/16" -proxy="$proxy" -keepalive=false "$@"
  equal "$name, a tunnel for each request: success" "$(of p.bin .success) $(errors_of p.bin)" '1 '
}

if need tinyproxy; then
  port=$(free_port)
  printf 'Port %s\nListen 127.0.0.1\nTimeout 60\nMaxClients 100\nAllow 127.0.0.1\nConnectPort %s\nBasicAuth me secret\n' "$port" "$tls" >tiny.conf
  tinyproxy -d -c tiny.conf >tiny.log 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$port" || fail "tinyproxy did not start: $(cat tiny.log)"

  case_ tinyproxy
  both "with credentials" "http://me:secret@127.0.0.1:$port"
  lacks "the password in the results" "$(strings -a p.bin; thrum report p.bin; thrum report -type=json p.bin)" secret
  attack p.bin "https://127.0.0.1:$tls/" -proxy="http://127.0.0.1:$port"
  has "without credentials" "$(errors_of p.bin)" '^proxy: 40[17] '
  equal "its outcome" "$(thrum encode -to json p.bin | jq -r .outcome | sort -u)" proxy
  attack p.bin "https://127.0.0.1:$plain/" -proxy="http://me:secret@127.0.0.1:$port"
  has "a port that it does not connect to" "$(errors_of p.bin)" '^proxy: 403 Forbidden'
  attack p.bin "https://127.0.0.1:$tls/" -proxy="http://127.0.0.1:$port" -proxy-header="Proxy-Authorization: Basic $(printf me:secret | base64)"
  equal "-proxy-header: success" "$(of p.bin .success)" 1

  case_ "the environment"
  # The loopback target is left alone, another name for it is not.
  HTTP_PROXY=http://me:secret@127.0.0.1:$port attack p.bin "http://127.0.0.1:$plain/bytes/16"
  equal "loopback" "$(of p.bin '.runs[0].plan.proxies // "none"')" none
  if getent hosts "$(hostname)" >/dev/null; then
    HTTP_PROXY=http://me:secret@127.0.0.1:$port attack p.bin "http://$(hostname):$plain/"
    has "a name" "$(of p.bin '.runs[0].plan.proxies')" "http://me:\*\*\*@127.0.0.1:$port"
    HTTP_PROXY=http://me:secret@127.0.0.1:$port NO_PROXY=$(hostname) attack p.bin "http://$(hostname):$plain/"
    equal "NO_PROXY" "$(of p.bin '.runs[0].plan.proxies // "none"')" none
    all_proxy=http://me:secret@127.0.0.1:$port attack p.bin "http://$(hostname):$plain/" -proxy=none
    equal "-proxy=none" "$(of p.bin '.runs[0].plan.proxies // "none"')" none
  fi
fi

if need squid; then
  port=$(free_port)
  cat >squid.conf <<CONF
http_port 127.0.0.1:$port
pid_filename none
access_log none
cache_log $work/squid.log
cache deny all
http_access allow all
coredump_dir $work
shutdown_lifetime 0 seconds
CONF
  chmod 755 "$work" && touch squid.log && chmod 666 squid.log
  squid -N -f "$work/squid.conf" >squid.out 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$port" || fail "squid did not start: $(cat squid.out squid.log)"
  case_ squid
  both squid "http://127.0.0.1:$port"
  attack p.bin "https://127.0.0.1:$(free_port)/" -proxy="http://127.0.0.1:$port"
  has "a target that is down" "$(errors_of p.bin)" '^proxy: 50[0-9] '
fi

if need danted; then
  port=$(free_port)
  cat >dante.conf <<CONF
logoutput: $work/dante.log
internal: 127.0.0.1 port = $port
external: lo
socksmethod: none
clientmethod: none
user.privileged: $(id -un)
user.unprivileged: $(id -un)
client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
socks block { from: 127.0.0.0/8 to: 127.0.0.3/32 }
socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }
CONF
  danted -f "$work/dante.conf" -p "$work/dante.pid" >dante.out 2>&1 &
  started+=($!)
  await_port 127.0.0.1 "$port" || fail "dante did not start: $(cat dante.out dante.log)"
  case_ dante
  both socks5 "socks5://127.0.0.1:$port"
  both socks5h "socks5h://127.0.0.1:$port"
  attack p.bin "http://localhost:$plain/bytes/16" -proxy="socks5h://127.0.0.1:$port"
  equal "a name that the proxy looks up: success" "$(of p.bin .success)" 1
  attack p.bin "http://127.0.0.3:$plain/" -proxy="socks5://127.0.0.1:$port"
  has "what its rules forbid" "$(errors_of p.bin)" "^proxy: not allowed by the SOCKS server's rules"
  attack p.bin "http://127.0.0.1:$(free_port)/" -proxy="socks5://127.0.0.1:$port"
  has "a target that is down" "$(errors_of p.bin)" "^proxy: the target refused the SOCKS server's connection"
  attack p.bin "http://no.such.name.invalid/" -proxy="socks5://127.0.0.1:$port"
  has "a name that we don't find" "$(errors_of p.bin)" '^dns: '
fi

case_ "no proxy at all"
attack p.bin "http://127.0.0.1:$plain/bytes/16" -proxy-header="A: b"
equal "success" "$(of p.bin .success)" 1
has "stderr" "$(cat err)" '^thrum attack: -proxy-header changes nothing: there is no proxy'
case_ "no proxy there"
attack p.bin "http://shop.test/" -proxy="http://127.0.0.1:$(free_port)"
equal errors "$(errors_of p.bin)" 'proxy: connect: connection refused'
case_ "a server that is no proxy"
attack p.bin "https://shop.test/" -proxy="socks5://127.0.0.1:$plain" -timeout=2s
has "errors" "$(errors_of p.bin)" '^(dns|proxy|timeout): '
attack p.bin "https://shop.test/" -proxy="socks5h://127.0.0.1:$plain" -timeout=2s
has "errors" "$(errors_of p.bin)" '^(proxy: the answer is not SOCKS 5|timeout: proxy did not answer)'

summary
