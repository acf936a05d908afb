#!/usr/bin/env bash
# Every command line recorded from vegeta (tests/data/golden/vegeta, folder b), given to the program: it ends well where
# vegeta ended well, with 2 where vegeta said 2, in failure where vegeta failed, then with one line on stderr and nothing on
# stdout; attacks give the same results but for times and the words of errors. What differs on purpose stands below.
data=$(cd "$(dirname "$0")/../data/golden/vegeta" && pwd)
. "$(dirname "$0")/harness.sh"
need jq || { summary; exit; }
cp -r "$data/b" b && cd b || exit 1
export TOOL=$bin/thrum HOME=$work TZ=UTC

# id, exit code, reason
whole='what is whole is used, with a warning; exit 1 only with -strict'
read='a list that says what to send is read'
declare -A differs=(
  [b/help-word]='0 help and version are commands'
  [b/version-word]='0 help and version are commands'
  [b/rate-bad-05]='0 rates may have decimals'
  [b/rate-ok-00]='2 a negative rate sends nothing, and is no rate'
  [b/rate-ok-01]='2 a negative rate sends nothing, and is no rate'
  [b/rate-ok-02]='2 a negative rate sends nothing, and is no rate'
  [b/targets-lower-then-upper]='1 a line that is no target is an error, not a header of the target above'
  [b/targets-long-line]="0 $read, however long its lines"
  [b/targets-long-line-header]="0 $read, however long its lines"
  [b/jtargets-header-string]="0 $read"
  [b/jtargets-array]="0 $read"
  [b/jtargets-no-newline]="0 $read"
  [b/jtargets-multi-line]="0 $read"
  [b/jtargets-bom]="0 $read"
  [b/report-gob-trunc-mid-second-record]="0 $whole"
  [b/encode-gob-trunc-mid-second-record]="0 $whole"
  [b/report-gob-trunc-len-byte-only-second]="0 $whole"
  [b/encode-gob-trunc-len-byte-only-second]="0 $whole"
  [b/report-gob-trunc-mid-last-record]="0 $whole"
  [b/encode-gob-trunc-mid-last-record]="0 $whole"
  [b/report-gob-trunc-minus1]="0 $whole"
  [b/encode-gob-trunc-minus1]="0 $whole"
  [b/encode-gob-tail]="0 $whole"
  [b/encode-gob-newline-tail]="0 $whole"
  [b/encode-csv-trunc]="0 $whole"
  [b/encode-csv-trunc-mid]="0 $whole"
  [b/type-bad-05]='0 without bounds, hist chooses them'
)

# Results without what no two runs share; every word of a failed connection is one kind.
comparable() {
  jq -c '{attack, seq, code, bytes_out, bytes_in, method, url, headers, failed: (.error != "")}' | sort
}

while IFS=$'\x1f' read -r id wanted stdout command; do
  case_ "$id: $command"
  bash -c "$command" >"$work/out" 2>"$work/err" </dev/null
  is=$?
  if [ -n "${differs[$id]-}" ]; then
    equal exit "$is" "${differs[$id]%% *}"
  elif [ "$wanted" = 1 ]; then
    [ "$is" = 1 ] || [ "$is" = 2 ] && pass || fail "exit is $is, should be 1 or 2"
  else
    equal exit "$is" "$wanted"
  fi
  if [ "$is" = 1 ] || [ "$is" = 2 ]; then
    empty stdout "$work/out"
    if [ "$command" != "\$TOOL" ] && [ "$command" != "\$TOOL --" ]; then one_line stderr "$work/err"; fi
    lacks stderr "$(cat "$work/err")" $'[\x01-\x08\x0b-\x1f\x7f]'
  elif [ -z "${differs[$id]-}" ] && [[ $command == *'$TOOL attack -'* && $command != *'-h'* && -s $stdout && $stdout == *.out && $id != b/attack-output-file ]]; then
    equal results "$("$TOOL" encode -to json "$work/out" | comparable)" "$(comparable <"$stdout")"
  fi
done < <(jq -r '.[] | select(.dir == "b") | [.id, (.exit | tostring), .stdout, .command] | join("\u001f")' "$data/cases.json")

summary
