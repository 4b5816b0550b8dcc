#!/bin/sh
# A process that loses descriptors, directories, rights or limits; children that are made without the C library. The
# program does what it does without mprof, and everything that can be recorded is recorded.
. "${srcdir:-.}/tests/e2e/events_lib.sh"

denied=$programs/process_denied

# No allocation is lost. Children that share memory are counted with their parent; others have their own files.
for event in closed used standard no_mmap no_open no_fallocate no_prlimit open_kills clone_shared \
    clone_copied vfork; do
    same "$event" "$denied" $event
    is "$event: runs" "$status" 0
    exact "$event" block event.data*
    whole "$event" event.data*
    is "$event: nothing dropped" "$(total dropped event.data)" 0
done

# The first process of a daemon ends without allocating. The daemon's working directory is /, and its file is in the
# directory in which the first process started.
profile event.data "$denied" daemon
is "daemon: status" "$status" 0
until_true 60 grep -q freed out
exact "daemon" block event.data*
whole "daemon" event.data event.data.*
is "daemon: two files" "$(find . -name 'event.data*' | wc -l)" 2

# Events that need root also without mprof.
mkdir root
for event in chroot user user_closes_from user_closes_range user_closes_each user_uses_each; do
    if [ "$(id -u)" -ne 0 ]; then
        skip "$event" "only root may"
        continue
    fi
    same "$event" "$denied" $event root
    exact "$event" block event.data
    whole "$event" event.data
    is "$event: nothing dropped" "$(total dropped event.data)" 0
done

# A child or a started program that cannot create a data file prints no message about that.
if [ "$(id -u)" -eq 0 ]; then
    same "user_forks" "$denied" user_forks
    is "user_forks: what is recorded, and what the child dropped" \
        "$(($(sum block event.data | cut -d' ' -f1) + $(total dropped event.data)))" "$(expected allocs out)"
    run "$denied" user_starts
    mv out bare.out
    returns "user_starts: status" 0 "$mprof" run -f -o event.data "$denied" user_starts
    ok "user_starts: output" diff bare.out out
    hasnt "user_starts: no complaint" err 'Permission denied|ld\.so'
    if setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$library"; then
        has "user_starts: the file of the program is handed over" err '^mprof: echo: exit status 0'
        has "user_starts: under another name" err '^mprof report event\.data\.[0-9]*$'
    else
        has "user_starts: the library cannot be read there" err \
            '^mprof:   echo: cannot read libmprof\.so as its user or in its root directory$'
    fi
else
    skip "user_forks, user_starts" "only root may"
fi
returns "no file may be written: status" 3 "$mprof" run -f -o event.data sh -c 'ulimit -f 0; /bin/true; exit 3'
hasnt "no file may be written: no complaint" err 'too large|ld\.so'
has "no file may be written: the summary says it" err '^mprof:   true: cannot create a data file$'
mkdir hidden
rm -f event.data*
if unshare -m true 2>/dev/null && cp "$library" hidden/libmprof.so; then
    returns "the library is out of reach: status" 3 env MPROF_LIBRARY="$tmp/hidden/libmprof.so" "$mprof" run -f -o event.data \
        unshare -m sh -c "mount -t tmpfs none '$tmp/hidden'; /bin/echo started; exit 3"
    is "the library is out of reach: output" "$(cat out)" "started"
    hasnt "the library is out of reach: no complaint" err 'ld\.so'
    has "the library is out of reach: the summary says it" err \
        '^mprof:   echo: cannot read libmprof\.so as its user or in its root directory$'
else
    skip "the library is out of reach" "unshare -m is not allowed here"
fi

before=$(ulimit -S -f)
# stopped NAME COMMAND...: runs COMMAND with the limit of file sizes that is set, and then lifts the limit, because
# exports may be larger. Tests that the program goes on, that one line says that recording has stopped, and that the
# recording up to then can be read.
stopped()
{
    name=$1
    shift
    run "$@"
    mv out bare.out
    bare_status=$status
    rm -f event.data*
    profile event.data "$@"
    ulimit -S -f "$before"
    is "$name: status $bare_status" "$status" "$bare_status"
    ok "$name: output" diff bare.out out
    is "$name: one line" "$(grep -c '^mprof: .*recording stopped' err) $(wc -l <err)" "1 1"
    whole "$name" event.data
    at_least "$name: something is in it" "$(total allocs event.data)" 100
    at_least "$name: what is missing is counted" "$(total dropped event.data)" 1
}
if [ "$(id -u)" -eq 0 ]; then
    stopped "chroot and no descriptor" "$denied" chroot_closed root
else
    skip "chroot and no descriptor" "only root may"
fi
ulimit -S -f 600
stopped "a limit of file size" "$denied" work
ulimit -S -f 600
same "stderr that became a log" "$denied" log
ulimit -S -f "$before"
prints "stderr that became a log: the report says what happened" '^Ended .*File too large' "$mprof" report --no-pager event.data

# A message that cannot be written does not end the program, and the program does not wait.
mkfifo full gone
exec 3<>full 4<>gone 5>gone 4<&-
timeout 2 head -c 1048576 /dev/zero >&3
echo >large.log
for to in '>&3' '>&5' '>>large.log'; do
    returns "no room for a message, 2$to: status" 0 timeout -s KILL 10 sh -c \
        "ulimit -f 0; LD_PRELOAD=\$1 MPROF_FILE=/nonexist/f.data exec /bin/true 2$to" - "$library"
done
exec 3<&- 5>&-

# If the directory is not writable, there is one message and no file.
mkdir shut
chmod 555 shut
if mount -t tmpfs -o ro none shut 2>/dev/null; then
    trap 'umount "$tmp/shut"; rm -rf "$tmp"' EXIT
    profile shut/event.data "$denied" work
    is "read-only directory: status" "$status" 0
    is "read-only directory: one line" "$(grep -c '^mprof: .*Read-only' err) $(wc -l <err)" "1 1"
    is "read-only directory: output" "$(expected allocs out)" 16384
elif [ "$(id -u)" -ne 0 ]; then
    profile shut/event.data "$denied" work
    is "read-only directory: status" "$status" 0
    is "read-only directory: one line" "$(grep -c '^mprof: .*denied' err) $(wc -l <err)" "1 1"
else
    skip "read-only directory" "root, and no mount"
fi

# Programs in other mount and time namespaces.
if unshare -m true 2>/dev/null; then
    run unshare -m sh -c "umount -l /dev/shm; rmdir /dev/shm; mount -t tmpfs none /dev &&
        mknod /dev/null c 1 3; '$mprof' run -q -o shm.data '$denied' work"
    is "no /dev/shm: status" "$status" 0
    exact "no /dev/shm" block shm.data
else
    skip "no /dev/shm" "unshare -m is not allowed here"
fi
if unshare -T true 2>/dev/null; then
    run unshare -T --monotonic 1000000 --boottime 1000000 \
        "$mprof" run -q -o time.data "$denied" work
    exact "another clock" block time.data
    # The clock goes back by 1000 s, from an hour that any machine may have reached.
    returns "a clock that jumps back: status" 0 \
        unshare -T --monotonic 1000000 "$mprof" run -qf -o time.data unshare -T --monotonic 999000 "$denied" work
    exact "a clock that jumps back" block time.data
    run "$mprof" report --no-pager time.data
    has "a clock that jumps back: the time is not absurd" out '^Recorded  *[0-9]?[0-9]\.[0-9]* s$'
else
    skip "clocks that jump" "unshare -T is not allowed here"
fi
plan
# SPDX-License-Identifier: MIT
