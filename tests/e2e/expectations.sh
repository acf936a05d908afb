#!/usr/bin/env bash
# What users expect of responses: what is counted, said and kept, by flags and in lists of targets, over TLS too.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -tls=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)
tls=https://127.0.0.1:$(port_in site https)

# of_run JQ flag...: a value of the report of ten hits at /api/report
of_run() {
  local jq=$1
  shift
  echo "GET $url/api/report" | thrum attack -n=10 -rate=200 -output=r.bin "$@" 2>err
  of r.bin "$jq"
}

case_ "what is met"
for flag in -expect-status=200 -expect-status=2xx -expect-header=content-type "-expect-header=Content-Type: application/*" '-expect-size=>10' -expect-body=ready \
  '-expect-body=~"report": ?"ready"' '-expect-body=!error' -expect-json=.report -expect-json=.report=ready '-expect-json=.work_ms>=25' '-expect-json=.report~^rea'; do
  equal "success with $flag" "$(of_run .success "$flag")" 1
  empty stderr err
done

case_ "what is not"
while IFS='|' read -r flag words; do
  equal "$flag" "$(of_run '[.success, .failures.expectation, .status_codes["200"], (.errors | join(";")), (.samples | length)] | @csv' "$flag")" \
    "0,10,10,\"$words\",1"
done <<'END'
-expect-status=404|expectation: status is not 404
-expect-header=X-Cache|expectation: no header X-Cache
-expect-size=1|expectation: size of the body is not 1
-expect-body=!ready|expectation: there is ""ready"" in the body
-expect-json=.report=late|expectation: .report is not late
-expect-json=.other|expectation: no .other in the JSON body
END
equal "the sample" "$(of r.bin '.samples[0] | [.error, .code, (.headers | map(.name) | index("Content-Type") != null), (.body | startswith("{\"report\""))] | map(tostring) | join(" ")')" \
  "expectation: no .other in the JSON body 200 true true"
equal "one body is kept" "$(thrum encode r.bin | jq -s 'map(select(.body != null and .body != "")) | length')" 1
has "the text report" "$(thrum report r.bin)" '^Sample +\[hit, status, error, body\] +[0-9]+, 200, expectation: no \.other in the JSON body, \{"report":'

case_ "samples of any failure"
printf 'GET %s/status/503\n\nGET %s/status/404\n' "$url" "$url" | thrum attack -n=20 -rate=200 -sample-failures=3 -output=r.bin
equal "bodies kept" "$(thrum encode r.bin | jq -s 'map(select(.body != null and .body != "")) | length')" 3
equal "one of each kind is shown" "$(of r.bin '[.samples[].error] | sort | join("; ")')" '404 Not Found; 503 Service Unavailable'
equal "kinds of error" "$(of r.bin '[.error_counts[] | .count, .targets, (.first <= .last)] | map(tostring) | join(" ")')" '10 1 true 10 1 true'
has "their table" "$(thrum report r.bin)" '^503 Service Unavailable +10 +0s +[0-9.]+ms +1$'

case_ "gates see it"
echo "GET $url/api/report" | thrum attack -n=10 -rate=200 -expect-body=never -fail-if='errors>5%' -output=r.bin 2>err
equal exit $? 4

case_ "an expected status is a success, and stays one"
echo "GET $url/status/404" | thrum attack -n=10 -rate=200 -expect-status=404 -output=r.bin
equal native "$(of r.bin .success)" 1
thrum encode r.bin >r.json
equal json "$(of r.json .success)" 1
equal "the outcome" "$(jq -rs 'map(.outcome) | unique | join(" ")' r.json)" expected
has "no error" "$(thrum report r.bin)" 'Success +\[ratio\] +100\.00%'
echo "GET $url/status/200" | thrum attack -n=10 -rate=200 -expect-status=404 -output=r.bin
for to in json gob csv; do
  thrum encode -to=$to r.bin >"r.$to"
  equal "a broken one in $to" "$(of "r.$to" .success)" 0
  has "a broken one in $to" "$(thrum report "r.$to")" '^Failures +\[cause:count\] +expectation:10 *$'
done

case_ "targets of their own"
cat >list.txt <<END
#: expect status 404
GET $url/status/404

#: expect json .report=ready
#: expect size <1KB
GET $url/api/report

#: expect body nowhere
GET $url/bytes/10
END
thrum attack -targets=list.txt -n=30 -rate=300 -output=r.bin
equal "failures" "$(of r.bin '[(.success * 3 | round), .failures.expectation, .errors[0]] | join(" ")')" '2 10 expectation: no "nowhere" in the body'
printf '{"method":"GET","url":"%s/status/404","expect":{"status":[404,410],"header":"Content-Length"}}\n' "$url" >list.json
thrum attack -targets=list.json -format=json -lazy -rate=50 -output=r.bin
equal "json, lazily read" "$(of r.bin '[.requests, .success] | join(" ")')" '1 1'

case_ "TLS"
echo "GET $tls/api/report" | thrum attack -insecure -n=10 -rate=200 -expect-json=.report=ready -expect-body='!late' -output=r.bin
equal met "$(of r.bin .success)" 1
echo "GET $tls/api/report" | thrum attack -insecure -n=10 -rate=200 -expect-json=.report=late -output=r.bin
equal broken "$(of r.bin '[.failures.expectation, (.samples[0].body | length > 10)] | map(tostring) | join(" ")')" '10 true'

case_ "slips"
while IFS='|' read -r flag words; do
  echo "GET $url/" | thrum attack -n=1 "$flag" >out 2>err
  equal "$flag: exit" $? 2
  one_line "$flag" err
  has "$flag" "$(cat err)" "$words"
done <<'END'
-expect-status=20|^thrum attack: -expect-status: bad status codes "20"
-expect-json=.a[|^thrum attack: -expect-json: the path of "\.a\["
-expect-body=~(|^thrum attack: -expect-body: "\(" is no regular expression: missing \)
-expect-size=many|^thrum attack: -expect-size: "many" is no size to expect
-expect-header=a b|^thrum attack: -expect-header: "a b" is no header to expect
END
printf '#: expect statsu 200\nGET %s/\n' "$url" | thrum attack -n=1 2>err
equal "a slip in a list: exit" $? 1
equal "a slip in a list" "$(cat err)" 'thrum attack: stdin:1: "statsu" can'"'"'t be expected; did you mean "status"?'

summary
