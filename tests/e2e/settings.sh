#!/usr/bin/env bash
# Settings from files and variables, and which of them wins.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)
echo "GET $url/bytes/16" >ok.txt
mkdir run && cd run || exit 1
cp ../ok.txt .

# says FLAG: its value in a dry run
says() { grep '^Settings' out | grep -o -- "-$1=[^ ]*" | tail -1; }
dry() {
  thrum attack -dry-run "$@" >out 2>err
  code=$?
}

case_ "a file in the working folder"
cat >thrum.toml <<'TOML'
targets = "ok.txt"
rate = 100
header = ["X-A: 1", "X-B: 2"]

[attack]
duration = "1s"

[capacity]
slo = "p99<1s"

[run.smoke]
rate = 5
TOML
dry
equal exit $code 0
equal rate "$(says rate)" -rate=100
equal duration "$(says duration)" -duration=1s
has "what was read is told" "$(cat err)" '^thrum attack: settings from thrum.toml: targets, rate, header, duration$'
has "headers" "$(cat out)" '^ +X-B: 2$'
thrum attack -n=3 -output=a.bin 2>/dev/null
equal "it is attacked by" "$(of a.bin .requests)" 3

case_ "which wins"
THRUM_RATE=50 dry
equal "a variable over the file" "$(says rate)" -rate=50
THRUM_RATE=50 dry -rate=20
equal "a flag over both" "$(says rate)" -rate=20
dry -header='X-C: 3'
has "lists" "$(cat out)" 'X-C: 3'
lacks "lists" "$(cat out)" 'X-A: 1'
dry -z=3s
equal "by another name" "$(grep -o 'duration=[^ ]*' out)" duration=3s
thrum attack -targets=ok.txt -once >out 2>err
equal "what a file says is no mistake of the command line" $? 0

case_ "another file, or none"
echo 'rate = 7' >other.toml
dry -config=other.toml -targets=ok.txt -n=1
equal rate "$(says rate)" -rate=7
empty "stderr" err
dry -config=none -targets=ok.txt -n=1
equal rate "$(says rate)" ''
dry -config=othr.toml
equal "missing: exit" $code 1
has "missing" "$(cat err)" 'config file "othr.toml": no such file; did you mean "other.toml"'

case_ "mistakes"
# wrong TEXT WORDS
wrong() {
  printf '%b' "$1" >wrong.toml
  dry -config=wrong.toml -targets=ok.txt
  equal "$1: exit" $code 2
  one_line "$1" err
  has "$1" "$(cat err)" "$2"
}
wrong 'rate = 5\nduraton = "5s"\n' 'wrong.toml:2: unknown key duraton; did you mean duration\?'
wrong 'rate = "fast"\n' 'wrong.toml:1: rate: '
wrong 'rate = \n' 'wrong.toml:1: '
wrong '[atack]\nrate = 5\n' 'wrong.toml:1: \[atack\] is none of the tables'
wrong '[run.x]\nrat = 5\n' 'wrong.toml:2: unknown key rat; did you mean rate\?'
THRUM_RATE=fast dry
equal "variable: exit" $code 2
has "variable" "$(cat err)" '^thrum attack: THRUM_RATE: rate: '
THRUM_RTAE=5 dry
equal "slip: exit" $code 0
has "slip" "$(cat err)" 'THRUM_RTAE is no setting and changes nothing; did you mean THRUM_RATE'
THRUM_PORT=tcp://10.0.0.1:80 dry -config=none -targets=ok.txt -n=1
lacks "variables of others" "$(cat err)" THRUM_PORT

case_ "guards of a file hold"
printf 'max-requests = 10\nallow-host = "127.0.0.1"\n' >guard.toml
dry -config=guard.toml -targets=ok.txt -n=11 -max-requests=100
equal "a flag does not loosen: exit" $code 2
dry -config=guard.toml -targets=ok.txt -n=6 -max-requests=5
equal "a flag tightens: exit" $code 2
dry -config=guard.toml -targets=ok.txt -n=5 -allow-host='*'
equal "both allow: exit" $code 0
dry -config=guard.toml -targets=ok.txt -n=5 -allow-host=localhost
equal "one refuses: exit" $code 2
THRUM_ALLOW_HOST=localhost dry -config=none -targets=ok.txt -n=5 -allow-host='*'
equal "a variable's hold, too: exit" $code 2

case_ "a run"
cat >run.toml <<TOML
url = "$url/bytes/16"
concurrency = 2

[run]
n = 6
number-of = 1
TOML
thrum run -config=run.toml 2>err
equal "mistake: exit" $? 2
has "mistake" "$(cat err)" 'run.toml:6: unknown key number-of'
sed -i /number-of/d run.toml
thrum run -config=run.toml -json >run.json 2>err
equal exit $? 0
equal "requests" "$(jq .summary.total_requests run.json)" 6
thrum run -config=run.toml -z 200ms -dry-run >out 2>err
equal "a time instead of a number: exit" $? 0
has "a time instead of a number" "$(cat out)" '^Load +for 200ms, 2 at once$'
thrum run -config=run.toml "$url/" -dry-run >out 2>err
has "the argument wins" "$(cat out)" "GET $url/$"
thrum attack -config=run.toml -targets=ok.txt -n=1 -dry-run >out 2>err
equal "keys of another command: exit" $? 0

case_ "settings are written down"
thrum attack -config=none -targets=ok.txt -rate='1..50/s over 2s' -t=5 -k -H 'X-A: "q"' -H 'X-B: 2' -write-config=new.toml >out 2>err
equal exit $? 0
empty "stdout" out
has "told" "$(cat err)" 'wrote new.toml; to run it: thrum attack -config=new.toml'
equal "what it holds" "$(grep -v '^#' new.toml | sort)" 'header = ["X-A: \"q\"", "X-B: 2"]
insecure = true
rate = "1..50/s over 2s"
targets = "ok.txt"
timeout = "5s"'
dry -config=new.toml
equal "read again: exit" $code 0
equal "read again" "$(says timeout)" -timeout=5s
thrum attack -config=none -targets=ok.txt -write-config=new.toml 2>err
equal "not over another: exit" $? 2
thrum attack -config=none -targets=ok.txt -H 'Authorization: Bearer x' -write-config=secret.toml 2>/dev/null
equal "secrets are for the owner" "$(stat -c %a secret.toml)" 600

summary
