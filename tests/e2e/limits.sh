#!/usr/bin/env bash
# Whose limit it was: runs that are throttled on purpose in one way each (a cap of thrum's own, CPU, a slow target, a lossy link, a
# narrow one), and one that is not; what an attack says before it begins; thrum doctor. What needs more rights than there are is skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
need jq || { summary; exit; }
serve fast -addr 127.0.0.1:0
port=$(port_in fast http)
url=http://127.0.0.1:$port
serve slow -addr 127.0.0.1:0 -workers 2 -work 50ms # 40 answers a second
slow=http://127.0.0.1:$(port_in slow http)
# What else this machine does is not to be what is found: thrum goes first, where it may, unless a case is about just that.
FIRST='chrt -f 1'
$FIRST true 2>/dev/null || FIRST=
export FIRST
[ -z "$FIRST" ] || for pid in "${started[@]}"; do chrt -f -p 1 "$pid"; done
thrum() { $FIRST "$bin/thrum" "$@"; }

# attack FILE URL FLAG...: the results go to FILE
attack() {
  local file=$1 target=$2
  shift 2
  echo "GET $target" | thrum attack -output="$file" "$@" 2>err
}
# named FILE WHOSE PATTERN: the report of FILE, in text and in JSON, names this limit
named() {
  equal "whose limit" "$(of "$1" .limited_by)" "$2"
  has "in JSON" "$(of "$1" .limit)" "$3"
  has "in text" "$(thrum report "$1" | grep '^Limit ')" "$3"
}
# unlimited COMMAND...: a run that names no limit. On a machine that others use a few tries may be late through their doing.
unlimited() {
  local try
  for try in 1 2 3 4 5; do
    "$@"
    [ "$(of fine.bin .limited_by)" = null ] && break
    echo "try $try: $(of fine.bin .limit)" >>tries
  done
  equal "whose limit" "$(of fine.bin .limited_by)" null
  [ "$(of fine.bin .limited_by)" = null ] || cat tries
  lacks "in text" "$(thrum report fine.bin)" '^Limit '
}

case_ "nothing wrong"
unlimited attack fine.bin "$url/" -rate=50 -duration=2s
empty "nothing is foretold: stderr" err
has "bytes both ways" "$(thrum report fine.bin)" '^Network +\[in/s, out/s, sent again, rtt\] +[0-9.]+KB, [0-9.]+KB, [0-9.]+%, [0-9]'
equal "bytes in" "$(of fine.bin '.runs[0].plan.traffic | .bytes_in > .bytes_out and .connections >= 1')" true

case_ "a cap on workers"
attack r.bin "$url/delay?ms=500" -rate=200/s -duration=3s -max-workers=2 -strict-rate
equal "exit" $? 3
named r.bin thrum '-max-workers \(2\); about 100 would have been enough'
within sent "$(of r.bin .sent)" 10 14
equal "the books" "$(of r.bin '.sent + .missed')" 600
one_line "the warning" err
has "the warning" "$(cat err)" 'sent 1[0-4] of 600: -max-workers \(2\)'
attack r.bin "$url/delay?ms=100" -rate=50/s -duration=3s -max-workers=1
named r.bin thrum '-max-workers \(1\)'
within "service p99 (ms)" "$(of r.bin '.service["99th"] / 1e6')" 100 200
within "response p99 (ms)" "$(of r.bin '.response["99th"] / 1e6')" 1000 4000

case_ "a cap on connections"
attack r.bin "$url/delay?ms=2000" -rate=5/s -duration=4s -max-connections=1
named r.bin thrum '-max-connections \(1\); about 10 would have been enough'

case_ "a slow target"
attack r.bin "$slow/api/report" -rate=100 -duration=3s
named r.bin target 'the target: it answered (3[0-9]|4[0-3])\.[0-9]+ of the (9[0-9]|100)\.[0-9]+ requests sent per second'
has "it falls behind" "$(of r.bin '.runs[0].verdict')" '^fell behind: '

case_ "a slow target, answers not waited for"
attack r.bin "$slow/api/report" -rate=100 -duration=2s -timeout=300ms
named r.bin target 'the target: '

case_ "in a pipe"
out=$(echo "GET $slow/api/report" | thrum attack -rate=100 -duration=2s | thrum report)
has "the target" "$out" '^Limit .* the target: it answered '
out=$(echo "GET $url/delay?ms=500" | thrum attack -rate=100 -duration=1s -max-workers=2 2>err | thrum report -type=json | jq -r .limited_by)
equal "whose limit" "$out" thrum

case_ "CPU that another program has"
core=$(taskset -cp $$ | sed 's/.*: //; s/.*[-,]//')
taskset -c "$core" sh -c 'while :; do :; done' &
started+=($!)
spinning=$!
echo "GET $url/" | nice -n $((19 - $(nice))) taskset -c "$core" thrum attack -rate=1000 -duration=3s -output=r.bin 2>err
kill "$spinning"
named r.bin thrum 'thrum: CPU: (other programs had it|the host of this virtual machine)'

# A control group of its own that may use so many microseconds of CPU in each 100 ms; its path in $group.
group=
make_group() {
  local root name=thrum-limits-$$
  for root in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct; do
    mkdir "$root/$name" 2>/dev/null || continue
    group=$root/$name
    if [ -w "$group/cpu.max" ]; then
      echo "$1 100000" >"$group/cpu.max" && return
    elif [ -w "$group/cpu.cfs_quota_us" ]; then
      echo 100000 >"$group/cpu.cfs_period_us" && echo "$1" >"$group/cpu.cfs_quota_us" && return
    fi
    rmdir "$group"
  done
  return 1
}

case_ "CPU that a quota takes"
if make_group 5000 2>/dev/null; then
  # in_group COMMAND...
  in_group() { (echo "$BASHPID" >"$group/cgroup.procs" && exec "$@"); }
  echo "GET $url/" | in_group thrum attack -rate=3000 -duration=3s -output=r.bin 2>err
  has "before" "$(cat err)" 'the control group may use 0\.05 cores'
  named r.bin thrum 'thrum: CPU: the quota of its control group \(0\.05 cores\) stopped it for [0-9.]+m?s in [0-9]+ of [0-9]+ periods'
  has "the machine" "$(thrum report r.bin)" '^Machine +\[stopped, stolen, overflows\] +[0-9.]+m?s, '
  has "doctor" "$(in_group thrum doctor)" '^warning +quota +the control group may use 0\.05 cores'
  sleep 0.2
  rmdir "$group" 2>/dev/null
else
  skip "no control group of its own can be made here"
fi

# Networks of their own. `link` makes one with a target at the other end of a link, on which `lossy` and `narrow` act.
cat >link.sh <<'TEXT'
set -u
ip link set lo up
unshare -n sleep 100 &
far=$!
trap 'kill $far $server 2>/dev/null' EXIT
there() { nsenter -t $far -n "$@"; }
server=
sleep 0.2
ip link add near type veth peer name far netns $far && ip addr add 10.9.0.1/24 dev near && ip link set near up || exit 9
there ip addr add 10.9.0.2/24 dev far && there ip link set far up && there ip link set lo up || exit 9
: >far.out
nsenter -t $far -n thrum serve -addr 10.9.0.2:80 >far.out 2>&1 &
server=$!
[ -z "$FIRST" ] || chrt -f -p 1 $server
for i in $(seq 100); do grep -q attack far.out && break; sleep 0.1; done
lossy() {
  tc qdisc add dev near root netem loss "$1%" 2>/dev/null && return
  nft add table inet loss && nft "add chain inet loss in { type filter hook input priority 0; }" &&
    nft "add rule inet loss in meta l4proto tcp numgen random mod 100 < $1 drop"
}
narrow() { there tc qdisc add dev far root tbf rate "$1" burst 20kb limit 3mb; }
thrum() { $FIRST "$(type -P thrum)" "$@"; }
. "./$1"
TEXT
echo 'exit 0' >try.sh
apart=(unshare -n)
[ "$(id -u)" = 0 ] || apart=(unshare -rn)
case_ "a link between networks"
if ! "${apart[@]}" true 2>/dev/null; then
  skip "this machine lets nobody make a network of its own"
elif need ip && need tc && need nft && ! "${apart[@]}" bash link.sh try.sh 2>err; then
  skip "no link between networks can be made here: $(head -1 err)"
elif [ -z "$(type -P ip)" ] || [ -z "$(type -P nft)" ]; then
  : # said above
else
  case_ "a link that loses nothing"
  echo 'echo "GET http://10.9.0.2/" | thrum attack -rate=100 -duration=2s -output=fine.bin' >run.sh
  unlimited "${apart[@]}" bash link.sh run.sh

  case_ "a lossy link"
  cat >run.sh <<'TEXT'
lossy 5 || exit 9
echo "GET http://10.9.0.2/" | thrum attack -rate=200 -duration=4s -output=r.bin
echo "GET http://10.9.0.2/" | thrum attack -rate=250 -duration=4s -keepalive=false -output=short.bin
TEXT
  "${apart[@]}" bash link.sh run.sh >err 2>&1
  equal exit $? 0
  named r.bin network 'the network: [0-9.]+ % of the segments sent had to be sent again \([0-9]+ of [0-9]+\)'
  within "sent again" "$(of r.bin '.runs[0].plan.traffic | 100 * .retransmitted / .segments_out')" 2 25
  named short.bin network 'the network: '

  case_ "a narrow link"
  cat >run.sh <<'TEXT'
narrow 4mbit || exit 9
echo "GET http://10.9.0.2/bytes/10000" | thrum attack -rate=100 -duration=4s -output=r.bin
TEXT
  if "${apart[@]}" bash link.sh run.sh >err 2>&1; then
    named r.bin network 'the network: (requests or answers queued on their way: a round trip took|[0-9.]+ % of the segments)'
    has "it fell behind, but not the target" "$(thrum report r.bin)" '^Behind +\[reason\] +mean latency grew'
  else
    skip "a link can't be made narrow here: $(head -1 err)"
  fi

  case_ "local ports, before and after"
  cat >run.sh <<'TEXT'
echo "40000 40031" >/proc/sys/net/ipv4/ip_local_port_range || exit 9
"$(type -P thrum)" serve -addr 127.0.0.1:80 >near.out 2>&1 &
near=$!
for i in $(seq 100); do grep -q attack near.out && break; sleep 0.1; done
echo "GET http://127.0.0.1/" | thrum attack -rate=100 -duration=1s -keepalive=false -output=ports.bin 2>ports.err
echo "GET http://127.0.0.1/" | thrum attack -rate=20 -duration=1s -keepalive=false -output=few.bin 2>few.err
echo "GET http://10.9.0.2/" | thrum attack -rate=20 -duration=5s -keepalive=false -output=few.bin 2>far.err
thrum doctor -rate=100 -keepalive=false http://127.0.0.1/ >doctor.out
echo $? >doctor.exit
kill $near
TEXT
  "${apart[@]}" bash link.sh run.sh >err 2>&1
  one_line "100/s" ports.err
  has "100/s, with the number" "$(cat ports.err)" '^thrum attack: -keepalive=false at 100/s takes .* rests for (1|60) s: this machine.s 32 ports can be used up in 0s; keep connections, '
  has "further away they rest for a minute" "$(cat far.err)" 'at 20/s .* rests for 60 s: this machine.s 32 ports can be used up in 2s'
  [ "$(cat /proc/sys/net/ipv4/tcp_tw_reuse)" = 0 ] || empty "20/s over loopback, where they rest for a second" few.err
  equal "doctor: exit" "$(cat doctor.exit)" 3
  has "doctor" "$(cat doctor.out)" '^warning +ports +-keepalive=false at 100/s '
fi

case_ "open files, before"
(ulimit -n 64 && echo "GET $url/" | thrum attack -rate=0 -max-workers=500 -n 600 -output=r.bin 2>err)
one_line "500 connections" err
has "500 connections, with the number" "$(cat err)" '^thrum attack: 500 connections at once need 532 open files, and this process may have 64; ulimit -n 532'
(ulimit -n 64 && echo "GET $url/" | thrum attack -rate=10 -max-workers=500 -n 5 -timeout=1s -output=r.bin 2>err)
empty "as many can't be in flight: stderr" err

case_ "doctor"
"$bin/thrum" doctor "$url/" >out 2>err
code=$?
empty stderr err
has "exit" "$code" '^[03]$'
equal "as many warnings as that says" "$(grep -c '^warning ' out | sed 's/^[1-9].*/3/')" "$code"
equal "what is looked at" "$(awk '$1 != "cure:" { print $2 }' out | paste -sd ' ')" \
  'descriptors ports backlog cores quota memory congestion governor clock timers io_uring steal'
has "who listens" "$(cat out)" "^(ok|note) +backlog +[0-9]+ connections wait to be accepted on port $port, [0-9]+ may"
has "the target is here" "$(cat out)" '^(note|warning) +cores .* which the target on this machine shares$'
has "the timers" "$(cat out)" '^(ok|note|warning) +timers +sleeps end [0-9.]+[mµn]?s late'
thrum doctor -json -connections=100 -rate='10..500/s over 1m' >out 2>err
equal "JSON" "$(jq -r '[.findings[] | select(.level and .check and (.says | length > 0) and has("cure") and has("value"))] | length' out)" 12
equal "the worst" "$(jq -r '.worst as $w | [.findings[].level] | index($w) != null' out)" true
thrum doctor -connections=10000000000 >out
equal "too much: exit" $? 3
has "too much" "$(cat out)" '^warning +descriptors +10000000000 connections at once need 10000000032 open files'
free=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
thrum doctor "http://localhost:$free/" >out
equal "nobody there: exit" $? 3
has "nobody there" "$(cat out)" "^warning +backlog +nobody listens on port $free"
thrum doctor nowhere >out 2>err
equal "no URL: exit" $? 2
one_line "no URL" err
thrum doctor http://a/ http://b/ >out 2>err
equal "two URLs: exit" $? 2
one_line "two URLs" err

summary
