#!/bin/sh
# Recursion of Lisp until the stack is full: every cons is recorded with its chain, and the work for each does not
# grow with the depth.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled overflow
MPROF_CHECK=2
MPROF_CHECK_FILE=$tmp/check
export MPROF_CHECK MPROF_CHECK_FILE
lisp overflow.data overflow.fas
is "status" "$status" 0
is "the program goes on" "$(grep -c OVERFLOW out)" 2
calls=$(expected RUNAWAY out)
at_least "the recursion was deep" "$calls" 10000

# made FUNCTION: prints the objects of FUNCTION in the table of direct allocation.
made()
{
    "$mprof" --lisp report --table=direct -v overflow.data |
        awk -v name="$1" '$NF == name { print $(NF - 1) }'
}
beside=$(($(made RUNAWAY) - calls))     # libecl's own, when the stack is used up
is "conses after it" "$(made AFTERWARDS)" 1000
at_least "chains are whole" "$(total depth overflow.data)" $((calls / 2))
is "none is cut" "$(total cut overflow.data)" 0
is "none is dropped" "$(total dropped overflow.data)" 0
if grep -q rdtscp /proc/cpuinfo 2>/dev/null; then
    at_most "frames compared for each cons, on average" "$(awk '{ print int($4 / $2) }' check)" 20000
else
    skip "frames compared for each cons" "this processor has no counter for it"
fi

unset MPROF_CHECK

# lisp_folded: records overflow.fas to overflow.data, as `lisp` does, but with --fold-recursion.
lisp_folded()
{
    "$mprof" run --fold-recursion -o overflow.data -- "$ecl" --norc --shell overflow.fas >out 2>err </dev/null
}
ok "folded: status" lisp_folded
calls=$(expected RUNAWAY out)
is "folded: conses of the recursion" \
    "$(lisp_table overflow.data | awk -F'\t' '$1 ~ / CONS$/ && $2 ~ /(^|;)RUNAWAY$/ { split($1, n, " "); sum += n[1] }
        END { print sum }')" "$calls"
is "folded: conses after it" "$(made AFTERWARDS)" 1000
is "conses of the recursion before, but for a few strings of libecl's" "$beside" "$(($(made RUNAWAY) - calls))"
at_most "such strings" "$beside" 10
at_most "folded: frames of the longest chain" "$(total depth overflow.data)" 200

# pairs FILE: prints "CALLER CALLED OBJECTS", where each object counts once for each pair on its chain.
pairs()
{
    lisp_table "$1" | awk -F'\t' '
        /ALPHA|BETA|GAMMA|DELTA/ {
            split($1, column, " ")
            gsub(/[^;]*(APPLY|DISPATCH|LAMBDA)[^;]*;/, "", $2)
            n = split($2, frame, ";")
            split("", seen)
            for (i = 2; i <= n; i++)
                if (!seen[frame[i - 1], frame[i]]++ && frame[i - 1] frame[i] ~ /ALPHA|BETA|GAMMA|DELTA/)
                    sum[frame[i - 1] " " frame[i]] += column[1]
            for (i = 1; i <= n; i++)
                if (!seen[frame[i]]++ && frame[i] ~ /ALPHA|BETA|GAMMA|DELTA/)
                    sum[frame[i]] += column[1]
        }
        END { for (pair in sum) print pair, sum[pair] }' | sort
}

# With the dispatching code of generic functions, which reports do not show, everything would call everything. So only
# pairs of methods are compared.
cp "$src/tests/ecl/hub.lisp" .
for fold in "" --fold-recursion; do
    "$mprof" run -q $fold -o "hub$fold.data" -- "$ecl" --norc --shell hub.lisp >out 2>err </dev/null
    pairs "hub$fold.data" >"pairs$fold"
done
at_least "methods: pairs" "$(grep -c . pairs)" 9
is "methods, folded: the same pairs and sums" "$(cat pairs--fold-recursion)" "$(cat pairs)"
at_most "methods, folded: half of the chains at most" \
    "$(lisp_table hub--fold-recursion.data | grep -c ALPHA)" "$(($(lisp_table hub.data | grep -c ALPHA) / 2))"
plan
# SPDX-License-Identifier: MIT
