#!/bin/sh
# Faulty frees of memory that is already freed, of addresses within a block, and of unknown addresses.
. "${srcdir:-.}/tests/e2e/lib.sh"

cat >faulty.c <<'ENDC'
#include "runtime/mprof.h"
#include <stdlib.h>
static void __attribute__((noinline))
twice(void *p)
{
    free(p);
}
static char other[64] __attribute__((aligned(64)));
int
main(int n, char **v)
{
    char *volatile small = malloc(24), *volatile large = malloc(5000), *volatile medium = malloc(100);
    char *volatile again, *volatile many[8];

    (void)n;
    switch (v[1][0]) {
    case 's': free(small); twice(small); break;
    case 'l': free(large); twice(large); break;
    case 'm': twice(medium + 48); break;
    case 'i': twice(large + 2048); break;
    case 'u': twice(other + 16); break;
    case 'n':                   /* no fault: freed, and allocated again */
        free(medium);
        again = malloc(100);
        free(again);
        break;
    case 'o':                   /* no fault: allocated again while nothing was recorded */
        free(medium);
        free(large);
        MPROF(mprof_stop());
        medium = malloc(100);
        large = malloc(5000);
        if (mprof_restart)
            mprof_restart("second.data");
        free(medium);
        free(large);
        break;
    case 'p':                   /* no fault: within a block that was freed while nothing was recorded */
        MPROF(mprof_stop());
        free(large);
        for (int i = 0; i < 8; i++)
            many[i] = malloc(560);
        if (mprof_restart)
            mprof_restart("second.data");
        for (int i = 0; i < 8; i++)
            free(many[i]);
    }
    return 0;
}
ENDC
# shellcheck disable=SC2086
ok "links" ${CC:-gcc} -g -fno-builtin -I"$src" -o faulty faulty.c

# faulty HOW STATUS: records a faulty free of the kind HOW by a program that ends with STATUS. Writes the head of the
# report to the file `printed`.
faulty()
{
    rm -f f.data second.data
    returns "$1: status" "$2" "$mprof" run -q -o f.data ./faulty "$1"
    "$mprof" report --no-pager --table=bins f.data >printed
    "$mprof" report --no-pager --table=bins f.data >again
    ok "$1: read again" cmp printed again
}

aborted=134
faulty s $aborted
has "freed twice" printed '^Freed again  *1  of memory that was freed already: main .*faulty\.c:1[0-9]\) > twice \(faulty\.c:6\)$'
run "$mprof" check --allow-killed --max-bytes=1G f.data
has "freed twice: check says so" out '^faulty: 1 free of memory that was freed already: main .* > twice'
is "freed twice: in JSON" "$("$mprof" report --json f.data | grep -o '"freed_again":[0-9]*')" '"freed_again":1'
"$mprof" findings f.data >findings
has "freed twice: a finding" findings '1 free by twice is of memory that was freed already'
has "freed twice: its chain" findings 'main .*faulty\.c:1[0-9].* > twice'
faulty l $aborted
has "a large block" printed '^Freed again  *1  of memory that was freed already: main .* > twice'

# When recordings are merged, faulty frees of the same chain are added up and keep their chains.
mv f.data l.data
faulty s $aborted
cp f.data s.data
faulty i $aborted
"$mprof" merge -o all.data s.data l.data f.data 2>err
is "merged: in JSON" "$("$mprof" report --json all.data | grep -oE '"freed_(again|inside)":[0-9]*' | tr '\n' ' ')" \
    '"freed_again":2 "freed_inside":1 '
"$mprof" report --no-pager --table=bins all.data >printed
is "merged: chains" "$(grep -c '^Freed again  *1  .*: main .*faulty\.c:1[0-9]) > twice (faulty\.c:6)$' printed)" 2
has "merged: of another kind" printed '^Freed inside  *1  of addresses within a block: main .* > twice'
"$mprof" findings all.data >findings
has "merged: a finding" findings '1 free by twice is of addresses within a block'
faulty s $aborted
"$mprof" merge -o more.data all.data f.data 2>err
"$mprof" report --no-pager --table=bins more.data >printed
has "merged again" printed '^Freed again  *2  of memory that was freed already: main .* > twice'

faulty m $aborted
has "within a block" printed '^Freed inside  *1  of addresses within a block: main .* > twice'
faulty i $aborted
has "within a large block" printed '^Freed inside  *1  of addresses within a block: main .* > twice'
faulty u $aborted
has "no block" printed '^Unknown frees  *1  of addresses never seen: main .* > twice'
faulty n 0
hasnt "allocated again" printed '^Freed|^Unknown'
faulty o 0
hasnt "before mprof_stop()" printed '^Freed|^Unknown'
"$mprof" report --no-pager --table=bins second.data >printed
hasnt "allocated while nothing was recorded: no fault" printed '^Freed'
is "it is not known" "$(grep -c '^Unknown frees  *1  of addresses never seen: main ' printed)" 2
faulty p 0
"$mprof" report --no-pager --table=bins second.data >printed
hasnt "within a block of an earlier recording: no fault" printed '^Freed'
has "it is not known, either" printed '^Unknown frees  *8  of addresses never seen: main '
plan
# SPDX-License-Identifier: MIT
