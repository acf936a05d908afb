#!/usr/bin/env bash
# -profile: files that pprof reads, in which the functions are found that did the work; and the command does what it does without.
. "$(dirname "$0")/harness.sh"
serve target -addr 127.0.0.1:0
echo "GET http://127.0.0.1:$(port_in target http)/bytes/16" >t.txt

case_ "cpu, of an attack"
thrum attack -profile=cpu -targets=t.txt -rate=0 -max-workers=4 -duration=2s -output=a.bin 2>err
equal exit $? 0
one_line stderr err
has stderr "$(cat err)" '^thrum attack: wrote cpu\.pprof; to read it: go tool pprof -top /.*/thrum cpu\.pprof$'
# Five words of header, then counts, depths and addresses, all of eight bytes: 0, 3, 0, the period in µs, 0.
equal header "$(od -An -v -t d8 -w8 -N 40 cpu.pprof | xargs)" "0 3 0 10000 0"
if need google-pprof; then
  text=$(google-pprof --text --cum "$bin/thrum" cpu.pprof 2>pprof.err)
  has "pprof's listing" "$text" '^Total: [1-9][0-9]* samples'
  has "pprof's listing" "$text" 'Shard::run|thrum::load|on_bytes'
fi

case_ "heap, of a plot"
thrum plot a.bin >plain.html
thrum -profile heap plot a.bin >page.html 2>err
equal exit $? 0
one_line stderr err
equal "the page" "$(cksum <page.html)" "$(cksum <plain.html)"
has header "$(head -1 heap.pprof)" '^heap profile: [1-9][0-9]*: [1-9][0-9]* \[[1-9][0-9]*: [1-9][0-9]*\] @ heap_v2/65536$'
if need google-pprof; then
  text=$(google-pprof --text --cum "$bin/thrum" heap.pprof 2>pprof.err)
  has "pprof's listing" "$text" '^Total: [0-9.]+ MB'
  has "pprof's listing" "$text" 'main'
  lacks "the profile" "$(google-pprof --text "$bin/thrum" heap.pprof 2>/dev/null)" 'HeapProfile|operator new'
fi

case_ "a command that fails still fails"
thrum report -profile=cpu none.bin 2>err
equal exit $? 1

case_ "where the file can't be written"
mkdir closed && mkdir closed/cpu.pprof && cd closed || exit 1
thrum attack -profile=cpu -targets=../t.txt -n=1 -output=b.bin 2>err
equal exit $? 1
one_line stderr err
has stderr "$(cat err)" 'profile: cpu\.pprof: Is a directory'
if [ -e b.bin ]; then fail "it was done all the same"; else pass; fi
cd ..

summary
