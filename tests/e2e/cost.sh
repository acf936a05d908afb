#!/usr/bin/env bash
# What a request costs where the figure is steady on any machine: instructions in user space (callgrind) and system calls (strace). Each is
# the difference of a long and a short run, so that starting up is left out. A figure beyond its bound is a loss to be explained or undone; one far
# below it is a bound to be lowered.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -tls=127.0.0.1:0 -cert-out=cert.pem
plain=http://127.0.0.1:$(port_in site http)/bytes/16
tls=https://127.0.0.1:$(port_in site https)/bytes/16
allowed=$(thrum doctor -json | jq -r '.findings[] | select(.check == "io_uring") | .level')
# attack N URL [flag...]: a closed loop of 16 connections
attack() {
  local n=$1 url=$2
  shift 2
  "${under[@]}" thrum attack -targets=<(echo "GET $url") -rate=0 -max-workers=16 -n="$n" -cpus=1 -output=r.bin "$@"
}
# instructions URL [flag...]: of a request, in user space
instructions() {
  local n all=()
  for n in 1000 4000; do
    under=(valgrind --tool=callgrind --callgrind-out-file=/dev/null)
    attack "$n" "$@" 2>err >/dev/null
    all+=("$(awk '/Collected/ { print $4 }' err)")
  done
  echo $(((all[1] - all[0]) / 3000))
}
# calls URL [flag...]: of a request, in hundredths
calls() {
  local n all=()
  for n in 2000 12000; do
    under=(strace -f -c -o calls.txt)
    attack "$n" "$@" >/dev/null 2>err
    all+=("$(awk '$NF == "total" { print $4 }' calls.txt)")
  done
  echo $(((all[1] - all[0]) / 100))
}
at_most() {
  echo "$name, $1: $2 of $3"
  within "$1" "$2" 1 "$3"
}

# The bounds are what a developer's build was seen to take, and a tenth more: that is what is tested. Valgrind has no epoll_pwait2, so the way
# without it is what is counted.
case_ "instructions"
if need valgrind; then
  at_most "plain" "$(instructions "$plain" -io=epoll)" 5300
  at_most "TLS" "$(instructions "$tls" -insecure -http2=false -io=epoll)" 22200
fi

# In hundredths: with epoll one to send, one to receive, and what the waiting takes; with io_uring all of a turn in one.
case_ "system calls for 100 requests"
if need strace; then
  at_most "plain, epoll" "$(calls "$plain" -io=epoll)" 235
  at_most "TLS, epoll" "$(calls "$tls" -insecure -http2=false -io=epoll)" 235
  if [ "$allowed" = ok ]; then at_most "plain, io_uring" "$(calls "$plain" -io=uring)" 50; else skip "no io_uring here"; fi
fi

summary
