#!/bin/sh
# On a full disk, the program goes on, one line says so, and the file up to then is readable.
. "${srcdir:-.}/tests/e2e/lib.sh"

small_disk "full disk" full_disk.sh "$@"

"$programs/deep" 50000 >bare.out 2>bare.err
bare_status=$?
profile "$small/full.data" "$programs/deep" 50000
is "the program goes on" "$status" "$bare_status"
is "its output is the same" "$(cat out)" "$(cat bare.out)"
is "one line says it" "$(grep -c '^mprof: ' err) $(wc -l <err)" "1 1"
has "which names the file and the cause" err 'full.data: No space left on device'
returns "the file is readable" 0 "$mprof" totals "$small/full.data"
allocs=$(awk '$1 == "allocs" { print $2 }' out)
at_least "something is in it" "$allocs" 100
returns "the report can be made" 0 "$mprof" report "$small/full.data" --no-pager --table=leaks
has "the report says it" out '^Ended  *recording stopped early: No space left on device$'
prints "findings say it, too" '^Figures may be incomplete, because .*recording stopped early: No space left on device\.$' \
    "$mprof" findings "$small/full.data"
returns "the report can be made again" 0 "$mprof" report "$small/full.data" --no-pager --table=leaks
has "and when" out \
    '^Stopped  *[0-9]{4}-[0-9-]* [0-9:]* \+0000, after [0-9.]* s and [0-9,]* allocations$'
has "and how many allocations are not in it" out '^Dropped records  *[1-9]'

returns "mprof run: the status is the program's" "$bare_status" "$mprof" run -o "$small/full.data" "$programs/deep" 50000
has "mprof run: the summary says it" err \
    '^mprof:   recording stopped early: No space left on device, after '
has "mprof run: and how the program ended" err "^mprof: deep: exit status $bare_status, after "
has "mprof run: and what is missing" err '^mprof:   dropped  *[1-9][0-9,]*  records$'
returns "mprof run: the report can be made" 0 "$mprof" report "$small/full.data" --no-pager --table=leaks
has "mprof run: it says when" out '^Stopped .* allocations$'

returns "killed: status" 143 "$mprof" run -o "$small/full.data" "$programs/deep" 50000 200 1000 15
has "killed: the summary says so" err '^mprof: deep: killed by SIGTERM [^,]*, after '
has "killed: and that the recording stopped before" err \
    '^mprof:   recording stopped early: No space left on device, after '
"$mprof" report "$small/full.data" --no-pager --table=leaks >out
has "killed: so does the report" out '^Ended  *recording stopped early: No space left on device$'
has "killed: and when" out '^Stopped .* allocations$'

# The disk fills up while a started process is recorded; the recording of the first process is complete.
rm -f "$small"/*
run "$mprof" run -f -o "$small/others.data" sh -c '"$1" 50000 >deep.out; true' sh "$programs/deep"
is "another process: the status is the program's" "$status" 0
has "another process: the summary says why its recording is incomplete" err \
    '^mprof:     recording stopped early: No space left on device; [0-9,]* allocations were not recorded$'
has "another process: the sum does not claim to be whole" err '^mprof:   all of them: .*; [0-9,]* allocations were not recorded$'
complains "another process: merge says it, too" \
    '^mprof:   .*others\.data\.[0-9]*: recording stopped early: No space left on device; [0-9,]* alloc' \
    "$mprof" merge -o sum.data "$small"/others.data*
complains "another process: a check refuses its recording" \
    'others\.data\.[0-9]*: recording stopped early: No space left on device; .* were not recorded; --allow-killed' \
    "$mprof" check --max-kept=1G "$small"/others.data.*

# There is no space at all, not even for the header.
dd if=/dev/zero of="$small/rest" bs=4096 2>/dev/null
profile "$small/none.data" "$programs/killme" 100 exit
is "no space at all: the program runs" "$status" 7
is "no space at all: one line" "$(grep -c '^mprof: ' err) $(wc -l <err)" "1 1"

# Repeated heap snapshots leave at least as much space free as they take. The program kills mprof before the snapshots
# are sealed, because sealing adds names to them.
rm -f "$small"/*
cat >grow.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static void *kept[3000];
int main(void)
{
    srand(1);
    for (int i = 0; i < 3000; i++) {
        kept[i] = malloc(100 + (size_t)(rand() % 2000));
        *(void **)kept[i] = kept[rand() % (i + 1)];
    }
    for (int i = 0; i < 1500; i++) {
        free(malloc(10));
        usleep(1000);
    }
    kill(getppid(), SIGKILL);
    return 0;
}
END
if ${CC:-gcc} -o grow grow.c 2>cc.err; then
    run "$mprof" run -q --heap-every=0.03 -o "$small/grow.data" ./grow
    is "snapshots again and again: status, and nothing is said" "$status $(grep -v "^Killed" err)" "137 "
    set -- "$small"/grow.data.*.heap
    at_least "... several are kept" $# 2
    at_most "... which take no more than is free" "$(cat "$@" | wc -c)" \
        $(($(stat -f -c '%a * %S' "$small") + $(wc -c <"$1") * 2))
    returns "... and are whole" 0 "$mprof" heap "$1"
else
    skip "snapshots again and again" "no compiler: $(head -n 1 cc.err)"
fi
cd /
plan
# SPDX-License-Identifier: MIT
