#!/usr/bin/env bash
# What the shell sees of thrum: exit codes, one line for each mistake, nothing on stderr otherwise, and what terminals get.
. "$(dirname "$0")/harness.sh"
serve target -addr 127.0.0.1:0
url=http://127.0.0.1:$(port_in target http)
echo "GET $url/" >targets.txt

case_ "SIGHUP stops, and nohup is respected"
thrum attack -targets=targets.txt -rate=200 -output=hup.bin 2>hup.err &
pid=$!
started+=("$pid")
until [ "$(stat -c %s hup.bin 2>/dev/null || echo 0)" -gt 700 ]; do sleep 0.05; done
kill -HUP $pid
wait $pid
equal exit $? 0
empty stderr hup.err
(trap '' HUP && exec thrum attack -targets=targets.txt -rate=200 -duration=1s -output=nohup.bin) &
pid=$!
until [ "$(stat -c %s nohup.bin 2>/dev/null || echo 0)" -gt 700 ]; do sleep 0.05; done
kill -HUP $pid
wait $pid
equal exit $? 0
equal hits "$(of nohup.bin .requests)" 200

case_ "grace"
echo "GET $url/delay?ms=60000" | thrum attack -rate=100 -n=5 -grace=100ms >grace.bin 2>grace.err
equal exit $? 0
equal hits "$(of grace.bin .requests)" 5

case_ "a rate that can't be kept"
echo "GET $url/delay?ms=100" | thrum attack -rate=100 -duration=500ms -max-workers=2 -catch-up=none -output=strict.bin -strict-rate 2>strict.err
equal exit $? 3
one_line stderr strict.err
has stderr "$(cat strict.err)" '^thrum attack: sent [0-9]+ of 50: .*max-workers'

case_ "mistakes are one line, and nothing is lost"
: >body.json
cp targets.txt kept.txt
for line in '1|-targets=tragets.txt|did you mean "?targets.txt' '1|-targets=targets.txt -body=body.josn|did you mean "?body.json' \
  '1|-targets=/dev/null|no targets' '2|-targets=targets.txt -rate=0|-max-workers' '2|-targets=targets.txt -durration=1s|did you mean -duration' \
  '2|-targets=targets.txt -n=1 -output=targets.txt|-targets reads' '1|-targets=targets.txt -output=absent/r.bin|absent/r.bin' \
  '2|-targets=targets.txt extra|extra' '2|-targets=targets.txt -h2c -http2=false|-h2c asks for HTTP/2'; do
  IFS='|' read -r wanted flags words <<<"$line"
  # shellcheck disable=SC2086
  thrum attack $flags >mistake.out 2>mistake.err
  equal "$flags: exit" $? "$wanted"
  one_line "$flags: stderr" mistake.err
  empty "$flags: stdout" mistake.out
  has "$flags: stderr" "$(cat mistake.err)" "$words"
done
equal "the targets file" "$(cat targets.txt)" "$(cat kept.txt)"

case_ "help and version"
for words in '-h' '--help' 'help' 'help attack' 'attack -h' 'report --help' 'encode -help' 'serve -h' 'attack -nonsense -h'; do
  # shellcheck disable=SC2086
  out=$(thrum $words 2>help.err)
  equal "$words: exit" $? 0
  has "$words: stdout" "$out" '^Usage: thrum '
  empty "$words: stderr" help.err
done
for words in -version --version -V version 'attack -version'; do
  # shellcheck disable=SC2086
  equal "$words" "$(thrum $words | cut -d: -f1 | paste -sd' ')" 'Version Commit Runtime Date'
done
thrum >bare.out 2>bare.err
equal "alone: exit" $? 2
empty "alone: stdout" bare.out

case_ "progress goes to a terminal, or where it is asked for"
thrum attack -targets=targets.txt -n=3 >quiet.bin 2>quiet.err
empty stderr quiet.err
thrum attack -targets=targets.txt -rate=100 -n=30 -progress >progress.bin 2>progress.err
has stderr "$(cat progress.err)" 'asked [0-9]+  sent [0-9]+'
lacks stderr "$(cat progress.err)" $'[\r\x1b]'

case_ "terminals"
if need script; then
  has "no targets" "$(script -qec 'thrum attack' /dev/null)" 'stdin is a terminal'
  out=$(script -qec 'sh -c "thrum attack -rate=100 -n=30 <targets.txt"' /dev/null)
  has "a report instead of results" "$out" '^.*Requests +\[total, rate, throughput\] +30,'
  has "progress" "$out" 'asked [0-9]+  sent [0-9]+'
  lacks "no escape codes" "$out" $'\x1b'
  has "JSON is no binary" "$(script -qec 'sh -c "thrum attack -n=1 -encoding=json <targets.txt 2>/dev/null"' /dev/null)" '^\{"attack"'
fi

case_ "standard descriptors that are closed"
thrum attack -targets=targets.txt -n=3 >&- 2>closed.err
equal "stdout: exit" $? 1
has "stdout: stderr" "$(cat closed.err)" 'stdout is closed'
thrum attack -targets=targets.txt -n=3 -output=closed.bin <&- >&- 2>&-
equal "all: exit" $? 0
equal hits "$(of closed.bin .requests)" 3

case_ "serve ends when told to"
for signal in INT TERM; do
  : >ending.out
  thrum serve -addr=127.0.0.1:0 >ending.out 2>&1 &
  pid=$!
  until grep -q attack ending.out; do sleep 0.05; done
  kill -$signal $pid
  wait $pid
  equal "$signal: exit" $? 0
done
thrum serve -addr="${url#http://}" >taken.out 2>taken.err
equal "a port in use: exit" $? 1
one_line "a port in use: stderr" taken.err

case_ "what goes over the wire"
printf 'the body' >once.txt
printf 'GET %s/status/404\nX-Mine: yes\n\nPOST %s/echo\n@once.txt\n\nGET %s/redirect/1\n' "$url" "$url" "$url" >once.targets
out=$(thrum attack -once -targets=once.targets)
equal exit $? 0
equal "exchanges" "$(grep -c '^\* \(GET\|POST\) ' <<<"$out")" 3
has "the request's own header" "$out" '^> X-Mine: yes$'
has "hit numbers" "$out" '^> X-Thrum-Seq: 2$'
has "its answer" "$out" '^< HTTP/1.1 404 Not Found$'
equal "the body out and back" "$(grep -c '^the body$' <<<"$out")" 2
has "the redirect's second request" "$out" '^> Referer: .*/redirect/1$'
has "its end" "$out" '; 1 redirect followed$'
has "the connection" "$out" '^\* connected to 127.0.0.1:[0-9]+, HTTP/1.1$'
thrum attack -once -n=3 -targets=once.targets >once.out 2>once.err
equal "with -n: exit" $? 2
one_line "with -n: stderr" once.err

summary
