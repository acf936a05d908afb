#!/usr/bin/env bash
# thrum plot from recorded runs to a page that a browser shows. Where node, its packages (npm ci in web/) or Chromium are missing,
# the browser's part is skipped; under THRUM_CI it is required.
. "$(dirname "$0")/harness.sh"
here=$(cd "$OLDPWD" && cd "$(dirname "$0")" && pwd)
web=$here/../../web
serve target -addr 127.0.0.1:0
P=$(port_in target http)
url=http://127.0.0.1:$P
# labels PAGE: of its series, in a line
labels() { sed -n '/"labels": \[/,/\]/p' "$1" | sed 1d | jq -Rrs '"[" + . | sub("],\\s*$"; "]") | fromjson | .[1:] | join(" ")'; }

case_ "a stepped ramp"
for r in 50 100 150 200; do
  echo "GET $url/api/report" | thrum attack -rate=$r -duration=2s -name=step$r >step$r.bin
done
thrum plot -title="Stepped ramp" step50.bin step100.bin step150.bin step200.bin >ramp.html 2>ramp.err
equal exit $? 0
empty stderr ramp.err
equal labels "$(labels ramp.html)" "step100: OK step150: OK step200: OK step50: OK"
within "size of the page" "$(stat -c %s ramp.html)" 1000 400000
has title "$(cat ramp.html)" '<h1>Stepped ramp</h1>'
lacks page "$(cat ramp.html)" ' (src|href)='

case_ "names, else files"
for name in null sleep query; do
  echo "GET $url/" | thrum attack -rate=50 -duration=200ms -name=$name >results-$name.bin
  echo "GET $url/" | thrum attack -rate=50 -duration=200ms >unnamed-$name.bin
done
thrum plot results-null.bin results-sleep.bin results-query.bin >named.html
equal "named" "$(labels named.html)" "null: OK query: OK sleep: OK"
thrum plot unnamed-null.bin unnamed-sleep.bin unnamed-query.bin >unnamed.html
equal "unnamed" "$(labels unnamed.html)" "unnamed-null.bin: OK unnamed-query.bin: OK unnamed-sleep.bin: OK"

case_ "a live pipe"
echo "GET $url/" | thrum attack -rate=50 -duration=300ms | thrum plot -title '<b>live</b>' >live.html
has headline "$(cat live.html)" '<h1>&lt;b&gt;live&lt;/b&gt;</h1>'

case_ "a reader that leaves"
thrum plot step200.bin 2>left.err | head -1 >/dev/null
empty stderr left.err

case_ "flags"
for flag in -threshold=2 -threshold=-1 -threshold=many -nope; do
  thrum plot "$flag" step50.bin >out 2>err
  equal "$flag: exit" $? 2
  empty "$flag: stdout" out
  one_line "$flag: stderr" err
done
cp step50.bin kept.bin
thrum plot -output=step50.bin step50.bin 2>err
equal "over its input: exit" $? 2
cmp -s step50.bin kept.bin && pass || fail "the results were overwritten"
thrum plot nosuch.bin 2>err
equal "a missing file: exit" $? 1
one_line "a missing file" err

case_ "a browser"
if need node && need chromium; then
  if [ -d "$web/node_modules/playwright-core" ]; then
    mkdir browser && cd browser || exit 1
    if timeout 150 node "$here/plot_page.mjs" "$web" ../ramp.html >../browser.out 2>&1; then pass; else fail "$(cat ../browser.out)"; fi
    tail -1 ../browser.out
    cd ..
  else
    skip "no web/node_modules; npm ci in web/ makes it"
    [ -z "${THRUM_CI:-}" ] || fail "web/node_modules is required"
  fi
fi

summary
