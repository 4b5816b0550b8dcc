#!/bin/sh
# mprof run returns the status of its program, whatever happens to mprof itself: limits, closed and broken streams,
# signals, and failures of system calls and allocations, of which FAILURES are tried.
. "${srcdir:-.}/tests/e2e/lib.sh"

killme=$programs/killme         # prints on stdout what it allocated, and exits with 7

# started TEXT COMMAND...: COMMAND runs `mprof run ... $killme 10 exit`. Tests that COMMAND ends with 7 if $killme was
# started, and otherwise fails with one line.
started()
{
    text=$1
    shift
    {
        "$@" 2>&3 | cat >out
    } 3>&1 | cat >err
    "$@" >/dev/null 2>&1
    status=$?
    if [ -s out ]; then
        is "$text: status" "$status" 7
    else
        is "$text: not started" "$(wc -l <err) $([ "$status" -ne 0 ] && echo failed)" "1 failed"
    fi
}

# ------------------------------------------------------------------ limits
returns "ulimit -f: a small program" 3 sh -c 'ulimit -f 4; exec "$1" run -o f.data sh -c "exit 3"' - "$mprof"
has "... which says why" err '^mprof: f\.data: File too large: there is no recording$'
for size in 0 1 4096 100000 200000 1000000; do
    started "--fsize=$size" prlimit --fsize=$size "$mprof" run -q -o f.data "$killme" 10 exit
done
seen=0
for megabytes in 8 9 10 11 12 14 17 20 30 40 60 100; do
    for limit in as data; do
        started "--$limit=${megabytes}M" prlimit --$limit=${megabytes}000000 "$mprof" run -q -o f.data "$killme" 10 exit
        [ ! -s out ] || seen=$((seen + 1))
    done
done
at_least "the program was started under most of these limits" $seen 16
for limit in nofile=3 nofile=4 nofile=5 nofile=6 nofile=7 nofile=8 nofile=10 stack=65536 stack=200000 cpu=1 memlock=0; do
    started "--$limit" prlimit --$limit "$mprof" run -q -o f.data "$killme" 10 exit
done

# ------------------------------------------------------------------ streams
echo exit 5 >prog
for closed in '0<&-' '1>&-' '2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-' '1>/dev/full 2>/dev/full'; do
    for option in --quiet --report --heap-every=0.01; do
        returns "$closed, $option" 5 sh -c "exec \"\$1\" run $option -o f.data sh prog $closed" - "$mprof"
        returns "... the data file" 0 "$mprof" report --no-pager f.data
    done
done
{
    "$mprof" run --report -o f.data sh -c 'until [ -e gone ]; do sleep 0.01; done; exit 5'
    echo $? >status
} 2>&1 | : >gone
until_true 60 test -s status
is "nobody reads the output any more: status" "$(cat status)" 5
is "... the data file is sealed" "$(head -c 8 f.data)" MPROFDAT

# ------------------------------------------------------------------ what the program inherits
# own COMMAND...: prints the signal masks and limits that a program started by COMMAND inherits.
own()
{
    env --block-signal=USR1 --ignore-signal=HUP,CHLD,XFSZ "$@" grep -hE '^(Sig(Blk|Ign)|Max)' /proc/self/status /proc/self/limits
}
if env --block-signal=USR1 --ignore-signal=HUP true 2>/dev/null; then
    own >bare.out
    own "$mprof" run -q -o f.data >out
    ok "the program's signals and limits are those without mprof" diff bare.out out
else
    skip "the program's signals" "env has no --block-signal"
fi

# ------------------------------------------------------------------ the worker
# Kills the process that observes the program. The data file is then sealed without its observations.
cat >murder <<'END'
for process in $(cat /proc/$PPID/task/$PPID/children); do
    [ $process = $$ ] && continue
    kill -$1 $process
    until grep -q '^State:.Z' /proc/$process/status; do sleep 0.01; done
done
exit 5
END
for signal in KILL BUS; do
    run "$mprof" run -o f.data sh murder $signal
    is "observing ends by SIG$signal: status" "$status $(head -c 8 f.data)" "5 MPROFDAT"
    is "... is said" "$(grep -c "^mprof: observing the program failed: killed by SIG$signal" err)" 1
done

# The worker is killed after the program has ended, when mprof run has told the worker how.
run "$programs/failing" kill 7 0 "$mprof" run -o f.data "$killme" 10 exit
if [ "$status" = 77 ]; then
    skip "the worker is killed after the program's end" "$(cat out)"
else
    is "the worker is killed after the program's end" "$(grep -v '^calls' out)$(head -c 8 f.data)" MPROFDAT
    is "... is said" "$(grep -c "^mprof: observing the program failed: killed by SIGKILL" err)" 1
fi

# The worker is stopped. mprof run continues the worker for the work after the program's end.
sed -e 's/^    until .*Z.*$/    until grep -q "^State:.T" \/proc\/$process\/status; do sleep 0.01; done/' murder >halt
returns "the worker is stopped: status" 5 timeout -s KILL 60 "$mprof" run -o f.data sh halt STOP
is "... the data file is sealed" "$(head -c 8 f.data)" MPROFDAT

# mprof run cannot fork a worker, because of a limit of two processes.
if [ "$(id -u)" -eq 0 ] && need setpriv && id nobody >/dev/null 2>&1; then
    chmod 711 "$tmp"
    mkdir theirs
    chown nobody theirs
    cp "$mprof" "$library" "$killme" .  # the build tree may be closed to others
    chmod 755 mprof libmprof.so killme
    run env MPROF_LIBRARY="$tmp/libmprof.so" setpriv --reuid=nobody --clear-groups --inh-caps=-all prlimit --nproc=2 \
        ./mprof run -o theirs/f.data ./killme 10 exit
    is "--nproc: status" "$status $(head -c 8 theirs/f.data)" "7 MPROFDAT"
    has "... why it is not observed" err '^mprof: observing the program failed: Resource temporarily unavailable$'
else
    skip "--nproc" "not root, or there is no setpriv or user nobody"
fi

# ------------------------------------------------------------------ failures
# fails TEXT HOW STATUS RUNS COMMAND...: tests that COMMAND ends with STATUS whichever call fails. HOW is an argument of
# failing.c.
fails()
{
    text=$1
    shift
    run env ${also:+LD_PRELOAD="$also"} "$programs/failing" "$@"
    if [ "$status" = 77 ]; then
        skip "$text" "$(cat out)"
        return
    fi
    is "$text: no failure changes the status of the program" "$(grep -v '^calls' out)" ""
    # shellcheck disable=SC2046
    set -- $(tail -n 1 out)
    # The number of calls depends on how often the observer found time to read the resident memory.
    at_least "$text: failures in $4 runs" "$6" $(($4 * 3 / 4))
    at_least "$text: so many calls are there" "$2" 100
}
few=$((${FAILURES:=45} / 3))
fails "calls" calls 7 "$FAILURES" "$mprof" run -q -o f.data "$killme" 10 exit
fails "calls, a killed program" calls 137 $few "$mprof" run -f --leaks --report --check --max-peak=1 -o f.data "$killme" 10 kill
also=$top/tests/programs/.libs/no_memory.so
fails "allocations" memory 7 "$FAILURES" "$mprof" run -q -o f.data "$killme" 10 exit
fails "allocations, a killed program" memory 137 $few "$mprof" run -f --leaks --report --check --max-peak=1 -o f.data "$killme" 10 kill
plan
# SPDX-License-Identifier: MIT
