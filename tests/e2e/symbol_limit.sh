#!/bin/sh
# A small ELF file cannot take all memory, time or disk. The program of a recording is replaced by each file that
# bombs.py makes. The report needs little memory, says in one line which names are left out, and names libc's functions.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "bombs" prlimit
export XDG_CACHE_HOME="$tmp/cache"
most=200                        # MB of memory
export MPROF_SYMBOL_LIMIT=10    # percent; the test takes a tenth of the time, too
seconds=60                      # of processor time, several times more than the slowest needs

cat >prog.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *volatile kept;

__attribute__((noinline)) static void
work(int n)
{
    kept = malloc((size_t)n);
}

int
main(void)
{
    char *text;

    for (int i = 0; i < 10; i++)
        work(i + 1);
    return asprintf(&text, "%s", "text") < 0;
}
END
${CC:-cc} -O1 -o base prog.c
cp base prog
profile recorded.data ./prog
is "recorded" "$status" 0

# bomb KIND LINE: reports the recording after the program got the bomb KIND. LINE is what the report must say of it, or
# "" if libdw can read the file within the limits.
bomb()
{
    rm -f prog.dwp
    $python "$src/tests/e2e/bombs.py" "$1" base prog
    cp recorded.data "$1.data"
    run prlimit --cpu=$seconds $python -c '
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
print("#peak", used, "MB")
sys.exit(status or used > int(sys.argv[1]))' $most "$mprof" report --no-pager --lines --table=leaks "$1.data"
    is "$1: status, and at most $most MB" "$status" 0
    if [ -n "$2" ]; then
        has "$1: one line says so" out "^Module  *$tmp/prog: $2\$"
    else
        hasnt "$1: nothing is missing" out '^Module'
    fi
    has "$1: other modules have their names" out 'asprintf'
}

incomplete='names incomplete \(they exceed --symbol-limit\)'
for kind in $($python "$src/tests/e2e/bombs.py"); do
    case $kind in
    attributes | base_addresses) line='debug information unreadable' ;;         # no compiler writes this
    debugdata_twice | endless_names | same_start | notes | packs | zstd_*) line= ;;
    *) line=$incomplete ;;
    esac
    bomb "$kind" "$line"
done

# Line tables beyond the limit are read if the limit is raised.
$python "$src/tests/e2e/bombs.py" some_rows base prog
for way in "--symbol-limit=50" MPROF_SYMBOL_LIMIT=50; do
    cp recorded.data rows.data
    case $way in
    --*) run "$mprof" report --no-pager --lines --table=leaks $way rows.data ;;
    *) run env "$way" "$mprof" report --no-pager --lines --table=leaks rows.data ;;
    esac
    hasnt "rows: $way" out '^Module'
    has "rows: $way: the lines" out 'bomb \([^ ]*a\.c:'
done
refuses "--symbol-limit: no number" 2 "symbol-limit" "$mprof" report --symbol-limit=all recorded.data
plan
# SPDX-License-Identifier: MIT
