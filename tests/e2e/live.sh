#!/bin/sh
# Reports of a running process. COPIES is the number of copies of it that are made while its peak rises.
. "${srcdir:-.}/tests/e2e/lib.sh"

LD_PRELOAD=$library MPROF_FILE=live.data "$programs/killme" 20000 sleep >printed &
pid=$!
trap 'kill $pid 2>/dev/null; rm -rf "$tmp"' EXIT
until_true 60 test -s printed
is "it runs" "$(expected allocs printed)" 20000
is "allocations so far" "$(books self one_block live.data | cut -d' ' -f1)" 20000
returns "report: status" 0 "$mprof" report live.data --no-pager
has "the head says that it runs" out '[Rr]unning'
# Every command accepts the process id, or says in one line what it needs.
for command in report findings html flamegraph 'export -F chains' totals 'export -F collapsed' 'annotate one_block' \
    'check --allow-killed --max-peak=1G'; do
    # shellcheck disable=SC2086
    returns "$command PID: status" 0 "$mprof" $command $pid
done
is "totals PID: of what was recorded up to now" "$(total allocs $pid)" "$(total allocs live.data)"
ok "html PID: the page" grep -qi "^<!doctype html>" "$pid.html"
refuses "replay PID: one line" 1 '^mprof: ' "$mprof" replay $pid
refuses "heap PID: one line" 2 '^mprof: ' "$mprof" heap $pid
run "$mprof" plot $pid
is "plot PID: a picture" "$status $(grep -c '^</svg>' out)" "0 1"
says "findings of no process" "1 mprof: there is no process 999999999" "$mprof" findings 999999999
is "the process is not disturbed" "$(kill -0 $pid 2>&1)" ""
kill $pid
wait $pid
is "it ends as it would" $? 143
is "allocations at the end" "$(books self one_block live.data | cut -d' ' -f1)" 20000

# by_libelf COMMAND...: sets $libelf to how many chains of `mprof COMMAND` allocate in the libraries that read
# executable files.
by_libelf()
{
    profile "$tmp/reporter.data" "$mprof" "$@"
    is "$1: status" "$status" 0
    libelf=$("$mprof" export -F chains "$tmp/reporter.data" | grep -cE ';(elf|dwfl)_')
}
by_libelf totals live.data
is "totals read no program's file" "$libelf" 0
by_libelf report --no-pager live.data
at_least "... as names do" "$libelf" 1

# A file that grows while it is read is never reported as damaged.
LD_PRELOAD=$library MPROF_FILE=busy.data BOOKS=books "$programs/process_victim" >started &
pid=$!
until_true 60 test -s started
bad=0
for i in $(seq 30); do
    "$mprof" totals busy.data >totals 2>bad.err || bad=$((bad + 1))
done
[ $bad -eq 0 ] || sed 's/^/# /' bad.err
is "no read of a growing file fails" "$bad" 0
grew() { [ "$(total allocs busy.data)" -gt "$(awk '$1 == "allocs" { print $2 }' totals)" ]; }
until_true 60 grew
is "it grew" $? 0
kill $pid
wait $pid

# If shares of the peak are read while new peaks occur, they add up to the peak within the stated bound.
LD_PRELOAD=$library MPROF_FILE=rising.data "$programs/rising" >rising &
pid=$!
until_true 60 test -s rising
apart=
for i in $(seq "${COPIES:-6}"); do
    "$mprof" snapshot -o rising.copy $pid >snapshot.out || apart="$apart (not copied)"
    sum=$("$mprof" export -F chains rising.copy | awk '{ sum += $5 } END { printf "%.0f", sum }')
    "$mprof" totals rising.copy >totals
    difference=$(($(expected peak totals) - sum))
    [ "${difference#-}" -le "$(expected peak-slack totals)" ] || apart="$apart $difference"
done
is "shares of the peak add up, within the bound" "$apart" ""
kill $pid
wait $pid
plan
# SPDX-License-Identifier: MIT
