#!/bin/sh
# The tools of valgrind read the exports for them. Each figure that they print equals that of mprof export -F chains.
. "${srcdir:-.}/tests/e2e/lib.sh"

unset DEBUGINFOD_URLS
needs "exports of valgrind's formats" python3 callgrind_annotate ms_print

books()
{
    PYTHONDONTWRITEBYTECODE=1 "$python" "$src/tests/e2e/export_books.py" "$@"
}

# export_as FORMAT DATA: exports to the file FORMAT, with the same frames and names as the chains.
export_as()
{
    says "$2: $1" "0 " "$mprof" export -F "$1" -o "$1" --full-names --no-skip "$2"
}

# annotated DATA: tests that callgrind_annotate prints the right figures of each function.
annotated()
{
    export_as callgrind "$1"
    callgrind_annotate --threshold=100 --show-percs=no --auto=no callgrind >self 2>complaints
    is "$1: callgrind_annotate reads it" "$? $(cat complaints)" "0 "
    callgrind_annotate --threshold=100 --show-percs=no --auto=no --inclusive=yes callgrind >inclusive
    # shellcheck disable=SC2046
    is "$1: its totals" "$(echo $(sed -n 's/PROGRAM TOTALS$//p' inclusive | tr -d ,))" \
        "$(for figure in bytes allocs kept kept-blocks peak peak-blocks temporary; do
            total $figure "$1"
        done | paste -sd ' ')"
    for how in self inclusive; do
        books dump $how >expected
        books dump callgrind $how $how >found
        ok "$1: $how figures of $(wc -l <expected) functions" cmp expected found
    done
}

# printed DATA: tests that ms_print prints the chains that lived at the peak and at the end.
printed()
{
    export_as massif "$1"
    ms_print --threshold=0 massif >snapshots 2>complaints
    is "$1: ms_print reads it" "$? $(cat complaints)" "0 "
    for when in peak end; do
        books dump $when >expected
        books dump massif $when snapshots >found
        ok "$1: $(wc -l <expected) chains of the $when" cmp expected found
    done
}

profile costs "$programs/costs"
profile cycles "$programs/cycles"
profile deep "$programs/deep" 60
profile figure6 "$programs/figure6"
profile jq jq -n '[range(2000) | tostring] | length'
g++ -g -O2 -o nameless "$src/tests/programs/lambdas.cc"
"$mprof" run -q -o lambdas ./nameless >out 2>err
for data in costs cycles deep figure6 jq lambdas; do
    "$mprof" export -F ids "$data" >dump
    annotated $data
    printed $data
done

# -------------------------------------------------------------------- over time
"$mprof" run -q -o phases "$programs/checkpoints" phases >out 2>err
export_as massif phases
ms_print --threshold=0 massif >snapshots
for size in 100,000 75,000 75,063; do
    has "a checkpoint's chains: $size" snapshots "^100\.00% \($size""B\) "
done
has "the end comes last" snapshots "^ *[0-9]+ +[0-9,]+ +75,063 +75,063 +0 +0\$"
prints "what lived at a moment" '^n2: 75000 ' "$mprof" export -F massif --at=two phases
is "... and nothing else" "$(grep -c '^snapshot=' out)" 1
run "$mprof" export -F callgrind --from=one --to=two phases
has "a part of the time says so" out '^desc: Only what happened between checkpoint one .* and checkpoint two '
is "... and has what is known of it" "$(sed -n 's/^events: //p' out)" "Bytes Allocs Kept KeptBlocks Temporary"
has "... what was allocated meanwhile; what shrank counts as 0" out '^summary: 15000 300 15000 300 0$'

# --------------------------------------------------------------- objects of Lisp
lisp=$src/tests/data/sealed-lisp.data
# objects FIELD FIELD: prints the sum of the first field of the chains less that of the second; 2 are bytes, 5 the
# collected bytes.
objects()
{
    "$mprof" export -F chains --lisp "$lisp" | awk -v plus="$1" -v minus="$2" '{ sum += $plus - (minus ? $minus : 0) } END { print sum }'
}
"$mprof" export -F callgrind --lisp -o callgrind "$lisp"
callgrind_annotate --threshold=100 --show-percs=no --auto=no callgrind >self 2>complaints
is "Lisp: callgrind's totals" "$(sed -n 's/^ *\([0-9,]*\) .*PROGRAM TOTALS$/\1/p' self | tr -d ,) $(cat complaints)" \
    "$(objects 2 0) "
"$mprof" export -F massif --lisp -o massif "$lisp"
ms_print --threshold=0 massif >snapshots
has "Lisp: massif has what lives at the end" snapshots "^100\.00% \($(objects 2 5 | sed 's/\(.*\)\(...\)/\1,\2/')B\) "
has "... by type" snapshots '^->52\.94% \(720B\) \[POINT\]$'
has "... and under it the functions" snapshots '^\| ->52\.94% \(720B\) 0x0: FOO$'
plan
# SPDX-License-Identifier: MIT
