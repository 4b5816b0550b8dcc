#!/bin/sh
# If the live file is truncated or overwritten, the program goes on, and messages say what happened to the recording.
. "${srcdir:-.}/tests/e2e/lib.sh"

# The programs print "ready" when they have allocated for a while, wait until the file `go` exists, repeat their
# allocations, make more, and end with status 7.
cat >busy.pl <<'PERL'
$| = 1;
sub work { my @a; push @a, "x" x ($_ % 3000) for 1 .. 6000; my %h; $h{$_} = [$_] for 1 .. 3000; scalar @a }
work();
print "ready\n";
select undef, undef, undef, .01 until -e "go";
work() for 1 .. 3;
print "done\n";
exit 7;
PERL

# while_it_runs HOW COMMAND...: runs COMMAND under mprof run, and does HOW to m.data meanwhile.
while_it_runs()
{
    how=$1
    shift
    rm -f m.data* go ./*.heap
    "$mprof" run -o m.data "$@" >out 2>err </dev/null &
    pid=$!
    until_true 60 grep -q ready out
    until_true 60 test -s m.data
    # The observer has sampled the recording before it disappears.
    sleep .1
    sh -c "$how"
    touch go
    wait $pid
    status=$?
}

# goes_on NAME HOW MESSAGE [REASON]: tests the monitor's line and the summary.
goes_on()
{
    while_it_runs "$2" perl busy.pl
    is "$1: the program's status" "$status" 7
    is "$1: the program's output" "$(tr '\n' ' ' <out)" "ready done "
    has "$1: it is said" err "$3"
    hasnt "$1: nothing false is said" err 'before libmprof.so was loaded|nothing was recorded'
    [ $# -lt 4 ] || has "$1: the summary" err "$4"
}

lost='^mprof: .*/m\.data: was truncated or overwritten: recording stopped, the program goes on$'
gone='^mprof: m\.data was truncated, overwritten or replaced while the program ran; its recording is lost$'
"$mprof" run -q -o other.data perl -e '$h{$_} = 1 for 1 .. 3000' 2>/dev/null

if need perl; then
    goes_on "truncated" ': >m.data' "$lost" "$gone"
    is "truncated: once" "$(grep -c 'was truncated or overwritten' err)" 1
    goes_on "truncated within" 'truncate -s 20480 m.data' "$lost"
    goes_on "another file copied over it" 'cp "$(command -v perl)" m.data' "$lost" "$gone"
    goes_on "another data file copied over it" 'cp other.data m.data' "$lost" "$gone"
    # logrotate's copytruncate
    goes_on "copied, then truncated" 'cp m.data m.data.1; truncate -s 0 m.data' "$lost" "$gone"
    returns "copied, then truncated: the copy can be read" 0 "$mprof" report m.data.1
    goes_on "bytes over it, as long" 'head -c "$(stat -c %s m.data)" /dev/urandom >r; dd if=r of=m.data conv=notrunc 2>dd.err' \
        "$gone"
    mkdir folder
    rm -f go
    "$mprof" run -o folder/m.data perl busy.pl >out 2>err </dev/null &
    pid=$!
    until_true 60 grep -q ready out
    sleep .1
    rm -r folder
    touch go
    wait $pid
    is "its folder removed: the program's status" $? 7
    has "its folder removed: the summary" err '^mprof: (the directory of )?folder/m\.data was removed while the program ran; its recording is lost$'
else
    skip "truncated" "$missing"
fi

# Threads that block all signals, or have handlers for all. The kernel would end a thread that blocks SIGBUS.
for case in blocked handled plain; do
    while_it_runs ': >m.data' "$programs/truncated" $case
    is "threads, signals $case: status" "$status" 7
    is "threads, signals $case: output" "$(tr '\n' ' ' <out)" "ready done "
    has "threads, signals $case: it is said" err "$lost"
done

# Without mprof run, a new recording in the same process is complete.
rm -f go t.data
LD_PRELOAD=$library MPROF_FILE=t.data "$programs/truncated" again >out 2>err </dev/null &
pid=$!
until_true 60 grep -q ready out
truncate -s 0 t.data
touch go
wait $pid
is "restarted: status" $? 7
returns "restarted: the new recording is whole" 0 "$mprof" totals again.data
is "restarted: and exact" "$(books self block again.data | cut -d' ' -f1)" 5000

plan
# SPDX-License-Identifier: MIT
