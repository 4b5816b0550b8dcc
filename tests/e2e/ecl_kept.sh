#!/bin/sh
# The kept objects of each type are those that the program keeps.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled kept
lisp kept.mprof kept.fas
is "status" "$status" 0
lisp_table kept.mprof >table

# keeps FUNCTION TYPE MADE KEPT: tests how many objects of TYPE were made in FUNCTION, or in a lambda in it, and how
# many are kept. The finalizers of RESURRECTED may run after any collection, called from within any function.
keeps()
{
    count "$1" "$2"
    is "$1: $2 made" "${counts% *}" "$3"
    is "$1: $2 kept" "${counts#* }" "$4"
}

# count FUNCTION TYPE: sets $counts to the numbers made and kept.
count()
{
    counts=$(awk -F'\t' -v type="$2" -v name="$1" '
        name != "RESURRECTED" && $2 ~ /;LAMBDA in RESURRECTED/ { next }
        (";" $2 ";") ~ ";(LAMBDA in )?" name ";" {
            n = split($1, column, " ")
            of = column[11]
            for (i = 12; i <= n; i++)
                of = of " " column[i]
            if (of == type) {
                made += column[1]
                kept += column[6]
            }
        }
        END { print made + 0, kept + 0 }' table)
}

resurrected=$(sed -n 's/ resurrected$//p' "$tmp/out")
at_least "finalizers that ran" "$resurrected" 1
count RESURRECTED NODE
is "RESURRECTED: NODE made" "${counts% *}" 500
# Finalizers may also run in the last collections, and one may not have run at the end.
end=$(sed -n 's/ resurrected in the end$//p' "$tmp/out")
within "RESURRECTED: NODE kept" "${counts#* }" "$resurrected" $((end + 1))
is "weak pointers that still point" "$(sed -n 's/ weak pointers.*//p' "$tmp/out")" 0
keeps WEAKLY WEAK-POINTER 1000 1000
keeps WEAKLY NODE 1000 0
is "weak keys that are left" "$(sed -n 's/ weak keys.*//p' "$tmp/out")" 0
keeps BY-WEAK-KEY NODE 1000 0
keeps BY-WEAK-KEY CONS 1000 0
keeps HALF-KEPT NODE 2000 1000
keeps TABLE-KEPT HASH-TABLE 8 1
keeps GROWN VECTOR 2 1
keeps INTERNED SYMBOL 500 500
keeps UNINTERNED SYMBOL 500 0
keeps INSTANCES THING 700 700
keeps CLOSURES CLOSURE 600 600
keeps BIGNUMS BIGNUM 400 400
keeps STRINGS STRING 300 300
keeps IN-THREADS NODE 160000 40000
plan
# SPDX-License-Identifier: MIT
