#!/bin/sh
# mprof export -F chains and the two formats that do not write a whole chain for each context: ids and collapsed
# stacks.
. "${srcdir:-.}/tests/e2e/lib.sh"

# chains FILE: prints the lines of a dump, with the lines of equal chains summed.
chains()
{
    awk '{ chain = $0
           for (i = 1; i <= 7; i++) { sum[$0] = 0; sub(/^[^ ]+ /, "", chain) }
           for (i = 1; i <= 7; i++) sums[chain, i] += $i
           seen[chain] = 1 }
         END { for (chain in seen) {
                   for (i = 1; i <= 7; i++) printf "%.0f ", sums[chain, i]
                   print chain } }' "$1" | LC_ALL=C sort
}

# unfold FILE: prints the lines that the format chains would have, from FILE in the format ids.
unfold()
{
    awk '$1 == "f" { name[$2] = substr($0, length($1 $2) + 3) }
         $1 == "c" { chain[$2] = ($3 ? chain[$3] ";" : "") name[$4] }
         $1 == "a" { printf "%s %s %s %s %s %s %s %s\n", $2, $3, $4, $5, $6, $7, $8, chain[$9] }' "$1" |
        LC_ALL=C sort
}

# check NAME FILE: tests that ids and collapsed stacks contain what chains contain.
check()
{
    "$mprof" export -F chains "$2" >dump
    "$mprof" export -F ids "$2" >ids
    is "$1: status" $? 0
    chains dump >expected
    unfold ids >got
    is "$1: ids" "$(diff expected got 2>&1 | head -n 5)" ""
    at_least "$1: there are some" "$(wc -l <got)" 2
    i=0
    for cost in allocs bytes 0 0 peak 0 temporary; do
        i=$((i + 1))
        [ "$cost" != 0 ] || continue
        "$mprof" export -F collapsed --full-names --no-skip --cost=$cost "$2" >folded
        awk -v i=$i '$i > 0 { value = $i
            for (j = 1; j <= 7; j++) sub(/^[^ ]+ /, "")
            if ($0 != "") print $0, value }' expected | LC_ALL=C sort >by-hand
        is "$1: folded, $cost" "$(LC_ALL=C sort folded | diff by-hand - 2>&1 | head -n 5)" ""
    done
    "$mprof" export -F collapsed --full-names --no-skip --cost=kept "$2" >folded
    is "$1: folded, kept" "$(awk '{ sum += $NF } END { printf "%.0f", sum }' folded)" "$(total kept "$2")"
    "$mprof" export -F collapsed --full-names --no-skip "$2" >folded
    is "$1: folded, bytes if not told" "$(awk '{ sum += $NF } END { printf "%.0f", sum }' folded)" \
        "$(total bytes "$2")"
}

profile costs.data "$programs/costs"
check costs costs.data
profile cycles.data "$programs/cycles"
check cycles cycles.data
profile names.data "$programs/odd_names"
check "odd names" names.data
if need perl; then
    run "$mprof" run -q -o perl.data perl -e '$h{$_ % 97} .= "$_," for 1 .. 500; print sort values %h'
    check perl perl.data
else
    skip perl "$missing"
fi

# The size of the output does not grow with the number of chains times their depth.
run "$mprof" run -q -o deep.data "$programs/random_calls" 7
"$mprof" export -F ids deep.data >ids
contexts=$(total contexts deep.data)
at_most "ids: no more lines than for a function, a chain and its figures each" "$(wc -l <ids)" \
    $((3 * contexts + 3))
run "$mprof" run -q -o abyss.data "$programs/abyss" 3000 2
"$mprof" export -F chains abyss.data | wc -c >whole
"$mprof" export -F ids abyss.data | wc -c >ids
at_most "deep: a fortieth at most" $((40 * $(cat ids))) "$(cat whole)"

# The figures of ids have intervals in a sampled recording.
run "$mprof" run -q --sample=4K -o sampled.data "$programs/costs"
"$mprof" export -F ids sampled.data >ids
has "sampled: intervals" ids '^a .*[0-9]+~[0-9]+~[0-9]+ .* [0-9]+$'

for bad in --format= --format=json --cost=bytes '--format=ids --cost=bytes' '--format=folded --cost=size'; do
    # shellcheck disable=SC2086
    refuses "$bad" 2 '^mprof: --' "$mprof" export -F chains $bad costs.data
done
plan
# SPDX-License-Identifier: MIT
