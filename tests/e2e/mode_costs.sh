#!/bin/sh
# The instructions for a pair of malloc and free. A recording that omits information costs no more than a complete one.
# In a process that is not recorded, mprof adds nearly none. Blocks of many sizes cost little more than blocks of one
# size, and lifetimes cost half as much again.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "instructions" valgrind

# Each line has the arguments of a call of make_pairs() in the program pairs: depth, sizes, pairs, live bytes.
cat >modes <<END
10 1 2000 0
60 1 2000 0
10 8 2000 0
END
# Samples are so far apart that none of these pairs is one, whatever its size. In the last line every second block is so
# large that it shares a bin with other sizes.
cat >samples <<END
10 1 2000 0
10 8 2000 0
60 20 2000 0
10 100 2000 0
END
# The second call of each two is compared with the limit in the last column, because the first call makes all cells.
cat >sizes <<END
10 1 2000 16
10 1 4000 16 242
10 8 2000 16
10 8 4000 16 275
10 80 2000 16
10 80 4000 16 315
10 100 2000 16
10 100 4000 16 380
END
cat >alive <<END
10 8 2000 1048576
10 8 4000 1048576 275
10 80 2000 1048576
10 80 4000 1048576 325
10 100 2000 1048576
10 100 4000 1048576 350
END

# cost FILE LIBRARY OPTION: writes to FILE.OPTION the instructions of a pair for each line of FILE. The program is recorded
# by LIBRARY with the variable OPTION. Callgrind writes a file for each call.
cost()
{
    rm -f counts.* pairs.data*
    # shellcheck disable=SC2046
    run env ${2:+"LD_PRELOAD=$2"} MPROF_FOLLOW=1 "MPROF_FILE=$tmp/pairs.data" "$3" valgrind -q --tool=callgrind \
        --toggle-collect=make_pairs --dump-after=make_pairs --callgrind-out-file=counts \
        "$programs/pairs" $(cut -d' ' -f1-4 "$1")
    i=0
    while read -r _ _ pairs _; do
        i=$((i + 1))
        awk -v pairs="$pairs" '$1 == "totals:" || $1 == "summary:" { print int($2 / pairs); exit }' counts.$i
    done <"$1" >"$1.${3%%=*}"
}

cost modes "$library" MPROF_NONE=1
cost modes "$library" MPROF_DEPTH=16
cost modes "$library" MPROF_CALL_GRAPH=0
paste -d ' ' modes modes.MPROF_NONE modes.MPROF_DEPTH modes.MPROF_CALL_GRAPH >counted
is "modes: all were counted" "$(awk 'NF == 7' counted | wc -l)" "$(wc -l <modes)"
while read -r depth sizes _ _ full less callers; do
    shape="$depth $sizes"
    echo "# $shape: all $full, --depth=16 $less, --no-call-graph $callers"
    at_least "$shape: everything is recorded" "$full" 200
    at_most "$shape: --depth=16" "$less" $((full + full / 100))
    at_most "$shape: --no-call-graph" "$callers" "$full"
done <counted

MPROF_SAMPLE_SEED=1988
export MPROF_SAMPLE_SEED
cost samples "" MPROF_BARE=1
cost samples "$library" MPROF_SAMPLE=67108864
cost samples "$library" MPROF_STOPPED=1
cost samples "$library" MPROF_ONLY=nothing
paste -d ' ' samples samples.MPROF_BARE samples.MPROF_SAMPLE samples.MPROF_STOPPED samples.MPROF_ONLY >counted
is "samples: all were counted" "$(awk 'NF == 8' counted | wc -l)" "$(wc -l <samples)"
while read -r depth sizes _ _ bare sample stopped excluded; do
    shape="$depth $sizes"
    test "$shape" != "10 100" || limit=35
    echo "# $shape: bare $bare, no sample $sample, --stopped $stopped"
    at_least "$shape: the hooks were called" "$stopped" $((bare + 10))
    at_most "$shape: what is no sample" "$sample" $((bare + ${limit:-31}))
    at_most "$shape: --stopped" "$stopped" $((bare + 17))
    at_most "$shape: a program that is not recorded" "$excluded" "$stopped"
done <counted

unset MPROF_SAMPLE_SEED
for file in sizes alive; do
    cost $file "" MPROF_BARE=1
    cost $file "$library" MPROF_NONE=1
    cost $file "$library" MPROF_LIFETIMES=1
    paste -d ' ' $file.MPROF_BARE $file.MPROF_NONE $file.MPROF_LIFETIMES $file | awk 'NF == 8'
done >counted
is "sizes: all were counted" "$(wc -l <counted)" "$(cat sizes alive | awk 'NF == 5' | wc -l)"
while read -r bare recorded timed _ sizes _ live limit; do
    echo "# $sizes sizes, $live bytes alive: $((recorded - bare)) added, with lifetimes $((timed - bare))"
    at_most "$sizes sizes, $live bytes alive: instructions added to a pair" "$((recorded - bare))" "$limit"
    at_most "$sizes sizes, $live bytes alive: instructions added by lifetimes" "$((timed - recorded))" 150
done <counted
plan
# SPDX-License-Identifier: MIT
