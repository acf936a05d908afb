#!/usr/bin/env bash
# thrum URL: what a run sends, says and leaves behind, held against what the server saw.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -log=log.jsonl
url=http://127.0.0.1:$(port_in site http)
# Its log is written once a second.
seen() {
  sleep 1.2
  wc -l <log.jsonl
}
thrum schema run >schema.json

# Every report and every error is held against the schema.
validator=
/usr/bin/python3 -c 'import jsonschema' 2>/dev/null && validator=/usr/bin/python3
valid() {
  equal "$1: documents" "$(jq -s length "$2" 2>&1)" 1
  [ -n "$validator" ] || return 0
  if "$validator" -c 'import json,sys,jsonschema
jsonschema.Draft202012Validator(json.load(open("schema.json"))).validate(json.load(open(sys.argv[1])))' "$2" 2>why; then pass; else fail "$1: $(tail -5 why)"; fi
}
if [ -z "$validator" ]; then
  skip "no jsonschema of Python here: reports are held against the schema by the unit tests only"
  [ -z "${THRUM_CI:-}" ] || fail "python3-jsonschema is required"
fi

case_ "nothing but a URL"
out=$(thrum "$url/api/products" 2>err)
equal exit $? 0
empty stderr err
has "what ran" "$(sed -n 1p <<<"$out")" '^GET http://.*/api/products: 100 requests, [0-9]+ at once$'
has "figures" "$(sed -n 2p <<<"$out")" '^(✔ Healthy|▲ Degraded)  100 requests, .*/s, p50 .*, p99 .*, 0 failed, .*$'
has "findings" "$out" '^  ✔ no request failed$'
equal "the server's count" "$(seen)" 100

case_ "everything typed"
before=$(seen)
thrum -z 1s -c 5 -m POST -H 'Content-Type: application/json' -d '{"key":"value"}' -t 2 -u me/1 -json "$url/echo" >out.json 2>err
equal exit $? 0
empty stderr err
valid report out.json
equal "the server's count" "$(($(seen) - before))" "$(jq .summary.total_requests out.json)"
equal method "$(jq -r '[.target.method, .target.concurrency] | @csv' out.json)" '"POST",5'
within "duration" "$(jq .summary.duration_ms out.json)" 950 1500
equal "failed adds up" "$(jq '.summary | .failed_requests == .http_errors + .timeout_errors + .connection_errors and .total_requests == .successful_requests + .failed_requests' out.json)" true
equal "what the server saw last" "$(tail -1 log.jsonl | jq -r '.method + " " + .target')" "POST /echo"
equal "what was typed" "$(jq -c '.settings | [.duration, .concurrency]' out.json)" '[["1s"],["5"]]'

case_ "long names, and a body from a file and from stdin"
printf 'from a file' >body
of_text=$(thrum run --number 3 --concurrency 1 --method PUT --data 'from a file' --json "$url/echo" | jq .summary.data_transfer_bytes)
equal "of a file" "$(thrum run --number 3 --concurrency 1 --method PUT --data @body --json "$url/echo" | jq .summary.data_transfer_bytes)" "$of_text"
equal "of stdin" "$(printf 'from stdin' | thrum run -n 3 -c 1 -m PUT -d @- -json "$url/echo" | jq .summary.data_transfer_bytes)" $((of_text - 3))
thrum -d @nobody "$url/echo" >out 2>err
equal "no such file: exit" $? 1
one_line "no such file" err

case_ "a host without a scheme"
out=$(thrum -n 1 "${url#http://}/" 2>err)
equal exit $? 0
has "is guessed, and said" "$(cat err)" "^thrum run: taking 127.0.0.1:[0-9]+/ for http://127.0.0.1:[0-9]+/$"

case_ "exact counts"
for n in 1 2 7 1000; do
  equal "$n" "$(thrum -n $n -c 1 -json "$url/bytes/1" | jq .summary.total_requests)" $n
done
equal "many at once" "$(thrum -n 5000 -c 64 -json "$url/bytes/1" | jq .summary.total_requests)" 5000

case_ "warm-up counts for nothing"
before=$(seen)
thrum -warmup 300ms -n 50 -c 2 -json "$url/bytes/1" >out.json
valid report out.json
equal "requests" "$(jq .summary.total_requests out.json)" 50
equal "all of it is the server's count" "$(($(seen) - before))" "$(jq '.summary.total_requests + .generator.warmup_requests' out.json)"

case_ "a rate"
thrum -rate 100/s -z 1s -json "$url/bytes/1" >out.json
valid report out.json
equal requests "$(jq .summary.total_requests out.json)" 100
equal asked "$(jq -c '[.generator.rate_per_second, .generator.rate_missed]' out.json)" '[100,0]'
equal "service time beside latency" "$(jq '.summary | .latency.p99_ms >= .service_time.p99_ms and .queued.p99_ms >= 0' out.json)" true

case_ "a rate that -c can't carry"
out=$(thrum -rate 200/s -c 1 -z 1s "$url/delay?ms=20")
equal exit $? 0
has "is a finding" "$out" '▲ the rate was not carried: 200/s were asked for, [0-9]+/s sent, [0-9]+ missed; -c=([5-9]|1[0-9]) would'
has "with what it did to latency" "$out" '▲ requests queued .* at p99 before being sent'
thrum -rate 200/s -c 1 -z 1s -strict-rate "$url/delay?ms=20" >out
equal "-strict-rate: exit" $? 3

case_ "failures by cause"
thrum -n 20 -json "$url/status/503" >out.json 2>err
equal exit $? 0
valid report out.json
equal "codes" "$(jq -c .summary.status_codes out.json)" '{"503":20}'
equal "causes" "$(jq -c '.summary.failures | map([.cause, .count])' out.json)" '[["503 Service Unavailable",20]]'
equal "verdict" "$(jq -c '[.verdict.level, .verdict.findings[0].code]' out.json)" '["failing","all_failed"]'
equal "a redirect that is not followed is no success" "$(thrum -n 3 -redirects=-1 -json "$url/redirect/1" | jq -c '[.summary.failed_requests, .summary.failures[0].cause]')" '[3,"status 302"]'
equal "one that is followed is" "$(thrum -n 3 -json "$url/redirect/2" | jq -c '[.summary.successful_requests, .summary.redirects]')" '[3,6]'
equal "unless that is expected" "$(thrum -n 3 -redirects=-1 -expect-status=302 -json "$url/redirect/1" | jq -c '[.summary.successful_requests, .verdict.findings[0].code]')" '[3,"none_failed"]'
equal "what is expected besides" "$(thrum -n 3 -expect-body=nowhere -json "$url/" | jq -c '[.summary.http_errors, (.summary.failures[0].cause | startswith("expectation: "))]')" '[3,true]'
out=$(thrum -n 3 -t 50ms "$url/delay?ms=400")
has "timeouts" "$out" '✖ timeout: no response headers within 50ms × 3'

case_ "nobody there"
thrum -n 3 -json http://127.0.0.1:1/ >out.json 2>err
equal exit $? 1
valid report out.json
equal "connection errors" "$(jq .summary.connection_errors out.json)" 3
thrum -n 3 -allow-all-failed http://127.0.0.1:1/ >out 2>err
equal "-allow-all-failed: exit" $? 0

case_ "JSON whatever comes"
for wrong in "-bogus $url" "-n 2 -c 5 $url" "ftp://x/" "-json=true -z 0s $url" "-d @nobody $url" "-fail-if nonsense $url" "-root-certs nobody.pem $url"; do
  # shellcheck disable=SC2086
  thrum run -json $wrong >out.json 2>err
  [ $? -gt 0 ] && pass || fail "'$wrong': exit 0"
  one_line "'$wrong'" err
  valid "'$wrong'" out.json
  has "'$wrong'" "$(jq -c .error out.json)" '"code":"(usage|failed)"'
done
thrum -json -z 60s "$url/bytes/1" >out.json 2>err &
run=$!
sleep 0.7
kill -INT $run
wait $run
equal "stopped: exit" $? 0
valid "stopped" out.json
equal "says so" "$(jq -c '[.summary.interrupted, (.verdict.findings | map(.code) | index("stopped_early") != null)]' out.json)" '[true,true]'
thrum -json -n 2 -t 20s "$url/delay?ms=5000" >out.json 2>err &
run=$!
sleep 0.5
kill -TERM $run
sleep 0.2
kill -TERM $run
wait $run
equal "cut: exit" $? 130
valid "cut" out.json
equal "what was cut counts for nothing" "$(jq -c '[.summary.total_requests, .summary.cut]' out.json)" '[0,2]'

case_ "conditions"
thrum -n 20 -fail-if 'p99<1h' -fail-if 'errors>50%' -junit junit.xml -json "$url/bytes/1" >out.json 2>err
equal exit $? 4
valid report out.json
equal "judged" "$(jq -c '.fail_if | map(.passed)' out.json)" '[false,true]'
has "junit" "$(cat junit.xml)" '<testsuite .*failures="1"'
equal "by 2xx" "$(thrum -n 5 -redirects=-1 -fail-if 'success<100%' "$url/redirect/1" >/dev/null 2>&1; echo $?)" 4
thrum -n 20 -fail-if 'url(/bytes/*).p99>1h' "$url/bytes/1" >out 2>err
equal "of URLs, too: exit" $? 0

case_ "ended early by a condition"
thrum -z 60s -c 2 -abort-if 'errors>50% for 500ms' -json "$url/status/503" >out.json 2>err
equal exit $? 4
valid report out.json
one_line "why" err
has "why" "$(cat err)" '^thrum run: ended early: errors>50% for 500ms: 100'
equal "in the report" "$(jq -c '[(.summary.aborted_by | startswith("errors>50% for 500ms: 100")), .summary.interrupted, (.summary.duration_ms < 10000), (.verdict.findings | map(.code) | index("aborted") != null)]' out.json)" '[true,true,true,true]'
thrum -n 300 -c 2 -abort-if 'errors>50% for 500ms' "$url/redirect/1" >out 2>err
equal "not met: exit" $? 0
thrum -z 60s -rate 200/s -redirects=-1 -abort-if 'success<100% for 200ms' "$url/redirect/1" >out 2>err
equal "by 2xx: exit" $? 4
thrum -n 3 -abort-if 'nonsense' "$url/" >out 2>err
equal "nonsense: exit" $? 2
one_line "nonsense" err

case_ "files"
thrum -n 300 -c 3 -output out.json -md out.md -series-csv out.csv -html out.html -record out.bin "$url/bytes/10" >out 2>err
equal exit $? 0
empty stderr err
valid report out.json
has "markdown" "$(cat out.md)" '^\| 300 \| .*/s \|'
has "page" "$(cat out.html)" '<h1>GET http://127.0.0.1:[0-9]+/bytes/10</h1>.*<td>requests</td><td>300</td>'
lacks "needs nothing" "$(cat out.html)" '<script|<link|<img| (src|href)='
has "series" "$(cat out.csv)" '^0,300,'
equal "results" "$(of out.bin .requests)" 300
equal "by the run's own clock and success" "$(thrum encode out.bin | wc -l)" 300
equal "the same p99" "$(of out.bin '.latencies["99th"] / 1000 | round')" "$(jq '.summary.latency.p99_ms * 1000 | round' out.json)"
thrum -n 1 -output body -d @body "$url/echo" >out 2>err
equal "over what it reads: exit" $? 2
thrum -n 1 -output same -md same "$url/echo" >out 2>err
equal "two to one file: exit" $? 2
thrum -n 1 -output out.bin "$url/echo" >out 2>err
equal "over results: exit" $? 2
thrum -n 1 -html out.bin "$url/echo" >out 2>err
equal "a page over results: exit" $? 2
has "a page over results" "$(cat err)" '-html=out.bin holds results'
thrum -n 1 -output /dev/full "$url/echo" >out 2>err
equal "a full disk: exit" $? 1
one_line "a full disk" err

case_ "snapshots while it goes on"
mkdir soak
thrum -z 4s -rate 200/s -warmup 200ms -cpus 2 -snapshot soak/s.json -snapshot-every 1s -json "$url/bytes/10" >out.json 2>err &
run=$!
for _ in $(seq 100); do
  [ -s soak/s.json ] && break
  sleep 0.1
done
cp soak/s.json during.json
wait $run
empty stderr err
valid "during" during.json
valid "at the end" soak/s.json
equal "during" "$(jq -c '[.snapshot.running, .summary.interrupted, (.summary.total_requests > 100), (.summary.total_requests < 800), (.seconds | length > 0)]' during.json)" '[true,false,true,true,true]'
equal "at the end" "$(jq -c '[.snapshot.running, .summary.total_requests]' soak/s.json)" '[false,800]'
equal "but for that the report itself" "$(jq -c 'del(.snapshot)' soak/s.json)" "$(jq -c . out.json)"
equal "nothing else is left" "$(ls soak)" s.json
ln -s soak/s.json link.json
thrum -z 2s -c 2 -snapshot link.json -snapshot-every 500ms -record out.bin "$url/bytes/10" >out 2>err &
run=$!
sleep 1
chmod -w soak 2>/dev/null
wait $run
chmod +w soak
equal "a link stays one" "$(readlink link.json)" soak/s.json
equal "with every result, too" "$(jq .summary.total_requests soak/s.json)" "$(of out.bin .requests)"
thrum -z 1500ms -c 1 -snapshot gone/s.json -snapshot-every 500ms "$url/bytes/10" >out 2>err
equal "no such folder: exit" $? 1
mkdir gone
thrum -z 2s -c 1 -snapshot gone/s.json -snapshot-every 500ms "$url/bytes/10" >out 2>err &
run=$!
sleep 0.2
rmdir gone
wait $run
equal "a folder that goes away ends nothing: exit" $? 0
one_line "but is told once" err
thrum -n 1 -snapshot /dev/null "$url/" >out 2>err
equal "not a plain file: exit" $? 2

case_ "what a server says is only shown"
cat >hostile.py <<'P'
import socket, sys, threading
s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True)
def answer(c):
    while c.recv(65536):
        c.sendall(b"HTTP/1.1 503 \x1b]0;owned\x07<script>\r\nContent-Length: 27\r\n\r\n<script>\x1b]0;x\x07</script>ab")
while True:
    c, _ = s.accept(); threading.Thread(target=answer, args=(c,), daemon=True).start()
P
if need python3; then
  python3 hostile.py >hostile.port &
  started+=($!)
  sleep 1
  out=$(thrum -n 3 -md out.md -html out.html "http://127.0.0.1:$(cat hostile.port)/")
  lacks "no escape reaches the terminal" "$out$(cat out.md out.html)" $'\x1b|\x07'
  lacks "no mark reaches the page" "$(cat out.html)" '<script'
fi

case_ "the schema"
equal "of run" "$(jq -r '."$schema"' schema.json)" https://json-schema.org/draft/2020-12/schema
thrum schema nothing >out 2>err
equal "of nothing: exit" $? 2

case_ "more findings, provoked"
has "keep-alive that doesn't hold" "$(thrum -n 60 -c 2 "$url/close")" '▲ keep-alive doesn.t hold: [0-9]+ connections were opened for 2 requests in flight'
out=$(thrum -n 60 -c 2 -keepalive=false "$url/bytes/1")
lacks "not where it isn't asked for" "$out" "keep-alive doesn.t hold"


case_ "a target that answers less than it is sent"
out=$(thrum -rate 200/s -z 3s "$url/api/report")
has "is no healthy one, however short the run" "$out" '^▲ Degraded  600 requests'
has "is a finding" "$out" '▲ answers fell behind: mean latency grew from [0-9.]+ms .* to [0-9.]+ms in the last; the limit was the target: it answered 1[56][0-9]\.[0-9]+ of the (19|20)[0-9]\.[0-9]+ requests sent per second'
for path in 'api/products' 'delay?ms=100' 'api/report'; do
  codes=$(thrum -rate 100/s -z 2s -json "$url/$path" | jq -c '.verdict.findings | map(.code)')
  lacks "no false alarm at $path" "$codes" fell_behind
done

summary
