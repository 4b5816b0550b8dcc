#!/bin/sh
# A process in another mount namespace: its file names do not mean root's files of the same names.
. "${srcdir:-.}/tests/e2e/control_lib.sh"

mkdir mnt
unshare -m mount -t tmpfs none "$tmp/mnt" 2>/dev/null ||
    skip_all "a process in a mount namespace of its own" "unshare(2) or mount(2) is not permitted"
cp "$programs/control" "$library" .
for name in data data.1.heap data.snapshot.1; do
    echo "not $name" >"mnt/$name"
done

mkfifo orders
: >answers
answered=0
unshare -m sh -c 'mount -t tmpfs none mnt; LD_PRELOAD=$0/libmprof.so MPROF_FILE=$0/mnt/data exec ./control' "$tmp" \
    <orders >answers 2>errors &
pid=$!
exec 8>orders
order "leak 1 1000"
root=/proc/$pid/root$tmp/mnt

# asked COMMAND...: runs mprof COMMAND while the process allocates now and then.
asked()
{
    rm -f asked
    { "$mprof" "$@" "$pid" >out 2>err; echo $? >asked; } &
    until [ -s asked ]; do
        order 1
        sleep 0.02
    done
    wait $!
    status=$(cat asked)
}

asked leaks --wait=60
is "leaks: status" "$status" 0
has "... of that process" out "^leaks of control, process $pid"
is "... and nothing is left" "$(ls "$root")" data
asked snapshot --heap --wait=60
is "snapshot --heap: status" "$status" 0
is "... beside the data file" "$(head -c 8 "$root/data.1.heap")" MPROFHEA
has "... which is named as this process has it" out "^mprof heap $root/data.1.heap\$"
asked snapshot
is "snapshot: beside the data file" "$status $(head -c 8 "$root/data.snapshot.1")" "0 MPROFDAT"
asked snapshot --heap --wait=60 -o given.heap
is "snapshot --heap -o: here" "$status $(head -c 8 given.heap)" "0 MPROFHEA"
asked stop --wait=60
is "stop" "$status" 0
for name in data data.1.heap data.snapshot.1; do
    is "$name of this namespace is as it was" "$(cat "mnt/$name")" "not $name"
done
end_program
is "the program ends as ever" "$status" 5
plan
# SPDX-License-Identifier: MIT
