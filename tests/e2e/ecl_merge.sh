#!/bin/sh
# mprof merge of recordings of ECL: objects by type, classes by name, functions by their Lisp names, and survivors.
# Each figure is the sum of the files.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled types
# The second program has classes of its own, so that the numbers of classes differ.
cat >other.lisp <<'END'
(defstruct aardvark legs)
(defclass zebra () ((stripes)))
(defun make-animals () (dotimes (i 1000) (make-aardvark :legs i) (make-instance 'zebra)))
(make-animals)
(load "types.fas")
END
# Both begin after the source was written, because lines of a newer source are ignored.
lisp one.data types.fas
is "status" "$status" 0
"$mprof" run -q -o two.data -- "$ecl" --norc --shell other.lisp >out 2>err
returns "merged" 0 "$mprof" merge -o both.data one.data two.data
run "$mprof" merge -o other.data two.data one.data
ok "in any order" cmp both.data other.data

# sums FILE...: prints the sums of mprof export -F chains --lisp, by type and chain.
sums()
{
    for file; do
        "$mprof" export -F chains --lisp "$file"
    done | awk '{
            for (i = 1; i <= 10; i++) {
                number[i] = $1
                sub(/^[^ ]+ /, "")
            }
            for (i = 1; i <= 10; i++)
                sum[$0, i] += number[i]
            chains[$0]
        }
        END {
            for (chain in chains) {
                printf "%s", chain
                for (i = 1; i <= 10; i++)
                    printf " %.0f", sum[chain, i]
                print ""
            }
        }' | LC_ALL=C sort
}

sums one.data two.data >expected
sums both.data >got
ok "there are objects" test -s expected
ok "each type on each chain has the sum of the files" cmp expected got
for class in POINT THING AARDVARK ZEBRA; do
    is "objects of $class" "$(objects $class MAKE-POINTS both.data) $(objects $class MAKE-THINGS both.data) $(
        objects $class MAKE-ANIMALS both.data)" "$(for function in MAKE-POINTS MAKE-THINGS MAKE-ANIMALS; do
        echo $(($(objects $class $function one.data) + $(objects $class $function two.data)))
    done | tr '\n' ' ' | sed 's/ $//')"
done
"$mprof" report --lisp --table=types both.data >out
is "the report of both" "$?" 0
"$mprof" totals one.data two.data | grep -E '^(lisp|collections)' >expected
"$mprof" totals both.data | grep -E '^(lisp|collections)' >got
ok "totals" cmp expected got
plan
# SPDX-License-Identifier: MIT
