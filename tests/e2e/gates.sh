#!/usr/bin/env bash
# Gates (-fail-if): exit codes, verdicts, JUnit.
data=$(cd "$(dirname "$0")/../data/report" && pwd)
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)

# ends CODE COMMAND...: with that exit code; what it printed is in out and err.
ends() {
  local code=$1
  shift
  "$@" >out 2>err
  equal "$*: exit" $? "$code"
}
echo "GET $url/bytes/16" >ok.txt
printf 'GET %s/bytes/16\n\nGET %s/status/503\n' "$url" "$url" >half.txt

case_ "an attack"
ends 0 thrum attack -targets=ok.txt -rate=100 -duration=500ms -output=ok.bin -fail-if='success<99.9%, p99>2s'
equal "its verdicts" "$(grep -c ', pass$' err)" 2
ends 4 thrum attack -targets=half.txt -rate=100 -duration=500ms -output=half.bin -fail-if='errors>10%'
has "its verdict" "$(cat err)" '^thrum attack: gate errors>10%: 50%, FAIL$'
equal "the results are whole" "$(of half.bin .requests)" 50
ends 4 thrum attack -targets=ok.txt -rate='50/s for 200ms, 100/s for 200ms' -output=st.bin -fail-if='stage(2).requests<21'
ends 0 thrum attack -targets=ok.txt -rate='50/s for 200ms, 100/s for 200ms' -output=st.bin -fail-if='stage(2).requests<20'
echo "GET $url/delay?ms=40" >slow.txt
ends 3 thrum attack -targets=slow.txt -rate=100 -duration=500ms -max-workers=1 -catch-up=none -strict-rate -output=late.bin -fail-if='p50<1h'

case_ "a report"
ends 0 thrum report -fail-if='url(/bytes/*).errors>0' -fail-if='requests<50' half.bin
has "a table" "$(cat out)" '^Gates +Value +Result$'
has "a line" "$(cat out)" '^requests<50 +50 +pass$'
empty stderr err
ends 4 thrum report -fail-if='url(/status/*).success<1%' half.bin
has "a line" "$(cat out)" '^url\(/status/\*\)\.success<1% +0% +FAIL$'
has stderr "$(cat err)" '^thrum report: gate url'
ends 4 thrum report -type=json -fail-if='code(5xx)>0,p50>1h' half.bin
equal "in JSON" "$(jq -c '[.gates[] | [.gate, .value, .passed]]' out)" '[["code(5xx)>0","25",false],["p50>1h","'"$(jq -r '.gates[1].value' out)"'",true]]'
ends 0 thrum report -where='code==200' -fail-if='code(5xx)>0' half.bin
ends 4 thrum report -where='code==999' -fail-if='code(5xx)>0' half.bin
has "no data" "$(cat out)" '^code\(5xx\)>0 +no data +FAIL$'
ends 4 thrum report -type=hist -fail-if='requests<51' half.bin

case_ "JUnit"
ends 4 thrum report -fail-if='requests<51, p50>1h' -junit=r.xml half.bin
ends 4 thrum attack -targets=half.txt -rate=100 -n=10 -output=j.bin -fail-if='errors>0, success<1%' -junit=a.xml
if need python3; then
  for file in r.xml a.xml; do
    equal "$file" "$(python3 -c '
import sys, xml.etree.ElementTree as e
suite = e.parse(sys.argv[1]).getroot().find("testsuite")
cases = suite.findall("testcase")
print(suite.get("tests"), suite.get("failures"), len(cases), sum(c.find("failure") is not None for c in cases))' $file)" '2 1 2 1'
  done
fi
if need xmllint; then
  for file in r.xml a.xml; do
    xmllint --noout --schema "$data/junit.xsd" $file >out 2>err
    equal "$file is valid" $? 0
  done
  sed 's/ hostname="[^"]*"//' r.xml >bad.xml
  xmllint --noout --schema "$data/junit.xsd" bad.xml >out 2>err
  equal "what lacks something is not" $? 3
fi
ends 1 thrum report -fail-if='requests<51' -junit=no/such/folder/r.xml half.bin

case_ "mistakes"
for wrong in 'p99' 'p99>250' 'nonsense>5' 'success<1' 'code(5xx>0'; do
  ends 2 thrum report -fail-if="$wrong" half.bin
  one_line "'$wrong': stderr" err
  has "'$wrong': a mark" "$(cat err)" '-fail-if: bad gate "[^"]*\^'
  empty "'$wrong': stdout" out
  ends 2 thrum attack -targets=ok.txt -n=1 -output=x.bin -fail-if="$wrong"
done
ends 2 thrum report -junit=r.xml half.bin
ends 2 thrum attack -targets=ok.txt -n=1 -junit=r.xml -output=x.bin

summary
