#!/usr/bin/env bash
# How the kernel serves connections: -io, and what auto makes of it.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -tls=127.0.0.1:0 -cert-out=cert.pem
plain=http://127.0.0.1:$(port_in site http)
tls=https://127.0.0.1:$(port_in site https)
allowed=$(thrum doctor -json | jq -r '.findings[] | select(.check == "io_uring") | .level')

# used URL [flag...]: by what its connections were served
used() {
  local url=$1
  shift
  thrum attack -targets=<(echo "GET $url") -rate=500 -n=20 -output=r.bin "$@" 2>err || cat err
  equal "all answered: $*" "$(of r.bin .success)" 1
  of r.bin '.. | .io? // empty' | head -1
}

case_ "-io=epoll"
equal used "$(used "$plain/bytes/16" -io=epoll | tail -1)" epoll

case_ "-io=auto"
if [ "$allowed" = ok ]; then ring=uring; else ring=epoll; fi
equal "plain" "$(used "$plain/bytes/16" | tail -1)" "$ring"
equal "plain, large" "$(used "$plain/bytes/200000" -io=auto | tail -1)" "$ring"
equal "TLS, HTTP/1.1" "$(used "$tls/bytes/16" -insecure -http2=false | tail -1)" "$ring"
equal "TLS, perhaps HTTP/2" "$(used "$tls/bytes/16" -insecure | tail -1)" epoll
equal "a connection each" "$(used "$plain/bytes/16" -keepalive=false | tail -1)" epoll

case_ "-io=uring"
if [ "$allowed" = ok ]; then
  equal plain "$(used "$plain/bytes/16" -io=uring | tail -1)" uring
  equal TLS "$(used "$tls/bytes/16" -insecure -io=uring | tail -1)" uring
  equal "large" "$(used "$plain/bytes/200000" -io=uring | tail -1)" uring
else
  thrum attack -targets=<(echo "GET $plain/") -rate=500 -n=1 -io=uring >/dev/null 2>err
  equal exit $? 1
  one_line refusal err
  has refusal "$(cat err)" 'io_uring: .*; -io=epoll goes without it$'
fi

case_ "a mistake"
thrum attack -targets=<(echo "GET $plain/") -rate=500 -n=1 -io=kqueue >/dev/null 2>err
equal exit $? 2
has mistake "$(cat err)" '-io: "kqueue" is none of auto, epoll, uring'

summary
