#!/usr/bin/env bash
# Runs the manual's examples. In docs/*.md a block opened by ```sh run is run (```sh run exit=N: and must end with N), all blocks of a
# page in order, each by a shell of its own, in one folder; a block ```text expect below it must hold for what it printed, by the rules of
# docs_examples.awk. Ports 18080 and 18443 become those the kernel chose, and every -duration a tenth of what the page says
# (THRUM_DOCS_SCALE=1: just what it says).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.sh"
scale=${THRUM_DOCS_SCALE:-10}
case_ "tools"
need jq && need curl && need openssl || { summary; exit; }

# blocks PAGE: writes N.run, N.exit, N.line and, where there is one, N.expect and N.about for each block; prints how many there are.
blocks() {
  awk '
    /^```sh run( exit=[0-9]+)?$/ { n++; out = n ".run"; code = /exit=/ ? $0 : "0"; sub(/.*=/, "", code)
      print code > (n ".exit"); print FNR > (n ".line"); printf "" > out; next }
    /^```text expect( about)?$/ { out = n ".expect"; print (/about/ ? 1 : 0) > (n ".about"); printf "" > out; next }
    /^```/ { if (!out && !plain) plain = 1; else plain = 0; out = ""; next }
    out { print > out }
    END { print n + 0 }' "$1"
}
# shorter: -duration=10s becomes -duration=1000ms; ports become the real ones.
shorter() {
  awk -v scale="$scale" '{
    while (match($0, /-duration=[0-9]+s/)) {
      seconds = substr($0, RSTART + 10, RLENGTH - 11)
      $0 = substr($0, 1, RSTART - 1) "-duration\001" seconds * 1000 / scale "ms" substr($0, RSTART + RLENGTH)
    }
    gsub(/\001/, "="); print }' "$1" | sed "s/:18080/:$P/g; s/:18443/:$S/g"
}
compare() { awk -v scale="$scale" -v about="$3" -f "$here/docs_examples.awk" "$1" "$2"; }

case_ "the rules themselves"
# should (same or other), about, the page's line, the line printed
rule() {
  echo "$3" >rule.expect
  echo "$4" >rule.output
  compare rule.expect rule.output "$2" >/dev/null
  equal "'$3' and '$4'" "$([ $? = 0 ] && echo same || echo other)" "$1"
}
rule same 0 'Requests 1000, 100.10' "Requests   $((1000 / scale)), 101.01"
rule same 0 'Requests 1000, 100.10' 'Requests 1000, 100.10  '
rule other 0 'Requests 1000, 100.10' 'Requests 999, 100.10'
rule other 0 'Requests 1000, 100.10' 'Requests 1000, 60.10'
rule other 0 'Success 100.00%' 'Success 99.90%'
rule other 0 'Success 100.00%' 'Successes 100.00%'
rule same 0 'wait 106µs' 'wait 1m2.5s'
rule other 0 'wait 106µs' 'wait 106'
rule other 0 'wait 106µs' 'wait -'
rule same 0 'total 1000, …' 'total 1000, 1.5'
rule other 0 'total 1000, …' 'total 999, 1.5'
rule same 1 'sent 150' 'sent 146'
rule other 1 'sent 150' 'sent 90'
rule other 0 'connect: connection refused' 'connect: connection reset by peer'
rule same 0 'a 5.00 kept up' 'a 5.00 sent late: this machine woke thrum late; the busiest of 2 sending threads was 0 % busy'
rule other 0 'a 5.00 kept up' 'a 5.00 sent late: -max-workers (2)'

mkdir page && cd page || exit 1
serve target -addr 127.0.0.1:0 -tls 127.0.0.1:0 -cert-out serve.pem
P=$(port_in target http)
S=$(port_in target https)
examples=0
blocks_dir=$(mktemp -d -p "$work")
for page in "$here"/../../README.md "$here"/../../docs/*.md; do
  grep -q '^```sh run' "$page" || continue
  title=$(basename "$page")
  rm -f "$blocks_dir"/*
  count=$(cd "$blocks_dir" && blocks "$(realpath "$page")")
  for ((i = 1; i <= count; i++)); do
    block=$blocks_dir/$i
    case_ "$title:$(cat "$block.line")"
    shorter "$block.run" >"$block.short"
    timeout 60 bash -e "$block.short" >"$block.raw" 2>&1
    equal exit $? "$(cat "$block.exit")"
    sed "s/:$P/:18080/g; s/:$S/:18443/g" "$block.raw" >"$block.output"
    [ -f "$block.expect" ] || continue
    [ -s "$block.expect" ] && pass || fail "the block of what it prints is empty"
    missing=$(compare "$block.expect" "$block.output" "$(cat "$block.about")") && pass || fail "no line like '$missing' (in this order) in: $(head -c 3000 "$block.output")"
  done
  examples=$((examples + count))
done
case_ "pages"
within "examples in the manual" "$examples" 30 300
summary
