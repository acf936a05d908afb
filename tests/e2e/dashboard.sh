#!/usr/bin/env bash
# The screen of a run, driven in tmux on real runs: keys, sizes, and that the terminal is as it was however it ends.
. "$(dirname "$0")/harness.sh"
need tmux || { summary; exit; }

serve site -addr=127.0.0.1:0 -log=log.jsonl
url=http://127.0.0.1:$(port_in site http)

tm() { tmux -f /dev/null -L "thrum$$" "$@"; }
trap 'tm kill-server 2>/dev/null; finish' EXIT
tm new-session -d -x 120 -y 46 -s s "env PS1='ready> ' PATH='$PATH' TERM=screen-256color bash --norc --noprofile"
tm set-option -g window-size manual 2>/dev/null
sleep 0.5
keys() { tm send-keys -t s "$@"; }
screen() { tm capture-pane -p -t s; }
# shows WHAT PATTERN: within three seconds
shows() {
  local i
  for ((i = 0; i < 30; i++)); do
    grep -Eq -- "$2" <<<"$(screen)" && { pass; return; }
    sleep 0.1
  done
  fail "$1: no /$2/ in: $(screen | head -c 3000)"
}
start() { keys "clear; $*" Enter; }
# The shell is there again, and the terminal as it was.
sane() {
  shows "$1: the shell" 'ready>$'
  keys "clear; echo modes \$(stty -a | tr ' ;' '\\n\\n' | grep -xc 'isig\|icanon\|echo\|icrnl')" Enter
  shows "$1: stty" '^modes 4$'
  equal "$1: its own page" "$(tm display -p -t s '#{alternate_on}#{cursor_flag}')" 01
}

case_ "views and help"
start "thrum -z 60s -c 4 -rate 300/s $url/api/products"
shows "live" '● running  300/s  4 at once'
shows "the heatmap" 'Latency, second by second'
keys 2
shows "stats" 'Distribution'
keys 3
shows "requests" 'kept'
keys Down
shows "a pick" '· held'
keys Enter
shows "the inspector" 'longer than'
keys Escape
sleep 0.3
keys Escape
sleep 0.3
keys / 'status:2xx lat<10s'
keys Enter
shows "a query" 'status:2xx'
keys c /
tm send-keys -t s -l 'status:what'
shows "a query that is none" 'takes codes, classes'
keys Escape
shows "responses that were kept" '● whole'
keys Down Enter ']'
shows "one of them" 'Content-Type: application/json'
keys /
tm send-keys -t s -l 'products'
keys Enter
shows "its body, indented" '"products": \['
keys v
shows "as it came" '"products":\['
keys w
shows "to a file" 'wrote thrum-.*\.body'
has "the file" "$(cat thrum-*.body)" '"products"'
keys y
shows "to the clipboard" 'as a curl command'
keys Escape
sleep 0.3
keys Escape
sleep 0.3
keys x
shows "failed only" 'failed only'
keys c
keys Tab
shows "live again" 'second by second'
keys '?'
shows "help" 'pause, resume'
keys '?'

case_ "concurrency"
keys +
shows "more" '5 at once'
keys -
keys -
shows "fewer" '3 at once'

case_ "the rate"
keys '>'
shows "up" '330/s'
keys '<' '<'
shows "down" '273/s'

case_ "files while it runs"
keys o
shows "the menu" 'Write a file'
keys c
shows "seconds" 'wrote thrum-.*\.csv'
keys o n
shows "requests" 'wrote thrum-.*\.ndjson'
equal "each a line" "$(jq -s 'length > 10 and all(has("latency_ms"))' thrum-*.ndjson)" true
keys o j
shows "no report yet" 'once the run is over'

case_ "pause"
keys Space
asked=$(date +%s%N)
shows "paused" '‖ paused'
sleep 2.4
equal "what arrives later than 100 ms" "$(jq -s --argjson t "$asked" 'map(select(.ns > $t + 100000000)) | length' log.jsonl)" 0
from=$(wc -l <log.jsonl)
keys Space
shows "resumed" '● running'
sleep 1.3
[ "$(wc -l <log.jsonl)" -gt "$from" ] && pass || fail "nothing arrives after it"

case_ "sizes"
for size in 300x80 60x18 20x5 200x60 80x24; do
  tm resize-window -t s -x "${size%x*}" -y "${size#*x}"
  if [ $size = 20x5 ]; then shows $size 'is too'; else shows $size 'q quit'; fi
done
tm resize-window -t s -x 120 -y 46
shows "back" 'Figures'

case_ "stop, and leave"
keys s
shows "stopped" '■ stopped'
shows "the verdict" 'stopped before its end|requests,'
for what in j h m s; do
  keys o $what
  shows "file $what" 'wrote thrum-'
  sleep 0.2
done
keys q
equal "the report" "$(jq '.summary.total_requests > 0' thrum-*.json)" true
has "the page" "$(head -c 300 thrum-*.html)" '<!doctype html>|<!DOCTYPE html>'
has "Markdown" "$(cat thrum-*.md)" 'requests'
has "the card" "$(cat thrum-*.svg)" '^<svg .*'
shows "is left in the shell" '^GET .*: at 300/s for 1m0s, at most 4 at once'
sane "after q"

case_ "leaving while it runs"
start "thrum -z 60s -c 4 -rate 300/s $url/api/products"
shows "live" '● running'
keys C-c
shows "a verdict" 'stopped before its end'
sane "after Ctrl-C"

case_ "the end of a run"
start "thrum -n 200 -c 4 $url/api/products; echo code \$?"
shows "is on the screen" '✔ done'
keys q
shows "and its code in the shell" '^code 0'
sane "after the end"

case_ "killed"
for signal in TERM HUP ABRT SEGV; do
  start "sh -c 'echo \$\$ >pid; exec thrum -z 60s -c 4 -rate 300/s $url/api/products'"
  shows "$signal: live" '● running'
  kill -"$signal" "$(cat pid)"
  sane "$signal"
done

case_ "once more, and the form"
from_again=$(grep -c /api/products log.jsonl)
start "thrum -n 50 -c 4 $url/api/products"
shows "done" '✔ done  4 at once'
keys r
sleep 0.5
shows "done again" '✔ done  4 at once'
sleep 1.2
equal "both were sent" "$(grep -c /api/products <log.jsonl | awk -v b="$from_again" '{print ($1 >= b + 100)}')" 1
keys e
shows "the form" "thrum -n 50 -c 4 $url/api/products"
keys Escape
shows "its line is left in the shell" "^thrum -n 50 -c 4 $url/api/products"
sane "after the form"

case_ "from thrum to a verdict by keys alone"
start "thrum; echo code \$?"
shows "the form" 'set up a run'
keys Enter
shows "what is missing" '✖ say which URL to send to'
tm send-keys -t s -l "$url/api/products"
keys Down Right Left Down 'X-Mode' Down
shows "what is wrong" 'X-Mode'
keys Enter
shows "is told beside it" '✖ "X-Mode": there is no colon'
tm send-keys -t s -l ': form'
keys C-t
shows "one request" '200 after'
shows "as it went" 'X-Mode: form'
keys Escape
keys F1
shows "keys" 'switches on and off'
keys Escape C-s
shows "saved" 'saved to thrum.toml; thrum runs it'
equal "the file" "$(sed -n 's/^url = //p' thrum.toml)" "\"$url/api/products\""
keys Enter
shows "the run" '✔ done'
keys q
shows "the verdict" '^GET .*: 100 requests'
shows "its line" "^thrum -H 'X-Mode: form' $url/api/products"
shows "its code" '^code 0'
sane "after the form's run"
start "thrum"
shows "thrum.toml's" '✔ done'
keys q
rm thrum.toml

case_ "a curl command is pasted"
start "thrum -i -c 3"
shows "the form" 'thrum run -c 3|thrum -c 3'
tm set-buffer "curl -X POST -d 'a=1&b=2' \\
  -H 'X-Pasted: yes' $url/echo"
tm paste-buffer -p -t s
shows "it is taken" "thrum -m POST .*-H 'X-Pasted: yes'"
keys Enter
shows "and sent" 'POST http.*✔ done'
keys q
sane "after the paste"

case_ "the form, killed, and on what is no terminal"
for signal in TERM HUP ABRT; do
  start "sh -c 'echo \$\$ >pid; exec thrum -i'"
  shows "$signal: the form" 'set up a run'
  kill -"$signal" "$(cat pid)"
  sane "form, $signal"
done
thrum -i >out 2>err
equal "-i without a terminal" "$?" 2
has "and why" "$(cat err)" '-i needs a terminal'
thrum run >out 2>err
equal "run without a URL" "$?" 2

case_ "without colours"
start "NO_COLOR=1 thrum -z 60s -c 2 $url/api/products"
shows "live" '● running'
sleep 1.5
lacks "no colour" "$(tm capture-pane -e -p -t s)" $'\x1b\\[[0-9;]*(3[0-7]|38|48|9[0-7])'
keys q
sane "after it"

case_ "hostile responses change nothing outside their cell"
if need python3; then
  cat >hostile.py <<'P'
import http.server, itertools, socketserver
bodies = itertools.cycle([b"\x1b[2J\x1b[1;1Hgone\x1b]0;title\x07\x1b[?1049l", b"x" * (1 << 20), b"\xff\xfe\xe2\x80\xae\xcc\x81\xf0\x9f\x98\x80",
                          b"\x00\x01\x02GIF", b"\x1b[2J\r\n" * 1000, "\u4e2d\u6587 \U0001f600".encode() * 50])
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = next(bodies)
        fails = body[0] in b"\x1b\xff"
        self.wfile.write(b"HTTP/1.1 " + (b"503 No\x1b[31m\x9b2J" if fails else b"200 OK") + b"\r\nX-Evil: \x1b[2J\xff\x1b]52;c;eA==\x07\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    def log_message(self, *args): pass
class S(socketserver.ThreadingMixIn, http.server.HTTPServer): daemon_threads = True
s = S(("127.0.0.1", 0), H)
print(s.server_address[1], flush=True)
s.serve_forever()
P
  python3 hostile.py >hostile.port &
  hostile=$!
  for ((i = 0; i < 50; i++)); do [ -s hostile.port ] && break; sleep 0.1; done
  # Each line is as wide as the terminal at most, and the first one is where it was.
  whole() {
    local text
    text=$(screen)
    equal "$1: the first line" "$(head -n 1 <<<"$text" | cut -c1-11)" ' thrum  GET'
    equal "$1: the last line" "$(tail -n 1 <<<"$text" | grep -c 'q quit')" 1
    equal "$1: boxes are whole" "$(grep -c '^[│╭╰].*[│╮╯]$' <<<"$text")" "$(grep -c '^[│╭╰]' <<<"$text")"
  }
  start "thrum -rate 40/s -z 60s http://127.0.0.1:$(cat hostile.port)/"
  shows "live" '● running'
  sleep 1.5
  whole live
  keys 3
  shows "requests" '● whole'
  whole requests
  keys Down Enter
  for i in 1 2 3 4 5 6 7 8; do
    sleep 0.2
    whole "inspector $i"
    keys v ']'
  done
  equal "the title is not theirs" "$(tm display -p -t s '#{pane_title}' | grep -c '^title$')" 0
  equal "nor the clipboard" "$(tm show-buffer 2>/dev/null | grep -c '^x$')" 0
  keys q
  sane "after it"
  # The same in the form's one request.
  start "thrum -i http://127.0.0.1:$(cat hostile.port)/"
  shows "the form" 'set up a run'
  keys C-t
  shows "its answer" 'after .*nothing is counted'
  equal "the form's first line" "$(screen | head -n 1 | cut -c1-20)" ' thrum  set up a run'
  keys Escape
  sleep 0.3
  keys Escape
  sane "after the form"
  kill $hostile
fi

case_ "a terminal that takes nothing"
if need python3; then
  cat >stalled.py <<'P'
import os, pty, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp("thrum", ["thrum", "-rate", "500/s", "-z", "2s", "-output", "stalled.json", sys.argv[1]])
time.sleep(4)            # nothing is read: its buffer is full long before
os.write(fd, b"q")
deadline = time.time() + 5
code = None
while time.time() < deadline:
    try:
        os.read(fd, 65536)
    except OSError:
        break
_, status = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(status))
P
  equal exit "$(python3 stalled.py "$url/api/products")" 0
  equal requests "$(jq .summary.total_requests stalled.json)" 1000
  within "p99 of what waited, ms" "$(jq .summary.queued.p99_ms stalled.json)" 0 100
fi

summary
