#!/bin/sh
# A C program that allocates in ECL's heap, where libgc enlarges blocks, depending on its version. It is also killed
# while two threads allocate, and forked.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

heap=$top/tests/ecl/heap

# column N TEXT FILE: prints the sum of column N over the chains that contain TEXT.
column()
{
    "$mprof" export -F chains --lisp "$3" | awk -F'\t' -v column="$1" -v text="$2" '
        index($2, text) { split($1, number, " "); sum += number[column] }
        END { print sum + 0 }'
}

# have_churned N: returns whether at least N strings are in killed.live.
have_churned()
{
    [ "$(objects STRING CHURN killed.live)" -ge "$1" ]
}

"$mprof" run -o heap.mprof -- "$heap" >"$tmp/out" 2>"$tmp/err"
is "status" "$?" 0
block=$(cat "$tmp/out")
has "the summary says what is Lisp's" "$tmp/err" \
    "^mprof:   of these +$(total lisp-objects heap.mprof | sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta') .* objects of ECL "
has "and how to see it" "$tmp/err" '^mprof --lisp report heap.mprof$'
is "uncollectable blocks that were freed" "$(column 5 allocate_uncollectable heap.mprof)" $((40 * block))
is "those that are kept" "$(column 7 allocate_uncollectable heap.mprof)" $((60 * block))
is "vectors made" "$(objects VECTOR make_vectors heap.mprof)" 4000
is "vectors and conses kept" "$(column 6 make_vectors heap.mprof)" 2000
is "strings kept" "$(column 6 make_strings heap.mprof)" 1000

# In a sampled recording, objects are samples, too, and all are counted. Uncollectable blocks are freed explicitly.
"$mprof" run -q --sample=1K -o sampled.mprof -- "$heap" >"$tmp/out" 2>"$tmp/err"
is "sampled: status" "$?" 0
is "sampled: objects and bytes" "$(total lisp-objects sampled.mprof) $(total lisp-bytes sampled.mprof)" \
    "$(total lisp-objects heap.mprof) $(total lisp-bytes heap.mprof)"
# near WHAT VALUE TRUTH: tests that an estimate is at most a third from the truth
near()
{
    at_least "sampled: $1" "$2" $(($3 * 2 / 3))
    at_most "sampled: $1" "$2" $(($3 * 4 / 3))
}
near "vectors made" "$(objects VECTOR make_vectors sampled.mprof)" 4000
near "vectors and conses kept" "$(column 6 make_vectors sampled.mprof)" 2000
near "uncollectable blocks that were freed" "$(column 5 allocate_uncollectable sampled.mprof)" $((40 * block))
near "those that are kept" "$(column 7 allocate_uncollectable sampled.mprof)" $((60 * block))
is "sampled: all of C's are counted" \
    "$(($(total allocs sampled.mprof) - $(total lisp-objects sampled.mprof)))" \
    "$(($(total allocs heap.mprof) - $(total lisp-objects heap.mprof)))"
"$mprof" report --no-pager sampled.mprof >report
has "sampled: the head says it" report '^Sampled +one allocation for each 1,024 bytes at random'
has "sampled: frees of C are estimated" report '^Frees .*estimated, \+- '
has "sampled: objects are exact" report '^Objects +[0-9,]+ +[0-9,]+ bytes +\([^)]*\)$'
has "sampled: what was collected is estimated" report '^Collected .*estimated, \+- '
"$mprof" --lisp report --no-pager sampled.mprof >report
has "sampled: so is the peak" report '^Peak .*estimated, \+- .*when the process was at its peak, as samples tell$'

# The program is killed while two threads allocate.
LD_PRELOAD=$library MPROF_FILE=$tmp/killed.live "$heap" forever >running 2>"$tmp/err" &
child=$!
until_true 60 grep -q running running
until_true 60 have_churned 10000
kill -9 $child
wait $child 2>/dev/null
is "killed" "$?" 137
at_least "strings of both threads" "$(objects STRING CHURN killed.live)" 10000
"$mprof" export -F chains --lisp killed.live >table
has "names are there" table ';CHURN(;|$)'
has "of the thread's, too" table 'LAMBDA[^;]*;CHURN(;|$)'
"$mprof" --lisp report --no-pager killed.live >report 2>"$tmp/err"
is "it can be reported" "$?" 0
has "how it ended is said" report '^Ended '

# A forked child does not write to its parent's file.
"$mprof" run -q -o fork.mprof -- "$heap" fork >"$tmp/out" 2>"$tmp/err"
is "fork: status" "$?" 0
is "the child's status" "$(cat "$tmp/out")" "child 7"
is "vectors of the parent" "$(objects VECTOR make_vectors fork.mprof)" 200
is "processes forked" "$(total forked fork.mprof)" 1

# What the child collects before it has a file does not change its parent's file.
"$mprof" run -q -o collect.mprof -- "$heap" collect >"$tmp/out" 2>"$tmp/err"
is "collect: status" "$?" 0
is "collect: the child's status" "$(cat "$tmp/out")" "child 8"
is "collect: strings and conses of the parent" "$(column 1 make_strings collect.mprof)" 2000
is "collect: not one is dead there" "$(column 4 make_strings collect.mprof)" 0
ok "collect: and the child has no file" test ! -e "$(echo collect.mprof.*)"

# Objects that become older are not counted as allocated again.
"$mprof" run -q -o total.mprof -- "$heap" total >"$tmp/out" 2>"$tmp/err"
is "total: status" "$?" 0
at_most "bytes that collections add to the total" "$(cat "$tmp/out")" 1000
plan
# SPDX-License-Identifier: MIT
