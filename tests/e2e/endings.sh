#!/usr/bin/env bash
# How attacks end when something goes wrong around them: signals, closed pipes, full disks, kill -9.
. "$(dirname "$0")/harness.sh"
serve target -addr 127.0.0.1:0
url=http://127.0.0.1:$(port_in target http)

case_ "SIGTERM waits for what is in flight"
echo "GET $url/delay?ms=300" | timeout --preserve-status -s TERM 1 thrum attack -rate=50 >term.bin 2>term.err
equal exit $? 0
within hits "$(of term.bin .requests)" 40 52
equal success "$(of term.bin .success)" 1
empty stderr term.err

case_ "a second Ctrl-C cuts"
thrum attack -rate=50 -output cut.bin <<<"GET $url/delay?ms=30000" 2>cut.err &
pid=$!
started+=($pid)
sleep 1
kill -INT $pid
sleep 0.3
kill -INT $pid
wait $pid
equal exit $? 130
hits=$(of cut.bin .requests)
within hits "$hits" 30 60
equal "all cut" "$(of cut.bin '.status_codes["0"]')" "$hits"
has "the words" "$(thrum report cut.bin)" '^cut: '

case_ "kill -9 leaves a readable file"
thrum attack -rate=200 -output killed.bin <<<"GET $url/" 2>killed.err &
pid=$!
sleep 1.2
kill -9 $pid
wait $pid 2>/dev/null
out=$(thrum report killed.bin 2>killed.warn)
equal "report: exit" $? 0
within hits "$(of killed.bin .requests 2>/dev/null)" 150 245

case_ "a report on what stays silent"
thrum attack -rate=1000 -n=2000 -output whole.bin <<<"GET $url/"
for signal in INT TERM; do
  mkfifo held.bin
  thrum report held.bin >held.txt 2>held.err &
  pid=$!
  started+=($pid)
  exec 9>held.bin
  head -c 12000 whole.bin >&9
  sleep 0.5
  kill -$signal $pid
  sleep 0.3
  kill -0 $pid || fail "does not wait for the rest after SIG$signal"
  kill -$signal $pid
  wait $pid
  equal "exit after SIG$signal twice" $? 130
  exec 9>&-
  has report "$(cat held.txt)" Requests
  has stderr "$(cat held.err)" 'interrupted: this report is of'
  rm held.bin
done
mkfifo silent.bin
thrum report silent.bin >silent.txt 2>silent.err &
pid=$!
started+=($pid)
sleep 0.5
kill -INT $pid
wait $pid
equal "exit of a FIFO that nobody writes to" $? 1
has stderr "$(cat silent.err)" 'interrupted before there were any results'

case_ "a reader that goes away"
echo "GET $url/" | thrum attack -rate=500 -duration=30s 2>gone.err | head -c 100 >/dev/null
empty stderr gone.err

case_ "a full disk"
if [ -e /dev/full ]; then
  echo "GET $url/" | thrum attack -rate=100 -duration=2s >/dev/full 2>full.err
  equal exit $? 1
  one_line stderr full.err
  has stderr "$(cat full.err)" '[Nn]o space left'
fi

case_ "a disk that fills up on the way"
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=16k tmpfs small 2>/dev/null; then
  echo "GET $url/" | thrum attack -rate=5000 -duration=3s -output small/r.bin 2>small.err
  equal exit $? 1
  one_line stderr small.err
  within "hits kept" "$(of small/r.bin .requests 2>/dev/null)" 100 14999
  umount small
else
  skip "can't mount a small disk"
fi

case_ "stdin or stdout closed"
for command in "attack -targets=one.txt -n=3" "report whole.bin" "encode whole.bin" "plot whole.bin" version help; do
  echo "GET $url/" >one.txt
  thrum $command >&- 2>closed.err
  equal "$command: exit" $? 1
  has "$command: stderr" "$(cat closed.err)" 'stdout is closed'
  one_line "$command: stderr" closed.err
done
thrum report whole.bin -output=whole.txt >&- 2>closed.err
equal "exit without a need for stdout" $? 0
for command in "attack -n=3" report encode plot; do
  thrum $command <&- >closed.out 2>closed.err
  equal "$command: exit" $? 1
  has "$command: stderr" "$(cat closed.err)" 'stdin is closed'
done

case_ "an address that nobody reads"
if [ -e /dev/full ]; then
  thrum serve -addr 127.0.0.1:0 >/dev/full 2>mute.err &
  pid=$!
  started+=($pid)
  for ((i = 0; i < 100; i++)); do [ -s mute.err ] && break || sleep 0.1; done
  has stderr "$(cat mute.err)" 'stdout: No space left on device; it should have read: serving on http://127.0.0.1:'
  one_line stderr mute.err
fi

case_ "no final newline, an empty list, a folder"
for bad in /dev/null .; do
  thrum attack -targets=$bad -rate=10 -duration=1s >bad.bin 2>bad.err
  equal "$bad: exit" $? 1
  one_line "$bad: stderr" bad.err
  empty "$bad: stdout" bad.bin
done

summary
