#!/bin/sh
# mprof findings of Lisp: programs with one cause of consing each, and programs that look like it and have none.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

ok "compile" compiled causes

# A line for each function of causes.lisp: its name and, if it has a finding, the rule of the finding, the function that
# the finding names and, if the rule counts calls, their number.
cat >expected <<'END'
squares-append recopied SQUARES-APPEND 124750
squares-push
pairs-append
prune-remove recopied PRUNE-REMOVE 119800
prune-delete
prune-once
text-concatenate regrown TEXT-CONCATENATE 1000
text-join
grow-adjust regrown GROW-ADJUST 1000
grow-extend
tables-default tables TABLES-DEFAULT 200
tables-instance tables TABLES-INSTANCE 200
tables-small
tables-full
tables-used
keys-format format KEY-FORMAT 1000
lines-format format LINES-FORMAT
lines-formatter
words-stream streams WORDS-STREAM 1000
words-princ streams WORDS-PRINC 1000
words-read streams WORDS-READ 1000
words-one
interns streams INTERNS 1000
floats-kept
closures-made closures CLOSURES-MADE 2000
closures-none
signals conditions PARSE-SIGNALS 500
values-instead
junk conditions PARSE-JUNK 500
types-expanded types TYPES-EXPANDED
types-constant
threads-each threads THREADS-EACH 40
threads-pool
cache-grows cached CACHE-GROWS
recent-only
evaluates evaluated EVALUATES
foreign-names foreign FOREIGN-NAMES 1000
foreign-pointer
sorts
END

cat >record.lisp <<'END'
(load (ext:getenv "MPROF_MODULE"))
(load "causes.fas")
(with-open-file (names "names")
  (loop for name = (read-line names nil) while name
        do (mprof:with-profiling (:file (concatenate 'string name ".data"))
             (funcall (fdefinition (intern (string-upcase name) :causes))))))
END
cut -d ' ' -f 1 expected >names
MPROF_MODULE=$top/lisp/mprof.fas "$ecl" --norc --shell record.lisp >"$tmp/log" 2>&1 </dev/null
while read -r name wanted; do
    "$mprof" findings --lisp --json "$name.data" | jq -r --arg counted "$wanted" '
        [.tables.findings.rows[].values][0] // empty |
        .rule + " " + (.function | sub("^CAUSES::"; "")) +
        (if $counted | test("[0-9]") then " " + (.figures[] | select(.key == "units") | .value | tostring) else "" end)
        ' >found
    is "$name" "$(cat found)" "$wanted"
done <expected

"$mprof" findings --lisp signals.data >out
is "two causes of one function" "$(grep -c '^ [0-9]' out)" 2
has "the function has its place" out ' CAUSES::PARSE-SIGNALS \(causes\.lisp:[0-9]+\) makes 500 conditions, '

# What ECL allocates when it starts is not counted as allocated by the program's functions.
printf '(load "causes.fas")\n(causes::words-princ)\n' >run.lisp
lisp run.data run.lisp
"$mprof" findings run.data >out
has "a whole program" out ' CAUSES::WORDS-PRINC .*1,000 times, 9[14][24] B each: 9[14][24]\.0 kB, .* of what the program.s functions allocate'
plan
# SPDX-License-Identifier: MIT
