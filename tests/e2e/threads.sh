#!/bin/sh
# Threads: nothing is lost, and if another thread frees a block, the free counts for the function that allocated it.
. "${srcdir:-.}/tests/e2e/lib.sh"

profile foreign.data "$programs/foreign" 80000
is "foreign: runs" "$status" 0
mv out printed
is "foreign: make_block has all of them" "$(books self make_block foreign.data | cut -d' ' -f1-4)" \
    "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected freed printed)"
is "foreign: no free without a block" "$(total foreign-frees foreign.data)" 0

for n in 2 8; do
    profile threads.data "$programs/threads" 100000 $n
    is "$n threads: runs" "$status" 0
    mv out printed
    is "$n threads: pairs" "$(books self pair threads.data | cut -d' ' -f1-4)" \
        "$(expected allocs printed) $(expected bytes printed) $(expected frees printed) $(expected bytes printed)"
    is "$n threads: nothing dropped" "$(total dropped threads.data)" 0
done

# The program torture with 3 threads: everything that it allocates is freed, whatever happens to the stacks.
profile torture.data "$programs/torture" 10 3
is "torture: runs" "$status" 0
is "torture: says ok" "$(cat out)" ok
is "torture: all that touch() allocates is freed" \
    "$(books self touch torture.data | awk '{ print $1 - $3, $2 - $4 }')" "0 0"

# A thread costs the program's heap only an entry in its vector for the monitor's thread-local storage.
cat >cost.c <<'END'
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *argument) { return argument; }
int main(void)
{
    pthread_t thread;
    size_t before = mallinfo2().uordblks;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        return 1;
    before = mallinfo2().uordblks - before;
    pthread_join(thread, NULL);
    return printf("%zu\n", before) < 0;
}
END
if need gcc && gcc -pthread -o cost cost.c; then
    run ./cost
    bare=$(cat out)
    profile cost.data ./cost
    is "a thread costs the heap 16 bytes more" "$(cat out)" "$((bare + 16))"
else
    skip "what a thread costs" "${missing:-gcc cannot build it}"
fi
plan
# SPDX-License-Identifier: MIT
