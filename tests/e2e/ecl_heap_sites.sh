#!/bin/sh
# Sites of a snapshot of ECL's heap are functions of the program, as in reports; with --innermost also those of the
# runtime.
# shellcheck disable=SC2154
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

cat >sites.lisp <<'END'
(defpackage #:app (:use #:common-lisp))
(in-package #:app)
(defclass thing () ((a :initarg :a)))
(defvar *kept* '())
(defun things () (dotimes (i 100) (push (make-instance 'thing :a i) *kept*)))
(defun tables () (dotimes (i 10) (push (make-hash-table :size 50) *kept*)))
(defun both () (things) (tables) (tables))
(make-instance 'thing)          ; makes one for the class, too
(both)
(mprof:heap-snapshot :gc t)
(ext:quit 0)
END
"$ecl" --norc --load "$top/lisp/mprof.fas" --eval '(progn (compile-file "sites.lisp") (ext:quit 0))' >log 2>&1
returns "status" 0 "$mprof" run -q -o sites.mprof -- "$ecl" --norc --load "$top/lisp/mprof.fas" --shell sites.fas

# number OPTION...: prints how many objects of a type and a site there are.
number()
{
    "$mprof" heap --json "$@" sites.mprof.1.heap 2>err | python3 -c 'import json, sys
text = sys.stdin.read()
tables = {table["name"]: table["rows"] for table in json.loads(text)["tables"]} if text else {"set": [{"objects": 0}]}
print(tables["set"][0]["objects"])'
}
is "instances are of who makes them" "$(number --type=APP::THING --site=APP::THINGS)" 100
is "with --innermost of the runtime" "$(number --innermost --type=APP::THING --site=APP::THINGS)" 0
is "... by its name, all of them" "$(number --innermost --type=APP::THING --site=SI:ALLOCATE-RAW-INSTANCE)" \
    "$(number --type=APP::THING)"
is "tables, through whichever callers" "$(number --site=APP::TABLES --type="HASH-TABLE EQL, under a quarter full")" 20
is "... not of who calls that" "$(number --site=APP::BOTH)" 0
run "$mprof" heap --no-pager --max=all sites.mprof.1.heap
is "one row for all of them" "$(sed -n '/^Sites/,/^Packages/p' out | grep -c 'APP::TABLES (sites.lisp:6)$')" 1
has "what no function of the program made is the runtime's" out ' \[runtime\]$'
run "$mprof" export -F chains --lisp sites.mprof
is "as many as the report has" "$(awk -F'\t' '$1 ~ /APP::THING$/ && index($2, "APP::THINGS") { split($1, n, " "); sum += n[1] }
    END { print sum }' out)" 100
plan
# SPDX-License-Identifier: MIT
