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

case_ "runs that have a name"
mkdir named && cd named || exit 1
cat >thrum.toml <<TOML
header = ["X-A: 1"]
max-requests = 500

[run]
concurrency = 2

[run.smoke]
url = "$url/bytes/16"
n = 20

[run.slow]
url = "$url/delay?ms=20"
n = 10
fail-if = ["p99<1ms"]

[run.broken]
url = "$url/status/500"
n = 5
fail-if = ["success<100%"]
TOML
out=$(thrum run smoke 2>err)
equal exit $? 0
empty stderr err
has "what ran" "$out" '^GET http://.*/bytes/16: 20 requests, 2 at once$'
equal "flags win" "$(thrum run smoke -n 7 -json | jq -c '[.summary.total_requests, .settings.header, .settings.concurrency]')" '[7,["X-A: 1"],["2"]]'
thrum run smoke -n 501 >out 2>err
equal "its file's guards hold: exit" $? 2
thrum run smok >out 2>err
equal "a slip: exit" $? 2
has "a slip" "$(cat err)" '"smok" is no URL, and thrum.toml has no \[run.smok\]; did you mean smoke\?'
one_line "a slip" err
thrum run -config=none smoke >out 2>err
[ $? -gt 0 ] && pass || fail "without the file: exit 0"
equal "a URL is one" "$(thrum run "$url/bytes/1" -n 3 -json 2>/dev/null | jq .summary.total_requests)" 3
out=$(thrum run -all -out-dir res 2>err)
equal "all: exit" $? 4
equal "all: in the file's order" "$(grep '^\[' <<<"$out" | tr -d '\n')" '[smoke][slow][broken]'
has "all: what each was" "$out" '^✖ Failing  5 requests'
equal "the folder" "$(ls res | tr '\n' ' ')" "all.html broken.bin broken.html broken.json slow.bin slow.html slow.json smoke.bin smoke.html smoke.json "
equal "reports" "$(jq -c .summary.total_requests res/smoke.json res/slow.json res/broken.json | tr '\n' ' ')" "20 10 5 "
equal "results" "$(of res/slow.bin .requests)" 10
for name in smoke slow broken; do has "a series of $name in the plot of all" "$(cat res/all.html)" "\"$name.bin"; done
has "a plot of one" "$(cat res/smoke.html)" '<h1>smoke</h1>'
thrum run -all -out-dir res >out 2>err
equal "once more over the same: exit" $? 4
thrum run smoke -out-dir one >out 2>err
equal "one in a folder" "$(ls one | tr '\n' ' ')" "smoke.bin smoke.html smoke.json "
out=$(thrum run -all -dry-run -out-dir none 2>&1)
equal "all dry: exit" $? 0
equal "all dry" "$(grep -c 'thrum run would send this' <<<"$out")" 3
[ -e none ] && fail "a dry run made a folder" || pass
grep -v max-requests thrum.toml >free.toml
thrum run -all -z 60s -config=free.toml >out 2>err &
run=$!
sleep 1
kill -INT $run
wait $run
equal "a stop ends all" "$(grep -c '^\[' out)" 1
wrong() { # what is said, then the words
  local says=$1
  shift
  thrum "$@" >out 2>err
  equal "'$*': exit" $? 2
  one_line "'$*'" err
  has "'$*'" "$(cat err)" "$says"
}
wrong "leave out the URL" run -all "$url"
wrong "has several" run -all -json
wrong "names one file" run -all -output x.json
wrong "are for runs that have a name|is for runs that have a name" run "$url" -config=none -out-dir x
wrong "there is no thrum.toml" run -all -config=none
printf '[run."../x"]\nurl = "%s"\n' "$url" >bad.toml
wrong "can't be the name of files" run -all -config=bad.toml -out-dir x
echo 'n = 3' >bad.toml
wrong "has no \[run.NAME\]" run -all -config=bad.toml
cd .. || exit 1

summary
