#!/bin/sh
# SIGKILL at random points in time, and by the kernel for lack of memory: each time the file can be read, contains
# what the program had done, and its figures agree.
#
#     process_killed.sh       20 times; 500 with KILLS=500 (make soak)
. "${srcdir:-.}/tests/e2e/events_lib.sh"

kills=${KILLS:-20}
torn=2          # threads
: >all.wrong
i=0
while [ $i -lt "$kills" ]; do
    rm -f event.data books
    LD_PRELOAD=$library MPROF_FILE=event.data "$programs/process_victim" >out 2>err &
    victim=$!
    # Every second process is killed at any time from before main() on, the others while they work.
    [ $((i % 2)) -eq 0 ] || until_true 60 test -s out
    sleep "0.0$(awk -v seed=$i 'BEGIN { srand(seed); printf "%04d", rand() * 10000 }')"
    kill -9 $victim
    wait $victim 2>/dev/null
    if [ ! -s event.data ]; then
        [ -s out ] && echo "$i: no file" >>all.wrong
        i=$((i + 1))
        continue
    fi
    amiss event.data | sed "s/^/$i: /" >>all.wrong
    if [ -s out ]; then
        "$programs/books_read" books >begun
        sum block event.data | awk -v i=$i 'FNR == NR { n[$1] = $2; next }
            $1 < n["allocs-done"] || $1 > n["allocs-begun"] || $3 < n["frees-done"] ||
                $3 > n["frees-begun"] {
                print i ": " $0 ", done " n["allocs-done"], n["frees-done"] }' begun - >>all.wrong
        reached=$((reached + 1))
    fi
    i=$((i + 1))
done
empty "$kills kills: nothing lost, every figure agrees" all.wrong
at_least "$kills kills: most of them in the midst of it" "${reached:-0}" $((kills / 2))

# In its own memory cgroup, version 1 or 2.
group=
for parent in /sys/fs/cgroup/memory /sys/fs/cgroup; do
    if [ -z "$group" ] && mkdir "$parent/mprof-test.$$" 2>/dev/null; then
        group=$parent/mprof-test.$$
        for limit in memory.limit_in_bytes memory.max; do
            [ -e "$group/$limit" ] && echo 60000000 >"$group/$limit" 2>/dev/null && limited=yes
        done
    fi
done
if [ -n "${limited-}" ]; then
    rm -f event.data
    sh -c "echo \$\$ >$group/cgroup.procs
        LD_PRELOAD=$library MPROF_FILE=event.data '$programs/process_victim' 60" >out 2>err
    is "no more memory: the kernel kills it" $? 137
    between "no more memory" block event.data
    torn_size=100000
    whole "no more memory" event.data
    at_least "no more memory: what it had" "$(total kept event.data)" 20000000
else
    skip "no more memory" "no memory cgroup can be made here"
fi
[ -z "$group" ] || rmdir "$group"
plan
# SPDX-License-Identifier: MIT
