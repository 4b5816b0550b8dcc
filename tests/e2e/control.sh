#!/bin/sh
# A running process is stopped, started and copied from outside. Each recording contains exactly what was allocated
# during it.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

# asked N COMMAND...: runs mprof COMMAND on the program. When the request is in the program's file, the program gets
# an order to allocate N blocks, because it finds requests when it allocates.
asked()
{
    n=$1
    shift
    "$mprof" "$@" "$pid" >out 2>err &
    command=$!
    until_true 60 "$programs/asked" mprof.data* || fail "$1: nothing is asked for"
    order "$n"
    wait $command
}

# allocated FILE: prints the blocks, and the freed blocks, of work().
allocated()
{
    books self work "$1" | cut -d' ' -f1,3
}

for threads in 0 4; do
    rm -f mprof.data* two.data
    each=$((threads > 0 ? threads : 1))
    start_program $threads
    order 100
    "$mprof" snapshot "$pid" >out 2>err
    is "$threads: snapshot" "$?" 0
    has "$threads: what it says" out "^mprof: [0-9,]+ allocations, .* of data in $tmp/mprof.data.snapshot.1; to see it:\$"
    is "$threads: the snapshot" "$(allocated mprof.data.snapshot.1)" "$((100 * each)) $((90 * each))"
    "$mprof" report --no-pager mprof.data.snapshot.1 >report
    has "$threads: its head says what it is" report '^Ended +still running when this snapshot was made$'
    has "$threads: and what is live, is current" report '^Current '

    asked 30 stop
    is "$threads: stop" "$?" 0
    has "$threads: stop says so" out "^mprof: recording of process $pid ended; to see it:\$"
    has "$threads: and where it is" out "^mprof report '?$tmp/mprof.data'?\$"
    order 1000
    # threads find the request at different times, during one order
    within "$threads: recorded until then, and not after" "$(allocated mprof.data | cut -d' ' -f1)" $((100 * each + 1)) $((130 * each))
    "$mprof" report --no-pager mprof.data >report
    has "$threads: the head says that it was stopped" report '^Ended +recording was stopped$'
    "$mprof" stop "$pid" >out 2>err
    is "$threads: stop again" "$?" 1
    has "$threads: says why" err "^mprof: process $pid is not recorded now"

    asked 1 start
    is "$threads: start" "$?" 0
    has "$threads: start says where" out "^mprof: process $pid is recorded in $tmp/mprof.data.$pid; to see it:\$"
    order 500
    order fork
    is "$threads: the new recording" "$(allocated "mprof.data.$pid" | cut -d' ' -f1)" $((501 * each))
    asked 40 start -o two.data
    is "$threads: start while recording" "$?" 0
    order 200
    at_least "$threads: the third has the last order" "$(allocated two.data | cut -d' ' -f1)" $((200 * each))
    one=$(allocated "mprof.data.$pid" | cut -d' ' -f1)
    two=$(allocated two.data | cut -d' ' -f1)
    is "$threads: nothing is lost between the two, but what threads did meanwhile" \
        "$((one + two >= 741 * each - each && one + two <= 741 * each))" 1
    end_program
    is "$threads: the status is the program's" "$status" 5
    empty "$threads: it has not heard of all this" errors
done

# A program is started without being recorded.
rm -f mprof.data*
MPROF_STOPPED=1
export MPROF_STOPPED
start_program
unset MPROF_STOPPED
order 100
is "stopped: nothing is recorded" "$(total allocs mprof.data)" 0
asked 50 start
is "stopped: start" "$?" 0
order 60
is "stopped: recorded from then on" "$(allocated "mprof.data.$pid" | cut -d' ' -f1)" 110
end_program

# If the process does not allocate, mprof stop, start and snapshot say what the process will do at its next allocation.
# Until then, another command may replace the request.
rm -f mprof.data*
start_program
order 10
"$mprof" stop --wait=300 "$pid" >waiting.out 2>&1 &
command=$!
until_true 60 "$programs/asked" mprof.data
returns "idle: while a command waits, another is refused" 1 "$mprof" start --wait=0 "$pid"
has "idle: it says so" err "^mprof: another mprof asks process $pid for something at this moment\$"
"$mprof" snapshot -o waiting.data "$pid" >out 2>err
is "idle: but not a snapshot" "$?" 0
kill $command
wait $command
# A command that holds the lock for a moment, as mprof run --heap-every does, delays the next command.
flock mprof.data sh -c ': >held; sleep 0.5' &
until_true 60 test -e held
returns "idle: stop, after another command" 0 "$mprof" stop --wait=0 "$pid"
wait $!
has "idle: stop says when" out "^mprof: process $pid allocates nothing now; recording will end when it does\$"
returns "idle: start" 0 "$mprof" start --wait=0 "$pid"
has "idle: start says when" out "^mprof: process $pid allocates nothing now; a recording will begin when it does\$"
returns "idle: start with another file" 0 "$mprof" start --wait=0 -o changed.data "$pid"
order 20
is "idle: up to there" "$(allocated mprof.data | cut -d' ' -f1)" 11
is "idle: from there on, in the file that was asked for last" "$(allocated changed.data | cut -d' ' -f1)" 19
ok "idle: and not in the other" test ! -e "mprof.data.$pid"
run "$mprof" start --wait=0 -o other.data "$pid"
run "$mprof" stop --wait=0 "$pid"
order 5
is "idle: a start that was stopped" "$(allocated changed.data | cut -d' ' -f1)" 20
ok "idle: does not begin" test ! -e other.data
run "$mprof" start --wait=0 -o other.data "$pid"
run "$mprof" stop "$pid"
is "idle: stop before start" "$status $(cat out)" "0 mprof: process $pid will not be recorded"
order 5
ok "idle: nothing is recorded" test ! -e other.data
complains "idle: nothing to stop" "^mprof: process $pid is not recorded now" "$mprof" stop "$pid"
for bad in x -1 1.5 ''; do
    refuses "--wait=$bad" 2 '^mprof: --wait=' "$mprof" stop --wait=$bad "$pid"
done
end_program

# The process ends before it finds the request.
"$mprof" run -q -o ends.data sleep 1000 &
runner=$!
until_true 60 sh -c 'pgrep -P "$1" sleep' - $runner
pid=$(pgrep -P $runner sleep)
"$mprof" stop --wait=300 "$pid" >out 2>err &
command=$!
until_true 60 "$programs/asked" ends.data
kill -KILL "$pid"
wait $command
is "ends: stop" "$?" 0
has "ends: stop says so" out "^mprof: process $pid has ended meanwhile; to see its recording:"
wait $runner
is "ends: the status" "$?" 137
complains "ends: it is too late for start" "^mprof: there is no process $pid" "$mprof" start "$pid"

# Several commands make snapshots at the same time, each with its own name.
rm -f mprof.data*
start_program
order 100
for n in 1 2 3 4 5 6; do
    "$mprof" snapshot "$pid" >snapshot.out.$n 2>&1 &
    snapshots="${snapshots:-} $!"
done
# shellcheck disable=SC2086
wait $snapshots
for n in 1 2 3 4 5 6; do
    allocated mprof.data.snapshot.$n
done | sort | uniq -c >counts
is "six snapshots at once" "$(awk '{ print $1, $2, $3 }' counts)" "6 100 90"
(ulimit -f 0 && exec "$mprof" snapshot "$pid") 2>&1 | cat >out
has "no room for a snapshot: it says so" out '^mprof: .*File too large$'
is "no room for a snapshot: nothing half written" "$(find . -name 'mprof.data.snapshot.7*')" ""
end_program

# The signal for snapshots can be chosen.
for name in USR2 SIGUSR1 RTMIN+3; do
    rm -f mprof.data*
    MPROF_SIGNAL=$name
    export MPROF_SIGNAL
    start_program 2
    unset MPROF_SIGNAL
    order 100
    kill -s "${name#SIG}" "$pid"
    order 10
    kill -s "${name#SIG}" "$pid"
    order 10
    is "$name: first snapshot" "$(allocated mprof.data.snapshot.1)" "200 180"
    is "$name: second snapshot" "$(allocated mprof.data.snapshot.2)" "220 198"
    is "$name: recording goes on" "$(allocated mprof.data)" "240 216"
    is "$name: mode" "$(stat -c %a mprof.data.snapshot.1)" 600
    end_program
    is "$name: status" "$status" 5
done
"$mprof" run -q --signal=USR2 -o run.data sh -c 'kill -USR2 $$; exit 3'
is "mprof run --signal" "$?" 3
ok "its snapshot" "$mprof" totals run.data.snapshot.1
for name in KILL SEGV 0 99 nonsense; do
    refuses "--signal=$name is refused" 2 '^mprof: ' "$mprof" run --signal=$name true
done
"$mprof" run -q --stopped -o run.data "$programs/control" </dev/null
is "mprof run --stopped" "$(total allocs run.data)" 0

# The process belongs to another user: copies are made where that user can write.
other=
as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
mkdir -m 777 work
cp "$mprof" "$library" "$programs/control" work
chmod 755 work/*
chmod 711 "$tmp"
if [ "$(id -u)" -ne 0 ]; then
    missing="only root can try"
elif ! need setpriv; then
    :
elif ! $as_nobody test -x work/control 2>err; then
    missing="another user cannot reach $tmp: $(cat err)"
else
    other=yes
fi

# Processes that are not recorded, do not exist, or belong to another user.
sleep 60 &
pid=$!
for command in stop start snapshot checkpoint; do
    returns "$command: not recorded" 1 "$mprof" $command $pid
    has "$command: not recorded, says so" err "^mprof: process $pid is not recorded"
    returns "$command: no process" 1 "$mprof" $command 4194305
    has "$command: no process, says so" err '^mprof: there is no process 4194305'
    for bad in '' abc -1 0; do
        refuses "$command '$bad'" 2 '^mprof: ' "$mprof" $command $bad
    done
done
kill $pid
rm -f mprof.data*
start_program
order 10
if [ -n "$other" ]; then
    for command in stop start snapshot checkpoint; do
        $as_nobody work/mprof $command "$pid" >out 2>err
        is "another user's process: $command" "$?" 1
        has "another user's process: $command says so" err "^mprof: process $pid is another user's"
    done
else
    skip "another user's process" "$missing"
fi
little_root='setpriv --bounding-set=-sys_ptrace,-sys_admin,-perfmon'
if [ -n "$other" ] && $little_root true 2>err; then
    $as_nobody sleep 60 &
    others=$!
    until_true 60 sh -c "grep -q '^Uid:.65534' /proc/$others/status"
    $little_root "$mprof" snapshot $others >out 2>err
    is "root that may not look into a process" "$?" 1
    has "root that may not look into a process: says so" err \
        "^mprof: process $others may not be looked into, even by this root: "
    kill $others
else
    skip "root that may not look into a process" "${missing:-$(cat err)}"
fi
: >foreign
echo text >foreign
run "$mprof" start -o foreign "$pid"
is "start does not overwrite what is no data file" "$status $(cat foreign)" "1 text"
refuses "start: no such folder" 1 '^mprof: ' "$mprof" start -o /does/not/exist/data "$pid"
run "$mprof" snapshot -q -o '%e-%p.data' "$pid"
is "snapshot -o: the program and the process" "$status $(cat out) $(allocated "control-$pid.data" | cut -d' ' -f1)" "0  10"
says "snapshot -o: nothing else" "2 mprof: -o %x: only %p (pid), %e (program) and %% are known" "$mprof" snapshot -o '%x' "$pid"
order 10
is "and the recording goes on" "$(allocated mprof.data | cut -d' ' -f1)" 20
end_program

# The process cannot create the new file: the command says so, and that recording has ended.
if [ -n "$other" ]; then
    mkdir -m 755 closed
    mkfifo work/orders
    : >answers
    answered=0
    # shellcheck disable=SC2086
    (cd work && exec $as_nobody env LD_PRELOAD=./libmprof.so \
        ./control <orders >../answers 2>errors) &
    pid=$!
    exec 8>work/orders
    order 10
    "$mprof" start -o closed/data "$pid" >out 2>err &
    command=$!
    until_true 60 "$programs/asked" work/mprof.data
    order 10
    wait $command
    is "a file that the process cannot make: status" "$?" 1
    has "a file that the process cannot make" err "^mprof: process $pid could not do it, and is not recorded now: Permission denied"
    end_program
    is "a file that the process cannot make: it goes on" "$status $(tail -1 answers)" "5 done"
    is "what was recorded before is there" "$(allocated work/mprof.data)" "11 9"
else
    skip "a file that the process cannot make" "$missing"
fi

# The summary says how the program ended, whatever became of the recording.
returns "--stopped, killed: status" 139 "$mprof" run --stopped -o stopped.data "$programs/killme" 10 segv
has "--stopped, killed: the summary says so" err '^mprof: killme: killed by SIGSEGV'
has "--stopped, killed: and that nothing was recorded" err '^mprof:   recording was stopped, after '
plan
# SPDX-License-Identifier: MIT
