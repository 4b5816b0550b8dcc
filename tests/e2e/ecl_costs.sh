#!/bin/sh
# The instructions that mprof adds to a cons: in a loop, in recursion that conses in each frame, compiled and
# interpreted, in a tree of calls, and in functions called by MAPCAR. The instructions that mprof adds to structures and
# a vector. In a sampled recording, mprof adds far fewer instructions to an allocation that is no sample.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

needs "instructions" valgrind
ok "compile" compiled costs
timed=$(nm costs.fas | awk '$3 ~ /^L[0-9]+timed$/ { print $3 }')

# Columns: a function of costs.lisp, its argument, allocations for each unit of the argument, the maximum number of
# instructions added to an allocation, and the maximum in a sampled recording for an allocation that is no sample. Other
# compilers and versions of ECL add up to an eighth more than those of Debian 12; interpreted code in ECL 24, a half.
cat >cases <<CASES
conses 2000 1 350 48
deep-conses 2000 1 510 48
recursion 60 100 600 48
interpreted-recursion 150 300 1900 54
trees 100 127 1100 48
mapping 60 200 400 52
structures 2000 2 740 260
vectors 2000 2 420 72
CASES

# count PRELOAD FILE [SAMPLE]: writes the instructions of each of the cases to FILE. Callgrind writes a file for each call of
# TIMED, of which every second one counts. SAMPLE is the distance of samples.
count()
{
    rm -f counts.* costs.data*
    forms=$(awk '{ printf "(costs::%s %s) ", $1, $2 }' cases)
    run env ${1:+"LD_PRELOAD=$1"} ${3:+"MPROF_SAMPLE=$3"} MPROF_SAMPLE_SEED=1988 MPROF_FOLLOW=1 \
        "MPROF_FILE=$tmp/costs.data" valgrind -q \
        --tool=callgrind --callgrind-out-file=counts "--toggle-collect=$timed" "--dump-after=$timed" \
        "$ecl" --norc --load costs.fas --eval "(costs:all '($forms))" --eval '(ext:quit 0)'
    i=0
    while read -r _; do
        i=$((i + 2))
        awk '$1 == "totals:" || $1 == "summary:" { print $2; exit }' "counts.$i"
    done <cases >"$2"
}

count "" bare
is "without mprof: status" "$status" 0
count "$library" recorded
is "recorded: status" "$status" 0
count "$library" sampled 67108864
is "sampled: status" "$status" 0
paste -d ' ' cases bare recorded sampled >counted
while read -r name calls conses limit sampled_limit bare recorded sampled; do
    n=$((calls * conses))
    added=$(((recorded - bare) / n))
    counted=$(((sampled - bare) / n))
    echo "# $name: $((bare / n)) instructions for a cons, $added added, $counted if it is no sample"
    at_least "$name: conses are recorded" "$added" 100
    at_most "$name: instructions added to a cons" "$added" "$limit"
    at_least "$name: what is no sample is counted" "$counted" 15
    at_most "$name: instructions added to a cons that is no sample" "$counted" "$sampled_limit"
done <counted
plan
# SPDX-License-Identifier: MIT
