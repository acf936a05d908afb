#!/usr/bin/env bash
# Rates in all their shapes, attacked with and drawn.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)

# attack FILE PATH FLAGS...
attack() {
  local file=$1 path=$2
  shift 2
  echo "GET $url$path" | thrum attack "$@" -output="$file"
}
# When each hit was due, in microseconds after the first.
dues() { thrum encode "$1" | jq -r '[.seq, .timestamp, .lag] | @tsv' | python3 -c '
import sys
def nanos(t):
    clock = t.split("T")[1]
    h, m, s = clock[:2], clock[3:5], clock[6:].rstrip("Z").split("+")[0]
    whole, _, part = s.partition(".")
    return (int(h) * 3600 + int(m) * 60 + int(whole)) * 10**9 + int((part + "0" * 9)[:9])
rows = sorted((int(a), nanos(b) - int(c)) for a, b, c in (line.split("\t") for line in sys.stdin))
print(*[(due - rows[0][1]) // 1000 for _, due in rows])'; }

case_ "steps, the last of which is too much"
attack steps.bin /api/report -rate='50..200/s step 50 every 2s'
equal exit $? 0
equal requests "$(of steps.bin .requests)" 1000
equal stages "$(of steps.bin '[.stages[] | .stage] | join(", ")')" '50/s for 2s, 100/s for 2s, 150/s for 2s, 200/s for 2s'
equal "hits of each" "$(of steps.bin '[.stages[].requests] | join(" ")')" '100 200 300 400'
equal "the third" "$(of steps.bin '.stages[2].verdict')" 'kept up'
has "the last" "$(of steps.bin '.stages[3].verdict')" '^fell behind'
out=$(thrum report steps.bin)
has "a table" "$out" '^Stages +Asked +Sent +Rate'
has "a line for the first" "$out" '^50/s for 2s +100 +100 +50\.00'
has "a line for the last" "$out" '^200/s for 2s +400 +400 .* fell behind'

case_ "a shape ends the attack, and -duration may end it before"
attack ramp.bin /bytes/16 -rate='0..100/s over 1s, hold 1s'
equal requests "$(of ramp.bin .requests)" 150
attack ramp.bin /bytes/16 -rate='0..100/s over 1s, hold 1h' -duration=1500ms
equal "with -duration" "$(of ramp.bin .requests)" 100
attack ramp.bin /bytes/16 -rate='100 every 500ms for 1s, 0/s for 200ms, 10/s' -n=205
equal "bursts, a pause, a rate, -n" "$(of ramp.bin .requests)" 205
equal "hits of each" "$(of ramp.bin '[.stages[].requests] | join(" ")')" '200 0 5'

case_ "a file of points"
printf 'time,rate\n0,50\n1s,50\n1s,100\n2s,100\n' >load.csv
attack points.bin /bytes/16 -rate=@load.csv
equal requests "$(of points.bin .requests)" 150

if need python3; then
  case_ "when hits are due"
  attack due.bin /bytes/16 -rate='10/s for 500ms, 100/s for 50ms'
  equal "hits are due" "$(dues due.bin)" '0 100000 200000 300000 400000 500000 510000 520000 530000 540000'

  case_ "random arrivals"
  attack one.bin /bytes/16 -rate='poisson 200/s for 1s' -seed=7
  attack two.bin /bytes/16 -rate='poisson 200/s for 1s' -seed=7 -cpus=2
  attack other.bin /bytes/16 -rate='poisson 200/s for 1s' -seed=8
  within requests "$(of one.bin .requests)" 120 280
  equal "the seed, in the report" "$(of one.bin '.runs[0].plan.seed')" 7
  equal "the same seed, the same times" "$(dues one.bin)" "$(dues two.bin)"
  [ "$(dues one.bin)" != "$(dues other.bin)" ] && pass || fail "another seed gives the same times"
  attack any.bin /bytes/16 -rate='poisson 200/s for 1s'
  has "a seed of its own" "$(of any.bin '.runs[0].plan.seed')" '^[1-9][0-9]+$'
fi

case_ "thrum shape"
out=$(thrum shape '0..100/s over 10s, hold 10s' -width=60)
equal exit $? 0
has total "$out" '^1500 hits in 20s, 100/s at most, 75/s in the mean$'
has "a stage" "$out" '^100/s for 10s +10s +10s +100/s +100/s +1000$'
within "its width" "$(thrum shape 50/s -width=60 | LC_ALL=C.UTF-8 wc -L)" 50 60

case_ "mistakes"
for wrong in '10..500/s over' '50/s, 10/s for 1s' 'hold 1s' 'sine mean 5/s' '@nowhere.csv' '5 every'; do
  thrum shape "$wrong" >out 2>err
  equal "'$wrong': exit" $? 2
  empty "'$wrong': stdout" out
  one_line "'$wrong': stderr" err
  has "'$wrong': a mark" "$(cat err)" '\^'
done
thrum shape >out 2>err
equal "no rate: exit" $? 2
thrum shape 0 >out 2>err
equal "a closed loop: exit" $? 2
echo "GET $url/" | thrum attack -rate=50/s -seed=5 -duration=1s >out 2>err
equal "-seed of nothing random: exit" $? 2

summary
