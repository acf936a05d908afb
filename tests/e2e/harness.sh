# Sourced by the end-to-end suites: a folder of its own, the built-in target on a port the kernel chose, and checks that count.
# The first argument of a suite is the folder that holds the thrum binary.
set -u
bin=$(cd "${1:?usage: SUITE.sh BIN-FOLDER}" && pwd)
PATH=$bin:$PATH
export LC_ALL=C.UTF-8
unset HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy
work=$(mktemp -d)
cd "$work" || exit 1
passed=0 failed=0 skipped=0 name=setup
started=()

finish() {
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  rm -rf "$work"
}
trap finish EXIT

# serve NAME [flag...]: starts `thrum serve` with its words in NAME.out and waits until it listens.
serve() {
  local out=$1.out i
  shift
  : >"$out"
  thrum serve "$@" >"$out" 2>&1 &
  started+=($!)
  served=$!
  for ((i = 0; i < 100; i++)); do
    grep -q 'attack' "$out" && return
    sleep 0.1
  done
  echo "thrum serve did not start: $(cat "$out")" >&2
  exit 1
}
port_in() { grep -o "$2://[^/ \"]*" "$1.out" | head -1 | sed 's/.*://'; }

case_() { name=$1; }
fail() {
  failed=$((failed + 1))
  echo "FAILED $name: $*"
}
pass() { passed=$((passed + 1)); }
skip() {
  skipped=$((skipped + 1))
  echo "skipped $name: $*"
}
# equal WHAT IS SHOULD
equal() { if [ "$2" = "$3" ]; then pass; else fail "$1 is '$2', should be '$3'"; fi; }
# within WHAT IS LOW HIGH (numbers)
within() { if awk -v x="$2" -v a="$3" -v b="$4" 'BEGIN { exit !(x != "" && x + 0 >= a && x + 0 <= b) }'; then pass; else fail "$1 is '$2', should be $3..$4"; fi; }
# has WHAT TEXT PATTERN (extended regular expression)
has() { if grep -Eq -- "$3" <<<"$2"; then pass; else fail "$1 lacks /$3/: $(head -c 1500 <<<"$2")"; fi; }
lacks() { if grep -Eq -- "$3" <<<"$2"; then fail "$1 has /$3/: $(head -c 1500 <<<"$2")"; else pass; fi; }
empty() { if [ -s "$2" ]; then fail "$1 is not empty: $(head -c 500 "$2")"; else pass; fi; }
one_line() { equal "$1: lines" "$(wc -l <"$2")" 1; }
# of FILE JQ: a value of the JSON report of a results file
of() { thrum report -type=json "$1" | jq -r "$2"; }
need() { command -v "$1" >/dev/null || { skip "no $1 here"; [ -z "${THRUM_CI:-}" ] || fail "$1 is required"; return 1; }; }

summary() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
}
