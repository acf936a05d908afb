#!/usr/bin/env bash
# The metrics page (-prometheus-addr): scraped while an attack runs and after it, and held against the attack's own books.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)

# page ERR: the page's URL, once the attack has said it.
page() {
  local i
  for ((i = 0; i < 100; i++)); do
    grep -qs 'metrics' "$1" && break
    sleep 0.1
  done
  grep -o 'http://[^; ]*/metrics' "$1" | head -1
}
# metric PAGE NAME-AND-LABELS
metric() { awk -v name="$2" '{ n = $0; sub(/ [^ ]*$/, "", n); if (n == name) print $NF }' <<<"$1"; }
# await PAGE PATTERN: the page once a line of it matches.
await() {
  local i text
  for ((i = 0; i < 100; i++)); do
    text=$(curl -s "$1")
    grep -Eq "$2" <<<"$text" && break
    sleep 0.1
  done
  echo "$text"
}

case_ "during and after a run"
printf 'GET %s/status/404\n\nGET %s/bytes/3?x=1\n' "$url" "$url" >targets.txt
thrum attack -targets=targets.txt -rate=100 -n=200 -output=run.bin -prometheus-addr=:0 -prometheus-linger=60s 2>run.err &
attack=$!
started+=("$attack")
at=$(page run.err)
has "what is said" "$(cat run.err)" '^thrum attack: metrics for this machine only on http://127\.0\.0\.1:[0-9]+/metrics; for others: -prometheus-addr=0\.0\.0\.0:0$'
during=$(await "$at" '^thrum_sent_total [1-9]')
equal "running" "$(metric "$during" thrum_attack_running)" 1
after=$(await "$at" '^thrum_attack_running 0')
equal "sent" "$(metric "$after" thrum_sent_total)" 200
equal "scheduled" "$(metric "$after" thrum_scheduled_total)" 200
equal "missed" "$(metric "$after" thrum_missed_total)" 0
equal "in flight" "$(metric "$after" thrum_in_flight)" 0
equal "failures" "$(metric "$after" "request_fail_count{message=\"404 Not Found\",method=\"GET\",status=\"404\",url=\"$url/status/404\"}")" 100
equal "answers" "$(metric "$after" "request_seconds_count{method=\"GET\",status=\"200\",url=\"$url/bytes/3\"}")" 100
equal "bytes in" "$(metric "$after" "request_bytes_in{method=\"GET\",status=\"200\",url=\"$url/bytes/3\"}")" 300
equal "lags" "$(metric "$after" thrum_lag_seconds_count)" 200
equal "the results are whole before the page goes" "$(thrum report -type=json run.bin | jq .requests)" 200
equal "vegeta's other paths" "$(curl -s -o /dev/null -w '%{http_code}' "${at%metrics}")" 200
kill -INT "$attack"
wait "$attack"
equal "exit code after Ctrl-C while the page stays" $? 0
one_line "stderr" run.err
equal "the page is gone" "$(curl -s -o /dev/null -w '%{http_code}' "$at")" 000

case_ "of thrum run"
thrum -n 150 -rate 100/s -warmup 300ms -metrics 0 -prometheus-linger=60s -json "$url/status/404" >run.json 2>page.err &
run=$!
started+=("$run")
at=$(page page.err)
has "what is said" "$(cat page.err)" '^thrum run: metrics for this machine only on http://127\.0\.0\.1:[0-9]+/metrics; for others: -metrics=0\.0\.0\.0:0$'
during=$(await "$at" '^thrum_sent_total [1-9]')
equal "running" "$(metric "$during" thrum_attack_running)" 1
after=$(await "$at" '^thrum_attack_running 0')
equal "without the warm-up" "$(metric "$after" thrum_sent_total)" 150
equal "failures" "$(metric "$after" "request_fail_count{message=\"404 Not Found\",method=\"GET\",status=\"404\",url=\"$url/status/404\"}")" 150
equal "the report is whole before the page goes" "$(jq .summary.total_requests run.json)" 150
kill -INT "$run"
wait "$run"
equal "exit code after Ctrl-C while the page stays" $? 0
thrum -n 1 -metrics nonsense "$url/" >out 2>err
equal "no address: exit" $? 2
one_line "no address" err

case_ "a reader of stdout is not kept waiting"
echo "GET $url/bytes/1" >one.txt
mkfifo results
thrum attack -targets=one.txt -n=3 -rate=100 -prometheus-addr=127.0.0.1:0 -prometheus-linger=60s 2>pipe.err >results &
attack=$!
started+=("$attack")
equal "results" "$(timeout 20 thrum report -type=json <results | jq .requests)" 3
if kill -0 "$attack" 2>/dev/null; then pass; else fail "the attack does not linger"; fi
kill "$attack"
wait "$attack"
equal "exit code" $? 0

case_ "without -prometheus-linger it ends at once"
start=$SECONDS
thrum attack -targets=one.txt -n=1 -output=one.bin -prometheus-addr=127.0.0.1:0 2>one.err
equal "exit code" $? 0
within "seconds" $((SECONDS - start)) 0 5

case_ "an address in use"
thrum attack -targets=one.txt -n=1 -output=none.bin "-metrics=${url#http://}" 2>used.err
equal "exit code" $? 1
one_line "stderr" used.err
has "stderr" "$(cat used.err)" 'Address already in use; something listens there already: stop it, or give another port \(-prometheus-addr'
if [ -e none.bin ]; then fail "an output was begun"; else pass; fi

case_ "what makes no sense"
for line in "-prometheus-addr=88800" "-prometheus-addr=somewhere:80" "-prometheus-linger=5s"; do
  thrum attack -targets=one.txt -n=1 -output=none.bin "$line" 2>wrong.err
  equal "exit code of $line" $? 2
  one_line "stderr of $line" wrong.err
done

case_ "what strict readers say"
thrum attack -targets=targets.txt -rate=100 -n=20 -output=run.bin -prometheus-addr=127.0.0.1:0 -prometheus-linger=60s 2>strict.err &
attack=$!
started+=("$attack")
at=$(page strict.err)
await "$at" '^thrum_attack_running 0' >page.txt
if need promtool; then
  promtool check metrics <page.txt >lint.txt 2>&1
  equal "promtool's exit code" $? 0
  empty "what promtool finds" lint.txt
fi
curl -s -H 'Accept: application/openmetrics-text;version=1.0.0' "$at" >page.om
if /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
  families=$(/usr/bin/python3 -c 'from prometheus_client.openmetrics.parser import text_fd_to_metric_families
print(" ".join(f"{f.name}:{f.type}" for f in text_fd_to_metric_families(open("page.om"))))' 2>&1)
  has "OpenMetrics, read strictly" "$families" '^request_bytes_in:unknown request_bytes_out:unknown request_fail_count:unknown request_seconds:histogram thrum_scheduled:counter '
else
  skip "no prometheus_client of Python here"
  [ -z "${THRUM_CI:-}" ] || fail "python3-prometheus-client is required"
fi
kill "$attack"
wait "$attack"

summary
