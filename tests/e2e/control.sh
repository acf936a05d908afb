#!/usr/bin/env bash
# A run that is changed while it goes on, warms up first, or ends early.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)
echo "GET $url/bytes/16" >ok.txt

# start COMMAND...: in the background; waits for its socket.
start() {
  "$@" >run.out 2>run.err &
  attack=$!
  started+=("$attack")
  local i
  for ((i = 0; i < 100; i++)); do
    thrum control run.sock status >status.out 2>/dev/null && return
    sleep 0.05
  done
  fail "the attack did not make its socket: $(cat run.err)"
}
tells() {
  thrum control run.sock "$@" >out 2>err
}

case_ "the rate is changed"
start thrum attack -targets=ok.txt -rate=20 -duration=3s -control=run.sock -output=c.bin
sleep 0.7
tells rate 200/s
equal exit $? 0
has answer "$(cat out)" '^ok: rate 200/s at [0-9.]+m?s$'
tells status
has status "$(cat out)" 'asked [0-9]+ +sent [0-9]+'
sleep 0.5
tells pause
has answer "$(cat out)" '^ok: pause at'
sleep 0.2
first=$(tells status && cat out)
sleep 0.5
second=$(tells status && cat out)
has "while it is paused" "$second" 'paused$'
equal "nothing is sent" "$(grep -o 'sent [0-9]*' <<<"$second")" "$(grep -o 'sent [0-9]*' <<<"$first")"
tells resume
tells rate '50/s for 300ms, hold 200ms'
wait "$attack"
equal exit $? 0
[ -e run.sock ] && fail "the socket is still there" || pass
equal "its changes" "$(of c.bin '[.runs[0].plan.changes[].kind] | join(" ")')" 'rate pause resume rate'
equal "books" "$(of c.bin '.runs[0].plan.books | .scheduled == .sent + .missed and .sent == .ok + .failed + .cut')" true
out=$(thrum report c.bin)
has "in text" "$out" '^Changes +\[at, what\] +[0-9.]+m?s rate 200/s, [0-9.]+m?s pause, [0-9.]+m?s resume, '
has "a stage of each" "$out" '^rate 200/s +- +[0-9]+ +[0-9.]+'
equal "stages add up" "$(of c.bin '([.stages[].requests] | add) == .requests')" true
within "the second stage's rate" "$(of c.bin '.stages[1].rate')" 150 250

case_ "what can't be said"
start thrum attack -targets=ok.txt -rate=20 -duration=20s -control=run.sock -output=c.bin
for wrong in 'rate' 'rate 5 every' 'rate 0' 'rate poisson 5/s' 'faster' 'pause now'; do
  # shellcheck disable=SC2086
  tells $wrong
  equal "$wrong: exit" $? 1
  one_line "$wrong: stderr" err
  empty "$wrong: stdout" out
done
tells stop
equal exit $? 0
wait "$attack"
equal "the attack's exit" $? 0
tells status
equal "nobody there: exit" $? 1
has "nobody there" "$(cat err)" 'no attack with that -control is running'
thrum control >out 2>err
equal "no words: exit" $? 2
thrum attack -targets=ok.txt -rate=0 -max-workers=2 -n=5 -control=run.sock >out 2>err
equal "a closed loop: exit" $? 2
thrum attack -targets=ok.txt -rate=10 -n=5 -control=no/folder/x -output=x.bin 2>err
equal "no folder: exit" $? 1
one_line "no folder: stderr" err

case_ "warm-up"
thrum attack -targets=ok.txt -rate=100 -duration=1s -warmup=500ms -output=w.bin 2>err
equal exit $? 0
empty stderr err
equal requests "$(of w.bin .requests)" 100
within "sent before" "$(of w.bin .warmup.sent)" 40 50
has "in text" "$(thrum report w.bin)" '^Warm-up +\[length, sent, failed\] +500ms, [0-9]+, 0$'
equal "asked for, they count" "$(thrum report -with-warmup -type=json w.bin | jq '.requests == 100 + .warmup.sent')" true
equal "no new connections after it" "$(of w.bin '.phases.connect')" null
equal "CSV has them not" "$(thrum encode -to=csv w.bin | wc -l)" 100
thrum encode -to=native -output=again.bin w.bin
equal "native has them still" "$(thrum report -with-warmup -type=json again.bin | jq .requests)" "$(thrum report -with-warmup -type=json w.bin | jq .requests)"
thrum attack -targets=ok.txt -rate=100 -duration=500ms -warmup='0..200/s over 500ms' -encoding=csv -output=w.csv
equal "results in CSV" "$(wc -l <w.csv)" 50
thrum attack -targets=ok.txt -rate=0 -max-workers=4 -n=50 -warmup=200ms -output=w.bin
equal "a closed loop" "$(of w.bin .requests)" 50
has "its warm-up" "$(of w.bin .warmup.sent)" '^[1-9]'
for wrong in '-warmup=5/s' '-warmup=-5s' '-rate=0..5/s@-warmup=5s' '-lazy@-warmup=1s' '-warmup=soon'; do
  IFS=@ read -ra flags <<<"$wrong"
  thrum attack -targets=ok.txt -duration=1s "${flags[@]}" -output=x.bin >out 2>err
  equal "$wrong: exit" $? 2
  one_line "$wrong: stderr" err
done

case_ "an early end"
echo "GET $url/status/503" >bad.txt
thrum attack -targets=bad.txt -rate=50 -duration=30s -abort-if='errors>10% for 500ms' -output=a.bin 2>err
equal exit $? 4
has "says why" "$(cat err)" '^thrum attack: ended early: errors>10% for 500ms: 100%$'
within "when" "$(of a.bin '.runs[0].plan.sending / 1e9')" 0.4 10
has "in the report" "$(thrum report a.bin)" '^Changes .* abort errors>10% for 500ms: 100%$'
thrum attack -targets=ok.txt -rate=50 -duration=1500ms -abort-if='errors>10% for 500ms' -output=a.bin 2>err
equal "all well: exit" $? 0
thrum attack -targets=ok.txt -rate=50 -duration=1s -abort-if='missed>3' -output=a.bin 2>err
equal "not of a part: exit" $? 2

case_ "both clocks"
echo "GET $url/delay?ms=20" >slow.txt
thrum attack -targets=slow.txt -rate=100 -duration=1s -max-workers=1 -output=l.bin
thrum attack -targets=slow.txt -rate=100 -duration=1s -max-workers=1 -latency=response -output=r.bin
within "service" "$(of l.bin '.latencies."50th" / 1e6')" 19 60
within "response" "$(thrum report -latency=response -type=json l.bin | jq '.latencies."50th" / 1e6')" 200 5000
equal "as the report says itself" "$(thrum report -latency=response -type=json l.bin | jq '.latencies."50th" == .response."50th" and .clock == "response"')" true
within "the run's own choice" "$(of r.bin '.latencies."50th" / 1e6')" 200 5000
within "unless told otherwise" "$(thrum report -latency=service -type=json r.bin | jq '.latencies."50th" / 1e6')" 19 60
has "in text" "$(thrum report r.bin)" '^Clock +\[of latencies\] +response$'
has "and the other" "$(thrum report r.bin)" '^Service +\[mean'
thrum report -latency=response -fail-if='p50>200ms' l.bin >out 2>err
equal "gates go by it: exit" $? 4
thrum report -fail-if='p50>200ms' l.bin >out 2>err
equal "or not: exit" $? 0
has "late hits" "$(thrum report l.bin)" '^Late +\[requests, share\] +[0-9]+, [0-9.]+%$'
has "peaks" "$(thrum report l.bin)" '^Peaks +\[100 ms, 1 s\] +[0-9.]+, [0-9.]+$'

summary
