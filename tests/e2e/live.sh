#!/bin/sh
# The report of a process that still runs.
. "${srcdir:-.}/tests/e2e/lib.sh"

cd "$tmp" || exit 99
LD_PRELOAD=$library MPROF_FILE=live.data "$programs/killme" 20000 sleep >printed &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s printed ] && break
    sleep 0.2
done
is "it runs" "$(expected allocs printed)" 20000
is "allocations so far" "$(books self one_block live.data | cut -d' ' -f1)" 20000
run "$mprof" report live.data --no-pager
is "report: status" "$status" 0
has "the head says that it runs" out '[Rr]unning'
is "the process is not disturbed" "$(kill -0 $pid 2>&1)" ""
kill $pid
wait $pid
is "it ends as it would" $? 143
is "allocations at the end" "$(books self one_block live.data | cut -d' ' -f1)" 20000

# A file that grows while it is read is never damaged.
LD_PRELOAD=$library MPROF_FILE=busy.data "$programs/torture" 300 2 >/dev/null &
pid=$!
sleep 0.2
reads=0
bad=0
while kill -0 $pid 2>/dev/null && [ $reads -lt 30 ]; do
    if [ -s busy.data ]; then
        "$mprof" totals busy.data >totals 2>bad.err || bad=$((bad + 1))
        reads=$((reads + 1))
    fi
done
[ $bad -eq 0 ] || sed 's/^/# /' bad.err
is "no read of a growing file fails" "$bad" 0
at_least "reads made" "$reads" 3
kill $pid 2>/dev/null
wait $pid
plan
