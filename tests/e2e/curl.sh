#!/usr/bin/env bash
# -curl: a command of curl says what a run sends, in each of its forms; a table of commands is held against what curl itself sends.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
data=$here/../data/curl
serve site -addr=127.0.0.1:0 -log=log.jsonl
url=http://127.0.0.1:$(port_in site http)
last() {
  sleep 1.2
  tail -1 log.jsonl | jq -r '.method + " " + .target'
}

case_ "a command as words"
out=$(thrum -n 3 -curl -- curl "$url/api/products?a=1" -X PATCH -H 'X-A: 1' --compressed 2>err)
equal exit $? 0
equal "what is sent is told" "$(cat err)" "thrum run: PATCH $url/api/products?a=1"
has "what ran" "$out" "^PATCH http://127.0.0.1:[0-9]+/api/products\?a=1: 3 requests"
equal "the server saw" "$(last)" "PATCH /api/products?a=1"

case_ "as one word, from a file, from stdin; without the word curl; with the command's name"
printf 'curl -s -T - "%s/echo" \\\n  -X PROPFIND\n' "$url" >command
sed -i 's/ -T -//' command
thrum -n 1 --curl -- "$(cat command)" >out 2>err
equal "one word" "$(cat err)" "thrum run: PROPFIND $url/echo"
thrum -n 1 -curl -- @command >out 2>err
equal "a file" "$(cat err)" "thrum run: PROPFIND $url/echo"
thrum -n 1 -curl <command >out 2>err
equal "stdin" "$(cat err)" "thrum run: PROPFIND $url/echo"
thrum run -n 1 -curl -- "$url/echo" -I >out 2>err
equal "no curl" "$(cat err)" "thrum run: HEAD $url/echo"
thrum -n 1 -curl -- run "$url/x" >out 2>err
equal "a word behind -- is no command of thrum: exit" $? 2

case_ "secrets"
out=$(thrum -n 1 -dry-run -curl -- curl "http://anna:secret@127.0.0.1:1/?token=hidden" -H 'Authorization: Bearer hidden' -b 'session=hidden' 2>&1)
equal "dry run: exit" $? 0
lacks "no secret is shown" "$out" 'hidden|secret'
has "what would be sent" "$out" 'Authorization: Bearer'

case_ "how it is sent"
equal "redirects are not followed" "$(thrum -n 1 -json -curl -- curl "$url/redirect/1" 2>/dev/null | jq -c .summary.status_codes)" '{"302":1}'
equal "unless -L says so" "$(thrum -n 1 -json -curl -- curl -L "$url/redirect/1" 2>/dev/null | jq -c .summary.status_codes)" '{"200":1}'
equal "or -redirects" "$(thrum -n 1 -redirects 3 -json -curl -- curl "$url/redirect/1" 2>/dev/null | jq -c .summary.status_codes)" '{"200":1}'
equal "the command's time" "$(thrum -n 1 -t 5s -json -curl -- curl -m 0.1 "$url/delay?ms=2000" 2>/dev/null | jq .summary.timeout_errors)" 1
equal "no proxy of the environment, if the command has one" "$(http_proxy=http://127.0.0.1:1 thrum -n 1 -json -curl -- curl --noproxy '*' "$url/" 2>/dev/null | jq .summary.successful_requests)" 1
thrum -n 2 -curl -- curl --digest -u a:b -b cookies.txt "$url/" >out 2>err
equal "notes: exit" $? 0
equal "one line each" "$(wc -l <err)" 3
has "of what can't be reproduced" "$(cat err)" '^thrum run: -b cookies.txt: a file of cookies is not read'
printf 'header = ["X-File: 1"]\nmethod = "PUT"\nrate = "50/s"\n' >thrum.toml
thrum -z 1s -json -curl -- curl "$url/status/200" 2>/dev/null >out.json
equal "the command wins over a file's request, the file's rate stays" "$(jq -c '[.target.method, .summary.total_requests]' out.json)" '["GET",50]'
rm thrum.toml

case_ "mistakes"
wrong() { # what is said, then the words
  local says=$1
  shift
  thrum "$@" >out 2>err </dev/null
  equal "'$*': exit" $? 2
  one_line "'$*'" err
  has "'$*'" "$(cat err)" "$says"
}
wrong "more than one URL" -curl -- curl "$url" "$url"
wrong "did you mean --header" -curl -- curl "$url" --heder x
wrong "has no URL" -curl
wrong "-data is part of the request" -d x -curl -- curl "$url"
wrong "-header is part of the request" -H 'A: b' -curl -- curl "$url"
wrong "a command of curl stands behind --" -curl curl "$url" -X PUT
wrong "has no flag -curl" attack -curl -- curl "$url"
wrong "can't write a command of curl" -write-config new.toml -curl -- curl "$url"
thrum -curl -- @nofile >out 2>err
equal "no such file: exit" $? 1
one_line "no such file" err

case_ "what curl itself sends"
if need python3 && need curl; then
  cp -r "$data"/files/. .
  python3 "$here/curl_table.py" "$data" >table 2>&1
  head -c 2000 <(head -n -1 table)
  has "commands" "$(tail -1 table)" '^[1-9][0-9]{2} commands, [0-9]+ of them for cmd.exe, 0 differ$'
fi

summary
