#!/bin/sh
# mprof check with limits of a program whose figures are all known (tests/programs/costs.c).
. "${srcdir:-.}/tests/e2e/lib.sh"

profile data "$programs/costs"
is "runs" "$status" 0

check()
{
    "$mprof" check "$@" data
}

# limit NAME NUMBER: tests that NUMBER is allowed, and one less is not.
limit()
{
    run check "--max-$1=$2"
    is "--max-$1=$2: within" "$status $(cut -d: -f1 out)" "0 within    --max-$1=$2"
    run check "--max-$1=$(($2 - 1))"
    is "--max-$1: one less" "$status $(head -n 1 out | cut -d: -f1)" "1 OVER      --max-$1=$(($2 - 1))"
}

for name in bytes allocs kept peak temporary; do
    number=$(total $name data)
    limit "$name" "$number"
done

run check --max-temporary=5000 --max-kept=1M
has "over: the figures" out '^OVER      --max-temporary=5000: 5,003 blocks are temporary, 5,000 allowed$'
is "over: first the chain with most" "$(sed -n 2p out)" \
    "    5,000 blocks: main (costs.c:$(grep -n 'churn();' "$src/tests/programs/costs.c" | cut -d: -f1)) > churn (costs.c:$(grep -n 'free(get(16))' "$src/tests/programs/costs.c" | cut -d: -f1)) > get (costs.c:$(grep -n 'memory = malloc' "$src/tests/programs/costs.c" | cut -d: -f1))"
has "within: after it" out '^within    --max-kept=1M: [0-9,]+ bytes are kept, 1,048,576 allowed$'
run check --quiet --max-temporary=5000 --max-kept=1M
is "--quiet: only what is over" "$(grep -c '^[A-Za-z]' out)" 1
run check --max-temporary=5000 --max=1
is "--max: so many chains" "$(grep -c ' block' out)" 2
has "--max: how many more" out '^    and [0-9] more chains$'

# A program that prints keeps the buffer of its standard output, which is no leak.
if need gcc; then
    cat >prints.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    printf("%d\n", file ? fgetc(file) : 0);
    return 0;
}
END
    gcc -o prints prints.c
    profile prints.data ./prints
    returns "--no-leaks: a program that prints" 0 "$mprof" check --no-leaks prints.data
    has "... what it keeps is said" out '^suppressed: [0-9,]+ bytes in 1 block by buffers of stdio$'
    profile prints.data ./prints prints.c
    run "$mprof" check --no-leaks prints.data
    is "--no-leaks: a file that is never closed" "$status $(head -n 1 out)" \
        "1 OVER      --no-leaks: 1 blocks are kept, 0 allowed"
else
    skip "--no-leaks: a program that prints" "$missing"
fi

returns "--no-leaks: over" 1 check --no-leaks
has "--no-leaks: blocks, not bytes" out '^    10 blocks: main .* > keep '

# ----------------------------------------------------------------- functions
run check '--limit-function=^keep$:kept=10000,allocs=10,bytes=10000'
is "--limit-function: all within" "$status $(grep -c ^within out)" "0 3"
returns "--limit-function: over" 1 check '--limit-function=^keep$:kept=9999'
has "--limit-function: and what it calls" out '^    10,000 bytes in 10 blocks: main .* > keep .* > get '
run check '--limit-function=nobody:kept=0'
is "--limit-function: of no such name" "$status $(cat out err)" \
    "2 mprof: --limit-function=nobody:kept=0: neither on a recorded chain nor among the symbols of costs: no such function"
run check -q '--limit-function=nobody:kept=0' --max-bytes=1
is "... also if something else is over" "$status $(wc -l <out) $(wc -l <err)" "2 0 1"
run check '--limit-function=^_init$:kept=0'
is "--limit-function: one that allocates nothing" "$status $(cat out)" \
    "0 within    --limit-function=^_init\$:kept=0: no function that allocates has such a name"
returns "--limit-function: at the peak" 1 check '--limit-function=phase:peak=149999'

# ------------------------------------------------------------------ baseline
profile more.data "$programs/api" second.data
cp data old
run check --baseline=old
is "the same as before: within" "$status $(grep -c ^within out)" "0 5"
returns "more than before: over" 1 "$mprof" check --baseline=second.data data
has "with what it was" out '^OVER      --baseline=second\.data: allocs: 13,022 blocks are allocated, [0-9,]+ before, [0-9,]+ allowed$'
has "with what came to it" out '^    \+8,000 blocks: main > gather > get$'
run "$mprof" check --baseline=data --tolerance=10% data
has "--tolerance" out 'allocs: 13,022 blocks are allocated, 13,022 before, 14,324 allowed$'
run "$mprof" check --baseline=data --tolerance=10%,allocs=1%+5 --tolerance=kept=0+1K,peak=2 data
has "... of one figure" out 'allocs: 13,022 blocks are allocated, 13,022 before, 13,157 allowed$'
is "... and a size in addition" "$(sed -n 's/.* kept: \([0-9,]*\) bytes are kept, \([0-9,]*\) before, \([0-9,]*\) allowed$/\1 \2 \3/p' out |
    tr -d , | awk '{ print $1 == $2 ? $3 - $2 : "no" }')" 1024
returns "several baselines: the largest figure of them is allowed" 0 "$mprof" check --baseline=second.data --baseline=data data
has "... from the file that has it" out '^within .*--baseline=data: allocs: 13,022 blocks are allocated, 13,022 before'
returns "... in whatever order" 0 "$mprof" check --baseline=data --baseline=second.data data

# -------------------------------------------------------------- suppressions
run check --suggest
cp out known.supp
is "--suggest: status" "$status" 0
has "--suggest: valgrind's form" known.supp '^   Memcheck:Leak$'
has "--suggest: whole chains" known.supp '^   fun:keep$'
returns "what is known is not counted" 0 check --no-leaks --suppressions=known.supp
has "and said" out '^suppressed: 10,000 bytes in 10 blocks by kept-1: '
run check --suppressions=known.supp --suggest
is "--suggest: nothing is left" "$status $(cat out)" "0 "
echo 'leak:^keep$' >keep.supp
run check --no-leaks --suppressions=keep.supp
is "of LeakSanitizer's: the others are left" \
    "$status $(sed -n 's/^OVER .*: \([0-9]*\) blocks .*/\1/p' out)" "1 $(($(total kept-blocks data) - 10))"
prints "--suggest=lsan" '^leak:\^get\$$' check --suggest=lsan

if need valgrind; then
    valgrind --leak-check=full --show-leak-kinds=all --suppressions=known.supp -v \
        "$programs/costs" >out 2>err
    has "valgrind takes them" err 'used_suppression: .* kept-1: 10,000 bytes'
else
    skip "valgrind takes them" "$missing"
fi

# ------------------------------------------------------------- one step, Lisp
returns "mprof run --check: over" 1 "$mprof" run -q --check --max-kept=1K -o run.data "$programs/costs"
has "said on stderr" err '^OVER      --max-kept=1K: '
says "mprof run --check: within, and quiet" "0 " "$mprof" run -q --check --max-kept=1M -o run.data "$programs/costs"
returns "the program's own status goes before" 7 "$mprof" run -q --check --max-kept=0 -o run.data sh -c 'exit 7'
says "--check without limits" "2 mprof: --check: no limit is given, such as --max-kept=4K; see mprof run --help" \
    "$mprof" run --check "$programs/costs"
says "limits without --check" "2 mprof: limits and their results require --check; see mprof run --help" \
    "$mprof" run --no-leaks "$programs/costs"

# ------------------------------------------------------- all processes of a run
cp "$programs/costs" again
run "$mprof" run -q -f --only=costs,again --check --max-kept=9999 -o 'many.%p' sh -c \
    "'$programs/costs'; ./again; '$programs/costs'; exit 0"
is "with -f all that are recorded are checked" "$status" 1
is "... each over its limit with its chains" \
    "$(grep -c '^OVER      --max-kept=9999: ' err) $(grep -c '^    10,000 bytes in 10 blocks: .*keep' err)" "3 3"
is "... each named, in the order of the run" "$(sed -n 's/^\([a-z]*\) (many\.[0-9]*)$/\1/p' err | paste -sd' ' -)" \
    "costs again costs"
is "... by its own file" "$(grep -oE 'many\.[0-9]+' err | sort -u | wc -l)" 3
run "$mprof" run -f --only=costs,again --check --max-kept=1M -o 'few.%p' --junit=few.xml --gitlab=few.json --github sh -c \
    "'$programs/costs'; ./again; exit 0"
is "all within: status" "$status" 0
is "... said of each" "$(grep -cE '^(costs|again) \(few\.[0-9]+\)$' err) $(grep -c '^within    --max-kept' err)" "2 2"
is "... and written" "$(grep -o '<testsuite name="[a-z]*" tests="1" failures="0"' few.xml | cut -d'"' -f2 | paste -sd' ' -)" \
    "costs again"
is "... also where nothing is wrong" "$(cat few.json) $(grep -c '^::' out)" "[] 0"
run "$mprof" run -q --check --max-kept=9999 -o first.data timeout 600 "$programs/costs"
is "without -f only the first is recorded" "$status" 0
profile older.data ./again
run "$mprof" run -q -f --only=costs,again --check --max-kept=1M --baseline=older.data -o 'base.%p' --junit=base.xml \
    sh -c "'$programs/costs'; ./again; exit 0"
is "a baseline is of its own program" "$status $(grep -o '<testsuite name="[a-z]*" tests="[0-9]*"' base.xml | tr -d '"' |
    paste -sd, -)" "0 <testsuite name=costs tests=1,<testsuite name=again tests=6"
run "$mprof" run --check --baseline=none.data sh -c 'echo ran'
is "no such baseline: nothing is run" "$status $(cat out err)" "2 mprof: cannot open none.data: No such file or directory"
says "results without --check" "2 mprof: limits and their results require --check; see mprof run --help" \
    "$mprof" run --junit=few.xml "$programs/costs"

# ------------------------------------------------------------------ samples
MPROF_SAMPLE=4K
export MPROF_SAMPLE
profile sampled.data "$programs/costs"
unset MPROF_SAMPLE
returns "sampled: what was allocated is exact" 0 "$mprof" check --max-bytes=484988 --max-allocs=13022 sampled.data
high=$("$mprof" totals sampled.data | sed -n 's/^kept\.high //p')
low=$("$mprof" totals sampled.data | sed -n 's/^kept\.low //p')
run "$mprof" check --max-kept="$low" sampled.data
is "sampled: a limit within the interval is uncertain" "$status $(cut -c 1-9 out | head -n 1)" "0 uncertain"
prints "sampled: above it" '^within ' "$mprof" check --max-kept="$high" sampled.data
plan
# SPDX-License-Identifier: MIT
