#!/bin/sh
# What a pair of malloc and free costs, counted in instructions: a recording that asks for less costs no more than a
# complete one, a process in which nothing is recorded pays nearly nothing, and blocks of many sizes cost little more
# than blocks of one size.
. "${srcdir:-.}/tests/e2e/lib.sh"

needs "instructions" valgrind

pairs=2000
preload=$library

# cost OPTION ARGUMENT...: prints the instructions of a pair in the program pairs, run with the ARGUMENTS and the variable
# OPTION. bare ARGUMENT... does so without mprof.
cost()
{
    option=$1
    shift
    rm -f "$tmp"/pairs.data*
    run env "LD_PRELOAD=$preload" MPROF_FOLLOW=1 "MPROF_FILE=$tmp/pairs.data" "$option" valgrind -q \
        --tool=callgrind --toggle-collect=make_pairs --callgrind-out-file=counts "$programs/pairs" "$@" $pairs
    awk -v pairs=$pairs '$1 == "summary:" { print int($2 / pairs) }' counts
}

bare()
{
    (preload='' && cost MPROF_NONE=1 "$@")
}

# shellcheck disable=SC2086
for shape in "10 1" "60 1" "10 8"; do
    full=$(cost MPROF_NONE=1 $shape)
    depth=$(cost MPROF_DEPTH=16 $shape)
    callers=$(cost MPROF_CALL_GRAPH=0 $shape)
    echo "# $shape: all $full, --depth=16 $depth, --no-call-graph $callers"
    at_least "$shape: everything is recorded" "$full" 200
    at_most "$shape: --depth=16" "$depth" $((full + full / 100))
    at_most "$shape: --no-call-graph" "$callers" "$full"
done

# Samples are so far apart that these pairs have none, of whatever sizes they are. In the last shape every second block is
# so large that it shares a bin.
MPROF_SAMPLE_SEED=1988
export MPROF_SAMPLE_SEED
for shape in "10 1" "10 8" "60 20" "10 100"; do
    test "$shape" != "10 100" || limit=35
    bare=$(bare $shape)
    sample=$(cost MPROF_SAMPLE=67108864 $shape)
    stopped=$(cost MPROF_STOPPED=1 $shape)
    excluded=$(cost MPROF_ONLY=nothing $shape)
    echo "# $shape: bare $bare, no sample $sample, --stopped $stopped"
    at_least "$shape: the hooks were called" "$stopped" $((bare + 10))
    at_most "$shape: what is no sample" "$sample" $((bare + ${limit:-31}))
    at_most "$shape: --stopped" "$stopped" $((bare + 17))
    at_most "$shape: a program that is not recorded" "$excluded" "$stopped"
done

# count PRELOAD SIZES PAIRS LIVE: prints the instructions of PAIRS pairs of SIZES sizes with LIVE bytes alive.
count()
{
    rm -f "$tmp"/pairs.data*
    run env ${1:+"LD_PRELOAD=$1"} MPROF_FOLLOW=1 "MPROF_FILE=$tmp/pairs.data" valgrind -q --tool=callgrind \
        --toggle-collect=make_pairs --callgrind-out-file=counts "$programs/pairs" 10 "$2" "$3" "$4"
    awk '$1 == "summary:" { print $2 }' counts
}

# added SIZES LIVE: prints the instructions that a complete recording adds to each of the last 4000 pairs.
added()
{
    echo $((($(count "$library" "$1" 6000 "$2") - $(count "$library" "$1" 2000 "$2") -
             $(count "" "$1" 6000 "$2") + $(count "" "$1" 2000 "$2")) / 4000))
}

while read -r sizes live limit; do
    got=$(added "$sizes" "$live")
    echo "# $sizes sizes, $live bytes alive: $got added"
    at_most "$sizes sizes, $live bytes alive: instructions added to a pair" "$got" "$limit"
done <<LIMITS
1 16 282
8 16 320
8 1048576 320
80 16 400
80 1048576 380
100 16 420
100 1048576 400
LIMITS
plan
# SPDX-License-Identifier: MIT
