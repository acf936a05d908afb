#!/usr/bin/env bash
# Command lines as people type them, from tutorials, blogs and guides, and what they must give. Seconds are fewer than people
# type; counts are exact; times are bounds that hold on a busy machine.
. "$(dirname "$0")/harness.sh"
serve target -addr 127.0.0.1:0
P=$(port_in target http)
url=http://127.0.0.1:$P

case_ "version"
for flag in -version --version -V version; do
  out=$(thrum $flag)
  equal "$flag: exit" $? 0
  for word in Version Commit Runtime Date; do has "$flag" "$out" "^$word:"; done
done

case_ "a live pipe"
out=$(echo "GET $url/" | thrum attack -rate=100 -duration=1s | thrum report)
has report "$out" '^Requests +\[total, rate, throughput\] +100, 10[0-9]\.'

case_ "a pipe with tee"
out=$(echo "GET $url/api/products" | thrum attack -rate=100 -duration=2s | tee results.bin | thrum report)
has report "$out" '^Requests .* 200, 10[01]\.'
has report "$out" '^Bytes In .* 160600, 803\.00'
has report "$out" '^Success .* 100\.00%'
equal "the report of the file" "$(thrum report results.bin)" "$out"
within rate "$(of results.bin .rate)" 98 104

case_ "default rate, one SIGINT"
echo "GET $url/" | timeout --preserve-status -s INT 2 thrum attack >i.bin 2>i.err
equal exit $? 0
within hits "$(of i.bin .requests)" 95 101
empty stderr i.err

case_ "Ctrl-C to the whole pipeline"
cat >group.sh <<'S'
echo "GET $1/api/products" | thrum attack -rate=100 | tee group.bin | thrum report
S
setsid bash group.sh "$url" >group.out 2>group.err &
leader=$!
sleep 1.5
kill -INT -- -$leader
wait $leader
has report "$(cat group.out)" '^Success .* 100\.00%'
empty stderr group.err
within "hits in the file" "$(of group.bin .requests)" 80 200

case_ "timeout"
out=$(echo "GET $url/delay?ms=400" | thrum attack -rate=20 -duration=1s -timeout=100ms >t.bin; echo $?)
equal exit "$out" 0
out=$(thrum report t.bin)
equal "report: exit" $? 0
has report "$out" '^Status Codes .* 0:20 '
has report "$out" '^Success .* 0\.00%'
has report "$out" 'timeout: '
within median "$(of t.bin '.latencies["50th"] / 1e6')" 100 200
equal "kinds of error" "$(of t.bin '.errors | length')" 1

case_ "a refused port"
echo "GET http://127.0.0.1:1/" | thrum attack -rate=10 -duration=1s >refused.bin
equal exit $? 0
out=$(thrum report refused.bin)
has report "$out" '^Status Codes .* 0:10 '
has report "$out" 'connect: connection refused'

case_ "rates in both forms, below and above capacity"
for r in 100 140 200/1s; do
  echo "GET $url/api/report" | thrum attack -rate=$r -duration=2s >r.bin
  case $r in
    200/1s)
      equal "sent at $r" "$(of r.bin .requests)" 400
      within "throughput at $r" "$(of r.bin .throughput)" 120 165
      within "median at $r" "$(of r.bin '.latencies["50th"] / 1e6')" 150 600
      ;;
    *)
      equal "sent at $r" "$(of r.bin .requests)" $((r * 2))
      within "median at $r" "$(of r.bin '.latencies["50th"] / 1e6')" 24 60
      ;;
  esac
done
cp r.bin r200.bin

case_ "closed mode"
echo "GET $url/api/report" | thrum attack -rate=0 -max-workers=8 -duration=2s >c8.bin
within "rate with 8" "$(of c8.bin .rate)" 120 165
within "median with 8" "$(of c8.bin '.latencies["50th"] / 1e6')" 47 75
echo "GET $url/api/report" | thrum attack -rate=0 -max-workers=32 -duration=2s >c32.bin
within "median with 32" "$(of c32.bin '.latencies["50th"] / 1e6')" 190 280

case_ "no rate and no workers"
echo "GET $url/" | thrum attack -rate=0 -duration=1s >no.bin 2>no.err
[ $? != 0 ] && pass || fail "exit is 0"
one_line stderr no.err
has stderr "$(cat no.err)" '-max-workers'
empty stdout no.bin

case_ "a login, a token, three targets"
printf '%s' '{"user":"ada","password":"lovelace"}' >login.json
equal "bytes of login.json" "$(wc -c <login.json)" 36
if need curl && need jq; then
  TOKEN=$(curl -s -H 'Content-Type: application/json' --data-binary @login.json $url/api/login | jq -r .token)
  cat >targets.txt <<T
# what a visitor does
GET $url/api/products

GET $url/api/me
Authorization: Bearer $TOKEN

# and logs in again
POST $url/api/login
Content-Type: application/json
@login.json
T
  thrum attack -targets=targets.txt -rate=30 -duration=1s >t.bin
  out=$(thrum report t.bin)
  has report "$out" '^Requests .* 30, '
  has report "$out" '^Success .* 100\.00%'
  has report "$out" '^Bytes Out .* 360, '
  case_ "encode to CSV"
  if thrum help encode >/dev/null 2>&1; then
    out=$(thrum encode --to=csv t.bin | awk -F, '{print $10, $11, $2}' | sort | uniq -c | sed 's/^ *//')
    equal groups "$out" "10 GET $url/api/me 200
10 GET $url/api/products 200
10 POST $url/api/login 200"
    equal columns "$(thrum encode --to=csv t.bin | awk -F, 'NF != 12' | wc -l)" 0
  fi
fi

case_ "everything 401"
out=$(echo "GET $url/api/me" | thrum attack -rate=20 -duration=1s | tee me.bin | thrum report)
equal exit $? 0
has report "$out" '^Status Codes .* 401:20 '
has report "$out" '^Success .* 0\.00%'
has report "$out" '^401 Unauthorized$'

case_ "JSON targets, streamed"
if need jq; then
  bodies() { jq -ncM --arg url "$url/echo" 'range('"$1"')|{method:"POST",url:$url,body:("{\"n\":\(.)}"|@base64),header:{"Content-Type":["application/json"]}}'; }
  out=$(bodies 100 | thrum attack -format=json -lazy -rate=500 -duration=5s | thrum report)
  has report "$out" '^Requests .* 100, '
  has report "$out" '^Success .* 100\.00%'
  out=$(bodies 1000000 | thrum attack -format=json -lazy -rate=200 -duration=1s | thrum report)
  has "endless: report" "$out" '^Requests .* 200, '
  has "endless: report" "$out" '^Success .* 100\.00%'
fi

case_ "-body and -header for targets that name none"
echo "POST $url/api/login" >login.txt
printf '%s' '{"user":"ada","password":"lovelace"}' >body.json
out=$(thrum attack -targets=login.txt -body=body.json -header="Content-Type: application/json" -rate=10 -duration=1s | thrum report)
has report "$out" '^Status Codes .* 200:10 '

case_ "stepped rates, named"
for r in 50 100 200; do
  echo "GET $url/api/report" | thrum attack -rate=$r -duration=1s -name=step$r >step$r.bin
  equal "hits of step$r" "$(of step$r.bin .requests)" $r
done
out=$(thrum report step50.bin step100.bin step200.bin)
has report "$out" '^Requests .* 350, '
has "a section per run" "$out" 'step200'

case_ "gates by jq"
if need jq; then
  echo "GET $url/" | thrum attack -rate=100 -duration=1s >fast.bin
  thrum report -type=json fast.bin | jq -e '.success == 1 and .latencies["99th"] < 500000000' >/dev/null
  equal "fast" $? 0
  thrum report -type=json r200.bin | jq -e '.success == 1 and .latencies["99th"] < 100000000' >/dev/null
  equal "slow" $? 1
  thrum report -type=json me.bin | jq -e '.success == 1' >/dev/null
  equal "401" $? 1
fi

case_ "body file, no timeout, a name, tee into a folder"
mkdir -p result
echo '{"query":"select 1"}' >query.json
out=$(echo "POST $url/echo" | thrum attack -rate=1000 -duration=1s -body=query.json -timeout=0 -name=hello | tee ./result/results-null.bin | thrum report)
has report "$out" '^Requests .* 1000, '
has report "$out" '^Success .* 100\.00%'

case_ "hundreds in flight"
out=$(echo "POST $url/delay?ms=1000" | thrum attack -rate=500 -duration=1s -body=query.json -timeout=0 -name=sleep | tee sleep.bin | thrum report)
has report "$out" '^Requests .* 500, '
has report "$out" '^Success .* 100\.00%'
within median "$(of sleep.bin '.latencies["50th"] / 1e6')" 1000 1400

case_ "large bodies"
out=$(echo "GET $url/bytes/5000000" | thrum attack -rate=10 -duration=1s -timeout=0 -name=query | tee query.bin | thrum report)
has report "$out" '^Bytes In .* 50000000, 5000000\.00'

case_ "-type=text into a file"
thrum report -type=text results.bin >repost.txt
equal "the same as by default" "$(cat repost.txt)" "$(thrum report results.bin)"

case_ "no path, -output with a blank"
out=$(echo "GET http://127.0.0.1:$P" | thrum attack  -rate=2000  -duration=1s | tee houminxi.bin | thrum report  -output houminxi-result.bin)
equal stdout "$out" ""
has "the file" "$(cat houminxi-result.bin)" '^Requests .* 2000, '
equal "hits kept" "$(of houminxi.bin .requests)" 2000

case_ "-output never over results"
cp houminxi.bin before.bin
echo "GET http://127.0.0.1:$P" | thrum attack -rate=100 -duration=1s | tee trap.bin | thrum report -output trap.bin 2>trap.err
[ "${PIPESTATUS[3]}" != 0 ] && pass || fail "exit is 0"
one_line stderr trap.err
equal "hits kept" "$(of trap.bin .requests)" 100
thrum report -output houminxi.bin houminxi.bin 2>trap.err
[ $? != 0 ] && pass || fail "exit is 0"
one_line stderr trap.err
cmp -s houminxi.bin before.bin && pass || fail "the results were overwritten"

case_ "a pipe closed early"
thrum report houminxi.bin results.bin 2>pipe.err | head -3 >pipe.out
equal lines "$(wc -l <pipe.out)" 3
empty stderr pipe.err

case_ "global flag first, values behind blanks"
printf 'POST %s/echo\nContent-Type: text/plain\n' "$url" >target.txt
echo '{"n":1}' >body.json
out=$(thrum -cpus 24   attack -targets target.txt  -body body.json -timeout=20s -rate 500   -duration=1s  | thrum report -output result.txt; cat result.txt)
has report "$out" '^Requests .* 500, '
has report "$out" "^Bytes Out .* $((500 * $(wc -c <body.json))), "

case_ "mistyped files"
thrum -cpus 24 attack -targets tatget.txt -body body.json -rate 500 -duration=1s >miss.bin 2>miss.err
equal exit $? 1
one_line stderr miss.err
has stderr "$(cat miss.err)" 'target\.txt'
thrum attack -targets target.txt -body body.josn -rate 500 -duration=1s >miss.bin 2>miss.err
equal exit $? 1
one_line stderr miss.err
has stderr "$(cat miss.err)" 'body\.json'

case_ "a target's own body wins"
printf 'POST %s/echo\n\nPOST %s/echo\n@other.json\n' "$url" "$url" >two.txt
printf '123456' >other.json
out=$(thrum attack -targets two.txt -body body.json -n 10 -rate 100 | thrum report)
has report "$out" "^Bytes Out .* $((5 * $(wc -c <body.json) + 30)), "

case_ "several machines by pdsh"
if need pdsh; then
  pdsh -R exec -w m[1-3] sh -c 'echo "GET '"$url"'/" | thrum attack -rate=100 -duration=2s > %h.bin'
  equal exit $? 0
  out=$(thrum report m1.bin m2.bin m3.bin)
  has report "$out" '^Requests .* 600, '
  has "rates of runs at the same time" "$out" '^Rates .* 300\.00, (2[5-9]|30)[0-9]\.'
  for m in m1 m2 m3; do has "a line for $m" "$out" "^$m\\.bin +100\\.00 +200 "; done
  pdsh -R exec -w m[1-3] sh -c 'echo "GET '"$url"'/" | thrum attack -name=%h -rate=20 -duration=500ms > named-%h.bin'
  out=$(thrum report -by=run named-m1.bin named-m2.bin named-m3.bin)
  for m in m1 m2 m3; do has "the group $m" "$out" "^$m +10 "; done
fi

case_ "a part of the results"
printf 'GET %s/user/1\nGET %s/user/2\nPOST %s/echo\nGET %s/status/503\n' $url $url $url $url >part.txt
thrum attack -targets=part.txt -rate=100 -duration=2s >part.bin
has "all" "$(thrum report part.bin)" '^Sending .* 200, 200, 200, 0'
out=$(thrum report -where='code>=500' part.bin)
has where "$out" '^Status Codes .* 503:50 *$'
has where "$out" '^Filter .* 0s, -, code>=500: 50 of 200 results'
lacks "the books of a part" "$out" '^(Sending|Rates)'
equal "POST" "$(thrum report -type=json -where='method=POST, url~^/echo' part.bin | grep -o '"requests":[0-9]*' | head -1)" '"requests":50'
equal "not" "$(thrum report -type=json -where='!(code=5xx or url=/user/*)' part.bin | grep -o '"requests":[0-9]*' | head -1)" '"requests":50'
has "from, to" "$(thrum report -from=500ms -to=1s part.bin)" '^Requests .* [45][0-9], '
thrum report -type=csv -where='code=503' part.bin >part.csv
equal "csv sent" "$(awk -F, 'NR > 1 { n += $4 } END { print n }' part.csv)" 50
has "groups" "$(thrum report -by=url -group=/user/:id part.bin)" "^$url/user/:id +100 "
has "total" "$(thrum report -by=code part.bin)" '^Total +200 '
thrum report -where='code>=500 and' part.bin >part.out 2>part.err
equal "wrong condition: exit" $? 2
one_line "wrong condition" part.err
has "wrong condition" "$(cat part.err)" 'code>=500 and\^'

case_ "several processes, one report"
for i in 1 2 3; do
  echo "GET $url/bytes/16" | thrum attack -rate=2000 -duration=1s >many$i.bin &
  started+=($!)
done
for i in 3 2 1; do wait "${started[-$i]}"; done
out=$(thrum report many1.bin many2.bin many3.bin)
has report "$out" '^Requests .* 6000, '

if grep -q 'https://' target.out || thrum serve -h 2>&1 | grep -q -- '-tls'; then
  case_ "client certificate, IP in the server's certificate"
  serve secure -addr 127.0.0.1:0 -tls 127.0.0.1:0 -cert-out ca.pem
  S=$(port_in secure https)
  if need openssl; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout cs2.pem -out cs1.pem -days 2 -subj /CN=client 2>/dev/null
    cat cs1.pem cs2.pem >both.pem
    out=$(echo "GET https://127.0.0.1:$S" | thrum attack -cert cs1.pem -key cs2.pem -root-certs ca.pem -rate=400 -duration=1s | tee results.bin | thrum report -output result.txt; cat result.txt)
    has report "$out" '^Status Codes .* 200:400 '
    out=$(echo "GET https://127.0.0.1:$S" | thrum attack -cert both.pem -root-certs ca.pem -rate=20 -duration=1s | thrum report)
    has "both in one file" "$out" '^Status Codes .* 200:20 '
    out=$(echo "GET https://127.0.0.1:$S" | thrum attack -cert cs1.pem -key cs2.pem -rate=20 -duration=1s | thrum report)
    has "no root" "$out" 'x509.*-root-certs|-root-certs.*x509'
    case_ "the system's roots"
    out=$(echo "GET https://127.0.0.1:$S" | SSL_CERT_FILE=$work/ca.pem thrum attack -rate=20 -duration=1s | thrum report)
    has "SSL_CERT_FILE" "$out" '^Status Codes .* 200:20 '
    # Without a flag or a variable: a root folder as the distributions lay it out.
    for store in Debian:etc/ssl/certs/ca-certificates.crt "Red Hat:etc/pki/tls/certs/ca-bundle.crt"; do
      if unshare -rm true 2>/dev/null; then
        out=$(echo "GET https://127.0.0.1:$S" | unshare -rm sh -c '
          unset SSL_CERT_FILE SSL_CERT_DIR; mount -t tmpfs none /etc && mkdir -p "$(dirname "/$1")" && cp ca.pem "/$1" && exec thrum attack -rate=20 -duration=1s' sh "${store#*:}" | thrum report)
        has "as ${store%%:*} has them" "$out" '^Status Codes .* 200:20 '
      else
        skip "no mount namespaces here"
      fi
    done
  fi
fi


case_ "a URL and nothing else, in a pipe"
out=$(thrum http://127.0.0.1:$P/api/products | cat)
has "what ran" "$out" '^GET http://127.0.0.1:[0-9]+/api/products: 100 requests, '
has "verdict" "$out" '^(✔ Healthy|▲ Degraded)  100 requests, .* 0 failed'
if need tmux; then
  case_ "a URL and nothing else, at a terminal"
  socket=$work/tmux
  tmux -S "$socket" -f /dev/null new-session -d -x 100 -y 30 "sh -c 'thrum http://127.0.0.1:$P/api/products; tmux -S $socket wait-for -S done; sleep 30'"
  for _ in $(seq 100); do
    tmux -S "$socket" capture-pane -p | grep -q 'Healthy\|Degraded' && break
    sleep 0.1
  done
  has "the screen has the verdict" "$(tmux -S "$socket" capture-pane -p)" 'Healthy|Degraded'
  tmux -S "$socket" send-keys q
  timeout 10 tmux -S "$socket" wait-for done
  has "and leaves it in the shell" "$(tmux -S "$socket" capture-pane -p)" '(✔ Healthy|▲ Degraded)  100 requests'
  tmux -S "$socket" kill-server

  case_ "thrum alone, at a terminal"
  socket=$work/tmux2
  mkdir alone
  tmux -S "$socket" -f /dev/null new-session -d -x 100 -y 30 "cd alone && thrum; sleep 30"
  for _ in $(seq 100); do
    tmux -S "$socket" capture-pane -p | grep -qi 'url' && break
    sleep 0.1
  done
  has "is a form" "$(tmux -S "$socket" capture-pane -p)" '[Uu][Rr][Ll]'
  tmux -S "$socket" kill-server

  case_ "a long run with a snapshot and metrics, and keys"
  socket=$work/tmux3
  tmux -S "$socket" -f /dev/null new-session -d -x 120 -y 40 "thrum -z 60s -c 4 --snapshot s.json -snapshot-every 1s --metrics 127.0.0.1:0 $url/api/products 2>watch.err; sleep 30"
  for _ in $(seq 100); do
    [ -s s.json ] && grep -q metrics watch.err && break
    sleep 0.1
  done
  has "scrape" "$(curl -s "$(grep -o 'http://[^; ]*/metrics' watch.err)")" '^thrum_sent_total [1-9]'
  for key in Space + - Tab Enter '?' Escape Space; do
    tmux -S "$socket" send-keys "$key"
    sleep 0.2
  done
  equal "the snapshot goes on" "$(jq -c .snapshot.running s.json)" true
  tmux -S "$socket" send-keys s
  sleep 1
  tmux -S "$socket" send-keys q
  for _ in $(seq 50); do
    [ "$(jq -c .snapshot.running s.json)" = false ] && break
    sleep 0.1
  done
  equal "and ends with the run" "$(jq -c .snapshot.running s.json)" false
  has "the verdict is left" "$(tmux -S "$socket" capture-pane -p)" 'stopped before its end'
  tmux -S "$socket" kill-server
fi

case_ "a run with a body, for a time"
out=$(thrum -z 1s -c 50 -m POST -H 'Content-Type: application/json' -d '{"key":"value"}' http://127.0.0.1:$P/echo)
equal exit $? 0
has "what ran" "$out" '^POST http://127.0.0.1:[0-9]+/echo: for 1s, 50 at once$'
out=$(thrum --duration 1s --concurrency 50 --method POST --header 'Content-Type: application/json' --data '{"key":"value"}' http://127.0.0.1:$P/echo)
has "by long names" "$out" '^POST http://127.0.0.1:[0-9]+/echo: for 1s, 50 at once$'

case_ "a command of curl"
if [ -n "${TOKEN:-}" ]; then
  thrum -z 1s --json --curl -- curl "http://127.0.0.1:$P/api/me" -H "Authorization: Bearer $TOKEN" >me.json 2>me.err
  equal exit $? 0
  equal "all are 200" "$(jq -c '.summary.status_codes | keys' me.json)" '["200"]'
fi

case_ "a gate in a run"
thrum -z 1s -c 20 --fail-if 'p99 > 300ms' "$url/api/products" >gate.out 2>gate.err
equal "held: exit" $? 0
thrum -z 1s -c 20 --fail-if 'p99 > 300ms' "$url/delay?ms=400" >gate.out 2>gate.err
equal "crossed: exit" $? 4

case_ "JSON, and its schema"
thrum --json -n 100 "$url/api/products" >one.json
equal "documents" "$(jq -s length one.json)" 1
equal "version" "$(jq -c '[.schema_version, .summary.total_requests]' one.json)" '[1,100]'
thrum schema >schema.json
equal "the schema" "$(jq -r '."$schema"' schema.json)" https://json-schema.org/draft/2020-12/schema
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
  /usr/bin/python3 -c 'import json,jsonschema
jsonschema.Draft202012Validator(json.load(open("schema.json"))).validate(json.load(open("one.json")))' && pass || fail "the schema refuses the report"
fi

case_ "guards and a dry run"
serve guarded -addr 127.0.0.1:0 -log guarded.jsonl
G=http://127.0.0.1:$(port_in guarded http)
thrum --dry-run --allow-host .example.com --max-requests 100 --max-rate 10 --max-concurrency 4 "$G/" >dry.out 2>dry.err
equal "a host outside: exit" $? 2
one_line "a host outside" dry.err
out=$(thrum --dry-run --allow-host 127.0.0.1 --max-requests 100 --max-rate 10 --max-concurrency 4 -rate 10/s -n 50 "$G/")
equal "inside: exit" $? 0
has "inside" "$out" '^Guard .*127\.0\.0\.1'
sleep 1.2
equal "nothing was sent" "$(wc -l <guarded.jsonl)" 0

case_ "a snapshot and metrics without a screen"
thrum -z 3s -c 2 --snapshot soak.json -snapshot-every 1s --metrics :0 "$url/api/products" >soak.out 2>soak.err &
run=$!
for _ in $(seq 50); do
  [ -s soak.json ] && break
  sleep 0.1
done
has "scrape" "$(curl -s "$(grep -o 'http://[^; ]*/metrics' soak.err)")" '^thrum_sent_total [1-9]'
has "loopback" "$(cat soak.err)" 'for this machine only'
wait $run
equal "the last snapshot" "$(jq -c .snapshot.running soak.json)" false

case_ "warm-up, a rate, threads"
thrum --warmup 1s --rate 100 --threads auto -z 2s --json "$url/api/products" >warm.json
equal "the warm-up is left out" "$(jq -c '[.summary.total_requests, .generator.warmup_requests, .generator.warmup_s]' warm.json)" '[200,100,1]'

summary
