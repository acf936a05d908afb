#!/usr/bin/env bash
# thrum capacity on targets whose capacity is known. Short trials: how near it comes with its own times is measured by hand.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -log=log.jsonl
url=http://127.0.0.1:$(port_in site http)
quick=(-step=1500ms -confirm=4s)

case_ "a pool of workers: 160/s"
thrum capacity -slo='p99<300ms, success>99.9%' "${quick[@]}" -json -html=page.html "$url/api/report" >out.json 2>err
equal exit $? 0
empty stderr err
within rate "$(jq .rate out.json)" 145 172
equal "the interval begins with it" "$(jq '.interval[0] == .rate and .interval[1] > .rate' out.json)" true
equal "the last two steps confirm it" "$(jq -c '[.steps[-2:][] | .held and .confirmation]' out.json)" '[true,true]'
equal "confirmed at the rate" "$(jq '[.steps[-2:][].rate] | unique == [.[0]]' out.json)" true
equal "books: what was sent came" "$(jq '[.steps[].sent] | add' out.json | awk -v log_lines="$(wc -l <log.jsonl)" '{ print ($1 > 0 && $1 <= log_lines + 300) }')" 1
has "the page" "$(cat page.html)" '<svg .*</svg>'
lacks "needs nothing else" "$(cat page.html)" '(src|href)='

case_ "as text, to the highest rate allowed"
out=$(thrum capacity -slo='success>99%' -most=100/s -step=1s -confirm=1s "$url/bytes/16")
equal exit $? 0
has "at least" "$out" '^Capacity +at least 100/s \(no higher rate was to be tried\)$'
has "a table" "$out" '^Rate +Time +Sent +Success +50 +99 +Max +In flight +Growth +Verdict$'
equal "confirmed twice" "$(grep -c 'confirmed$' <<<"$out")" 2

case_ "targets from a file, connections kept"
printf 'GET %s/bytes/16\n\nGET %s/api/products\n' "$url" "$url" >two.txt
thrum capacity -slo='p99<5s' -targets=two.txt -most=60/s -step=1s -confirm=1s -json >out.json 2>err
equal exit $? 0
equal rate "$(jq .rate out.json)" 60

case_ "nothing holds"
thrum capacity -slo='success>99%' -step=500ms "$url/status/503" >out 2>err
equal exit $? 4
has "says so" "$(cat out)" '^Capacity +none: the target failed at 0\.[0-9]+/s, too$'

case_ "mistakes"
for wrong in '' '-slo=p99' '-slo=missed>0' '-slo=url(/a).p99<1s' '-slo=p99<1s@-from=0' '-slo=p99<1s@-from=100@-most=50' '-slo=p99<1s@-step=1ms' '-slo=p99<1s@-rate=5'; do
  IFS=@ read -ra flags <<<"$wrong"
  thrum capacity "${flags[@]}" "$url/" >out 2>err
  equal "'$wrong': exit" $? 2
  one_line "'$wrong': stderr" err
  empty "'$wrong': stdout" out
done
thrum capacity -slo='p99<1s' "$url/" "$url/" >out 2>err
equal "two URLs: exit" $? 2
thrum capacity -slo='p99<1s' http://127.0.0.1:1/ -step=500ms >out 2>err
equal "nobody there: exit" $? 4

case_ "stopped"
thrum capacity -slo='p99<1s' "$url/bytes/16" -json >out.json 2>err &
search=$!
sleep 1
kill -INT $search
wait $search
equal exit $? 130
equal "says so" "$(jq -c '[.rate, .stopped]' out.json)" '[null,true]'

summary
