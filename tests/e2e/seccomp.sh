#!/bin/sh
# Programs that install a seccomp filter that forbids any call of the monitor: they run as without mprof, and what
# they allocate behind the filter is recorded.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

sandboxed=$programs/sandboxed
PLUG=$programs/.libs/plug_a.so
export PLUG

run "$sandboxed" syscall errno
if [ "$status" -ne 0 ]; then
    skip_all "seccomp filters" "$(cat out)"
fi

# The table of calls matches the sources, except for write, by which the program reports its results.
"$sandboxed" calls >unsorted
sort unsorted >calls
sed -n 's/.*[^A-Z_]SYS_\([a-z0-9_]*\).*/\1/p' "$src"/runtime/*.[ch] "$src"/runtime/*/*.[ch] | grep -vx write | sort -u >asked
at_least "the monitor's calls are found" "$(wc -l <asked)" 20
is "the program knows every call of the monitor's" "$(comm -13 calls asked)" ""

# recorded NAME: tests that everything is in the files, and that nothing was dropped.
recorded()
{
    exact "$1" block event.data*
    is "$1: nothing dropped" "$(for file in event.data*; do total dropped "$file"; done | sort -u)" 0
}

while read -r call; do
    name="kill for $call"
    run "$sandboxed" alone kill "$call"
    if [ "$status" -ne 0 ]; then
        skip "$name" "the program itself needs it here: status $status"
        continue
    fi
    rm -f event.data*
    profile event.data "$sandboxed" alone kill "$call"
    is "$name: status" "$status" 0
    is "$name: recorded" "$(sum block event.data)" \
        "$(expected allocs out) $(expected bytes out) $(expected frees out) $(expected freed out)"
done <calls

# All calls are forbidden except those of the program.
for action in kill errno trap; do
    for event in alone syscall at_once strict questions fork_first threads_later threads_alone; do
        same "$event, $action" "$sandboxed" "$event" "$action"
        recorded "$event, $action"
        whole "$event, $action" event.data*
    done
done
prints "how it ended" '^Ended  *exit status 0$' "$mprof" report --no-pager event.data
has "when it ended: not when it began, nor never" out '^Recorded  *[0-9]*\.[0-9]*[1-9][0-9]* s$'

# Chains by frame pointers; and by rules if libunwind, which makes system calls, was requested.
same "wide" "$sandboxed" wide kill
recorded "wide"
is "wide: no chain is cut" "$(total cut event.data)" 0
for unwinder in fp libunwind; do
    MPROF_UNWINDER=$unwinder
    export MPROF_UNWINDER
    same "alone, unwinder $unwinder" "$sandboxed" alone kill
    is "alone, unwinder $unwinder: nothing dropped" "$(total dropped event.data)" 0
    unset MPROF_UNWINDER
done

# Threads are in the monitor when the filter is installed for all of them. How much they allocate until then is
# random.
for round in 1 2 3 4; do
    profile event.data "$sandboxed" threads kill
    is "threads at work, $round: status" "$status" 0
    recorded "threads at work, $round"
done

# A child that is forked behind the filter has no file, and is counted.
same "fork_later" "$sandboxed" fork_later kill
recorded "fork_later"
is "fork_later: one file" "$(echo event.data*)" event.data
run "$mprof" run -o event.data "$sandboxed" fork_later kill
has "fork_later: the summary says so" err \
    '^mprof:   sandboxed \(2\): was forked behind a seccomp filter$'

# The child of a vfork has its parent's memory, and its own filter. The parent goes on as before.
# shellcheck disable=SC2086
same "vfork_first" "$sandboxed" vfork_first kill process_vm_readv fdatasync
recorded "vfork_first"
is "vfork_first: so do its children" "$(ls event.data* | wc -l)" 2

# shellcheck disable=SC2086
same "deep" "$sandboxed" deep kill mprotect
recorded "deep"
same "restart" "$sandboxed" restart kill unlinkat
recorded "restart"
is "restart: the recording goes on" "$(echo event.data*)" event.data

# Programs that are started behind the filter, with or without libmprof.so in their environment, make no forbidden call.
ours="fallocate fcntl fdatasync madvise process_vm_readv sigaltstack unlinkat"
for event in exec_later system_later plugins; do
    # shellcheck disable=SC2086
    same "$event" "$sandboxed" $event kill $ours
    is "$event: nothing dropped" "$(total dropped event.data)" 0
    exact "$event" block event.data
    rm -f event.data*
    # shellcheck disable=SC2086
    returns "$event, -f: status" 0 "$mprof" run -f -o event.data "$sandboxed" $event kill $ours
    exact "$event, -f" block event.data
    ls event.data* >files
    case $event in
    exec_later)
        has "$event, -f: the summary says so" err \
            '1 program was started and not profiled: .*seccomp filter was in the way$'
        is "$event, -f: the shell has a file, the child that became a program has none" \
            "$(wc -l <files)" 2 ;;
    *)
        is "$event, -f: no other file" "$(cat files)" event.data ;;
    esac
    rm -f event.data*
done

# A filter that was installed before mprof run started. The call that it lets fail is one that mprof run can do without.
# shellcheck disable=SC2086
run "$sandboxed" before errno process_vm_readv -- "$mprof" run -o event.data "$sandboxed" alone kill
is "mprof run behind a filter: status" "$status" 0
recorded "mprof run behind a filter"
rm -f event.data*
# A program without the monitor has installed the filter. So the monitor does not know which calls the filter forbids,
# and records nothing.
# shellcheck disable=SC2086
returns "a filter that nobody knows: status" 0 "$sandboxed" before kill $ours -- \
    env LD_PRELOAD="$library" MPROF_FILTERS=0 MPROF_FILE=event.data "$sandboxed" alone errno
empty "a filter that nobody knows: nothing is said" err
is "a filter that nobody knows: no file" "$(ls event.data* 2>/dev/null)" ""
# Behind a filter, but without mprof run (linked with -lmprof, in a container), the program is recorded.
returns "a filter, and no mprof run: status" 0 "$sandboxed" before errno process_vm_readv -- \
    env LD_PRELOAD="$library" MPROF_FILE=event.data "$sandboxed" alone kill
recorded "a filter, and no mprof run"

# The program needs more memory for the recording than was reserved when it installed the filter.
same "too_much" "$sandboxed" too_much kill
at_least "too_much: up to there" "$(total allocs event.data)" 100000
is "too_much: the rest is counted" \
    "$(($(total allocs event.data) + $(total dropped event.data)))" $(($(expected allocs out) + 1))
whole "too_much" event.data
prints "too_much: the report says why" '^Ended  *recording stopped early: its seccomp filter' "$mprof" report --no-pager event.data

# Limits of file sizes and of the address space.
before=$(ulimit -S -f)
ulimit -S -f 600
same "a limit of file size" "$sandboxed" at_once kill
at_least "a limit of file size: something is in it" "$(total allocs event.data)" 100
is "a limit of file size: the rest is counted" \
    "$(($(total allocs event.data) + $(total dropped event.data)))" $(($(expected allocs out) + 1))
ulimit -S -f "$before"
before=$(ulimit -S -v)
ulimit -S -v 300000
same "a limit of addresses" "$sandboxed" alone kill
recorded "a limit of addresses"
ulimit -S -v "$before"
if mkdir small && mount -t tmpfs -o size=1m none small 2>/dev/null; then
    trap 'umount "$tmp/small"; rm -rf "$tmp"' EXIT
    profile small/event.data "$sandboxed" at_once kill
    is "a full disk: status" "$status" 0
    empty "a full disk: nothing is said" err
    at_least "a full disk: something is in it" "$(total allocs small/event.data)" 100
else
    skip "a full disk" "mount is not allowed here"
fi

# Handlers allocate, or jump away, in code in which signals cannot be blocked.
also=$programs/.libs/bump.so
for round in 1 2 3; do
    profile event.data "$sandboxed" signals kill
    is "signals, $round: status" "$status" 0
    at_most "signals, $round: no more than there were" "$(total allocs event.data)" \
        $(($(expected allocs out) + 1))
    at_least "signals, $round: what is missing is counted" \
        "$(($(total allocs event.data) + $(total dropped event.data)))" "$(expected allocs out)"
    profile event.data "$sandboxed" jumps kill
    is "jumps, $round: status" "$status" 0
    "$programs/books_read" "$BOOKS" >begun
    at_least "jumps, $round: what is missing is counted" \
        "$(($(total allocs event.data) + $(total dropped event.data)))" \
        "$(awk '$1 == "allocs-done" { print $2 }' begun)"
done
plan
# SPDX-License-Identifier: MIT
