#!/usr/bin/env bash
# The order of targets, their weights and names: what is sent, and what reports say of it.
. "$(dirname "$0")/harness.sh"

serve site -addr=127.0.0.1:0
url=http://127.0.0.1:$(port_in site http)

# The sizes of the answers, hit by hit: which target each hit went to.
sent() { thrum encode "$1" | jq -r '[.seq, .bytes_in] | @tsv' | sort -n | cut -f2 | tr '\n' ' '; }
share() { of "$1" "[.targets[] | .$2] | map(tostring) | join(\" \")"; }

cat >weights.txt <<END
#: name often
#: weight 5
GET $url/bytes/1

# a comment
#: weight 3
GET $url/bytes/2
X-A: b
#: name rare
GET $url/bytes/3
END
printf 'GET %s/bytes/1\nGET %s/bytes/2\nGET %s/bytes/3\n' "$url" "$url" "$url" >plain.txt

case_ "weights"
thrum attack -targets=weights.txt -rate=1000 -n=90 -output=w.bin 2>err
equal exit $? 0
empty stderr err
equal "requests of each" "$(share w.bin requests)" '50 30 10'
equal order "$(of w.bin .order)" weighted
equal names "$(of w.bin '[.targets[].name] | join(",")')" 'often,,rare'
equal wanted "$(of w.bin '[.targets[].wanted * 9 | round] | join(" ")')" '5 3 1'
has "the seed" "$(of w.bin '.runs[0].plan.seed')" '^[0-9]+$'
out=$(thrum report w.bin)
has "a table" "$out" '^Targets \(weighted\) +Weight +Wanted +Sent +Share$'
has "a line by name" "$out" '^often +5 +55\.56% +50 +55\.56%$'
has "a line by URL" "$out" '^GET http://127.0.0.1:[0-9]+/bytes/2 +3 +33\.33% +30 +33\.33%$'
thrum attack -targets=weights.txt -rate=1000 -n=1000 -cpus=2 -output=w2.bin
thrum encode w2.bin >w2.json
for part in 5:1 3:2 1:3; do
  within "share of weight ${part%:*}, in per cent" "$(jq -s "map(select(.bytes_in == ${part#*:})) | length / 10" w2.json)" \
    "$(awk "BEGIN { print 100 * ${part%:*} / 9 - 0.1 }")" "$(awk "BEGIN { print 100 * ${part%:*} / 9 + 0.1 }")"
done

case_ "the same seed, the same order, whatever the number of threads"
for order in sequence shuffle random weighted; do
  seed=-seed=7
  [ $order = sequence ] && seed=
  thrum attack -targets=weights.txt -order=$order $seed -rate=1000 -n=60 -cpus=1 -output=1.bin 2>err
  thrum attack -targets=weights.txt -order=$order $seed -rate=1000 -n=60 -cpus=2 -output=2.bin 2>/dev/null
  thrum attack -targets=weights.txt -order=$order $seed -rate=0 -max-workers=3 -n=60 -output=3.bin 2>/dev/null
  equal "$order: on two threads" "$(sent 1.bin)" "$(sent 2.bin)"
  equal "$order: in a closed loop" "$(sent 1.bin)" "$(sent 3.bin)"
  equal "$order: in the report" "$(of 1.bin .order)" $order
  if [ $order != sequence ]; then
    equal "$order: the seed in the report" "$(of 1.bin '.runs[0].plan.seed')" 7
    thrum attack -targets=weights.txt -order=$order -seed=8 -rate=1000 -n=60 -output=4.bin 2>/dev/null
    [ "$(sent 1.bin)" != "$(sent 4.bin)" ] && pass || fail "$order: another seed draws the same"
  fi
  if [ $order = weighted ]; then empty "$order: stderr" err; else has "$order: a word on the weights" "$(cat err)" "weights change nothing: -order=$order"; fi
done
equal sequence "$(thrum attack -targets=weights.txt -order=sequence -rate=1000 -n=7 2>/dev/null | thrum encode | jq .bytes_in | sort | uniq -c | awk '{ printf "%s ", $1 }')" '3 2 2 '
thrum attack -targets=plain.txt -order=shuffle -rate=1000 -n=60 -output=s.bin
equal "rounds that are no permutation" "$(sent s.bin | xargs -n3 | tr -d ' ' | grep -Evc '123|132|213|231|312|321')" 0
within "orders seen" "$(sent s.bin | xargs -n3 | sort -u | wc -l)" 3 6

case_ "a list without pragmas is sent in turn, and nothing is said of it"
thrum attack -targets=plain.txt -rate=1000 -n=6 -output=p.bin
equal sent "$(sent p.bin)" '1 2 3 1 2 3 '
equal targets "$(of p.bin .targets)" null
equal order "$(of p.bin .order)" null
lacks report "$(thrum report p.bin)" '^Targets'

case_ "names in results"
equal "native to JSON" "$(thrum encode w.bin | jq -r 'select(.bytes_in == 1) | .name' | sort -u)" often
equal "none" "$(thrum encode w.bin | jq -r 'select(.bytes_in == 2) | has("name")' | sort -u)" false
thrum encode w.bin >w.json
equal "from JSON" "$(thrum report -type=json -where=name=often w.json | jq .requests)" 50
equal "-where" "$(thrum report -type=json -where='name~^(often|rare)$' w.bin | jq .requests)" 60
equal "a part of the results has no shares" "$(thrum report -type=json -where=name=often w.bin | jq .targets)" null
out=$(thrum report -by=name w.bin)
has "-by=name" "$out" '^often +50 '
has "without a name" "$out" '^\(none\) +30 '
for encoding in gob csv; do
  thrum encode -to=$encoding -output=w.$encoding w.bin
  equal "$encoding has no room for names" "$(thrum report -type=json -where=name=often w.$encoding | jq .requests)" 0
done

case_ "the json format"
printf '{"method":"GET","url":"%s/bytes/1","weight":2,"name":"two"}\n{"method":"GET","url":"%s/bytes/2"}\n' "$url" "$url" >targets.json
thrum attack -format=json -targets=targets.json -rate=1000 -n=30 -output=j.bin
equal "requests of each" "$(share j.bin requests)" '20 10'

case_ "gates and the report on a terminal know the shares, too"
thrum attack -targets=weights.txt -rate=1000 -n=90 -fail-if='requests<90' -output=g.bin 2>/dev/null
equal exit $? 0
if need script; then
  out=$(script -qec "thrum attack -targets=weights.txt -rate=1000 -n=90 -progress=false" /dev/null </dev/null | tr -d '\r')
  has "a table" "$out" '^often +5 +55\.56% +50 +55\.56%$'
fi

case_ "-once sends each target once, and passes over weights"
equal "requests" "$(thrum attack -targets=weights.txt -once | grep -c '^> GET')" 3

case_ "mistakes"
# ends CODE PATTERN COMMAND...
ends() {
  local code=$1 pattern=$2
  shift 2
  "$@" >out 2>err
  equal "$*: exit" $? "$code"
  one_line "$*" err
  has "$*: stderr" "$(cat err)" "$pattern"
  empty "$*: stdout" out
}
ends 2 '-order=shuffle has to know all targets' thrum attack -targets=plain.txt -order=shuffle -lazy -n=1
ends 2 '-order' thrum attack -targets=plain.txt -order=sorted -n=1
ends 2 '-seed is for what is drawn' thrum attack -targets=plain.txt -seed=5 -n=1
ends 2 '-order is for an attack' thrum attack -targets=plain.txt -order=random -once
ends 1 'weights.txt:2: a weight is for a list that is sent round and round' thrum attack -targets=weights.txt -lazy -n=1 -output=x.bin
for slip in 'wieght 5:did you mean "weight"' 'weight 0:whole number from 1' 'name:a name is missing' 'nonsense:there are'; do
  printf 'GET %s/\n#: %s\nGET %s/\n' "$url" "${slip%:*}" "$url" >slip.txt
  ends 1 "slip\.txt:2: .*${slip#*:}" thrum attack -targets=slip.txt -n=1
done
{
  for i in 1 2 3 4 5; do printf '#: weight %s\nGET %s/\n' $((1000001 - i)) "$url"; done
} >heavy.txt
ends 1 'more than 4194304' thrum attack -targets=heavy.txt -n=1

summary
