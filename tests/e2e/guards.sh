#!/usr/bin/env bash
# Guardrails: what they refuse is refused before anything is sent, and nothing slips past them later.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0 -log=requests.log
port=$(port_in site http)
url=http://127.0.0.1:$port
echo "GET $url/bytes/16" >ok.txt
printf 'GET %s/bytes/16\n\nGET http://other.test/\n' "$url" >two.txt

# refused WORDS FLAGS...: exit 2, one line that holds WORDS, and no output. That nothing was sent is counted at the end.
refused() {
  local words=$1
  shift
  thrum attack -output=x.bin "$@" >out 2>err
  equal "$*: exit" $? 2
  one_line "$*" err
  has "$*" "$(cat err)" "$words"
  [ -e x.bin ] && fail "$*: an output was made" || pass
}

case_ "refused before anything is sent"
refused 'host "127.0.0.1" is outside of -allow-host=.shop.test' -targets=ok.txt -rate=50 -n=5 -allow-host=.shop.test
refused 'host "other.test" is outside' -targets=two.txt -rate=50 -n=5 -allow-host=127.0.0.1
refused '-connect-to: host "127.0.0.1" is outside' -targets=ok.txt -rate=50 -n=5 -allow-host=localhost -connect-to="localhost:80:127.0.0.1:$port"
refused 'up to 10 requests would be sent, more than -max-requests=9' -targets=ok.txt -rate=10 -duration=1s -max-requests=9
refused 'up to 20 requests would be sent' -targets=ok.txt -rate=10 -duration=1s -warmup=1s -max-requests=19
refused 'needs an end that is known' -targets=ok.txt -rate=10 -max-requests=100
refused 'needs an end that is known' -targets=ok.txt -rate=0 -max-workers=2 -duration=1s -max-requests=100
refused 'the rate is up to 50/s, above -max-rate=10/s' -targets=ok.txt -rate='1..50/s over 1s' -max-rate=10
refused 'needs a rate' -targets=ok.txt -rate=0 -max-workers=2 -n=10 -max-rate=10
refused 'up to 8 requests would be in flight, more than -max-concurrency=4' -targets=ok.txt -rate=10 -n=5 -max-workers=8 -max-concurrency=4
refused 'is no host' -targets=ok.txt -rate=10 -n=5 -allow-host=http://a/
refused 'is no network' -targets=ok.txt -rate=10 -n=5 -allow-net=10.0.0.0/40
refused 'has none' -targets=ok.txt -rate=10 -n=5 -allow-net=10.0.0.0/8 -unix-socket=/tmp/x

case_ "what is allowed is sent"
thrum attack -targets=ok.txt -rate=50 -n=5 -allow-host=127.0.0.1 -allow-net=127.0.0.0/8 -max-requests=5 -max-rate=50 -max-concurrency=4 -output=a.bin 2>err
equal exit $? 0
equal "sent" "$(of a.bin .requests)" 5
empty "stderr" err

case_ "a target that is read later"
thrum attack -targets=two.txt -lazy -rate=20 -duration=3s -allow-host=127.0.0.1 -output=lazy.bin 2>err
equal exit $? 2
has "the reason" "$(cat err)" 'host "other.test" is outside of -allow-host=127.0.0.1'
equal "sent before" "$(of lazy.bin .requests)" 1

case_ "an address out of bounds"
thrum attack -targets=ok.txt -rate=50 -n=3 -allow-net=10.0.0.0/8 -output=net.bin 2>/dev/null
equal "failed" "$(of net.bin '.errors[0]')" 'connect: its address is outside of -allow-net'

case_ "a change of the rate"
thrum attack -targets=ok.txt -rate=10 -duration=20s -max-rate=20 -max-requests=200 -control=run.sock -output=c1.bin 2>/dev/null &
attack=$!
started+=("$attack")
for ((i = 0; i < 100; i++)); do thrum control run.sock status >/dev/null 2>&1 && break || sleep 0.05; done
thrum control run.sock rate 21/s 2>err
equal "too high: exit" $? 1
has "too high" "$(cat err)" 'the rate is up to 21/s, above -max-rate=20/s'
thrum control run.sock rate 0 2>err
equal "no rate: exit" $? 1
thrum control run.sock rate 20/s >/dev/null
equal "allowed: exit" $? 0
thrum control run.sock stop >/dev/null
wait "$attack"

case_ "a faster rate sends no more in all"
thrum attack -targets=ok.txt -rate=10 -duration=2s -max-requests=20 -control=run.sock -output=c2.bin 2>/dev/null &
attack=$!
started+=("$attack")
for ((i = 0; i < 100; i++)); do thrum control run.sock rate 200/s >/dev/null 2>&1 && break || sleep 0.05; done
wait "$attack"
equal "sent" "$(of c2.bin .requests)" 20

case_ "a dry run"
printf 'POST %s/echo?token=abc\nCookie: sid=secret\nX: y\n@body\n\nGET http://127.0.0.1:1/\n' "$url" >dry.txt
printf 'hello' >body
thrum attack -targets=dry.txt -rate=50 -duration=2s -header='Authorization: Bearer secret' -allow-host=127.0.0.1 -max-requests=100 -dry-run >out 2>err
equal exit $? 0
has "load" "$(cat out)" '^Load +100 requests at most, 50/s for 2s$'
has "target" "$(cat out)" "^Targets +POST $url/echo\?token=\*\*\*, a body of 5 bytes$"
has "cookie" "$(cat out)" '^ +Cookie: sid=\*\*\*$'
has "common header" "$(cat out)" '^ +Authorization: Bearer \*\*\*$'
has "guard" "$(cat out)" '^Guard +hosts 127.0.0.1; at most 100 requests$'
has "settings" "$(cat out)" '^Settings +-targets=dry.txt -rate=50 '
lacks "secrets" "$(cat out)" 'secret|abc'
empty "stderr" err
thrum attack -targets=dry.txt -rate=50 -duration=2s -allow-host=.example.com -max-requests=100 -max-rate=10 -max-concurrency=4 -dry-run >out 2>err
equal "refused: exit" $? 2

case_ "a run"
# run_refused WORDS FLAGS...: likewise
run_refused() {
  local words=$1
  shift
  thrum run "$@" "$url/" >out 2>err
  equal "run $*: exit" $? 2
  has "run $*" "$(cat err)" "$words"
}
run_refused 'is outside of -allow-host=.example.com' -dry-run -allow-host .example.com -max-requests 100 -max-rate 10 -max-concurrency 4
run_refused 'is outside of -allow-host=.example.com' -allow-host .example.com
run_refused 'up to 100 requests would be sent, more than -max-requests=99' -max-requests 99
run_refused 'needs an end that is known' -z 1s -max-requests 99
run_refused 'needs a rate' -max-rate 10
run_refused 'more than -max-concurrency=4' -c 5 -max-concurrency 4
thrum run -n 3 -max-concurrency 1 -max-requests 3 -allow-host 127.0.0.1 "$url/" >out 2>err
equal "allowed: exit" $? 0
thrum run -dry-run -n 7 -c 2 -H 'Cookie: a=secret' -m POST -d hello -record r.bin "$url/?key=secret" >out 2>err
equal "dry: exit" $? 0
has "dry: load" "$(cat out)" '^Load +7 requests, 2 at once$'
has "dry: target" "$(cat out)" "^Targets +POST $url/\?key=\*\*\*, a body of 5 bytes$"
lacks "dry: secrets" "$(cat out)" secret
[ -e r.bin ] && fail "dry: a file was made" || pass

case_ "capacity"
thrum capacity -slo='p99<200ms' -allow-host=.example.com "$url/" >out 2>err
equal exit $? 2
thrum capacity -slo='p99<200ms' -max-requests=100 "$url/" >out 2>err
equal "no count: exit" $? 2
thrum capacity -slo='p99<200ms' -from=100 -max-rate=50 "$url/" >out 2>err
equal "from above: exit" $? 2

case_ "nothing else was sent"
kill "$served" && wait "$served" 2>/dev/null
equal "requests" "$(wc -l <requests.log)" $(($(of a.bin .requests) + $(of lazy.bin .requests) + $(of c1.bin .requests) + $(of c2.bin .requests) + 3))

summary
