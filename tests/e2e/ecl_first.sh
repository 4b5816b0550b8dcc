#!/bin/sh
# If most of the bytes of a recording are Lisp objects, reports show the program's Lisp functions first, without --lisp.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

# POINTS and LINES call constructors of structures, COPIES calls APPEND, and the last form of run.lisp calls MAIN.
cat >shapes.lisp <<'END'
(defpackage :shapes (:use :cl))
(in-package :shapes)
(defvar *kept*)
(declaim (notinline new-line make-point))
(defstruct point x y)
(defstruct (line (:constructor new-line (from to))) from to)
(defun points (n) (loop for i below n collect (make-point :x i :y i)))
(defun lines (n) (loop for i below n collect (new-line i i)))
(defun copies (n) (let ((l (list 1 2 3))) (dotimes (i n) (setf *kept* (append l (list i))))))
(defun main () (points 20000) (lines 20000) (copies 20000))
END
"$ecl" --norc --eval '(progn (compile-file "shapes.lisp") (ext:quit 0))' >log 2>&1
printf '(load "shapes.fas")\n(shapes::main)\n' >run.lisp
lisp run.data run.lisp

# direct OPTIONS: prints the functions that the table of direct allocation names, with their calls, largest first.
direct()
{
    # shellcheck disable=SC2086
    "$mprof" report --json --table=direct $1 run.data |
        jq -r '.tables.direct.rows[] | select(.is == "item").values | "\(.function.function) \(.calls)"'
}
direct >table
is "what a constructor makes counts for its caller" "$(grep -c 'MAKE-POINT\|NEW-LINE' table)" 0
is "points and their list" "$(sed -n 's/^SHAPES::POINTS //p' table)" 40001
is "lines, by a constructor with a name of its own" "$(sed -n 's/^SHAPES::LINES //p' table)" 40001
is "copies by APPEND" "$(sed -n 's/^SHAPES::COPIES //p' table)" 80003
is "no function of the runtime" "$(grep -c '^\(APPEND\|LIST\|SI:\|CLOS:\)' table)" 0
has "what none of them asked for" table '^\[runtime\] '
direct --no-skip >table
has "--no-skip shows the runtime's functions" table '^APPEND 6[0-9]{4}$'

"$mprof" report --no-pager run.data >out
hasnt "C without lines is no news if most is Lisp" out '^No source lines are known'
sed '/^$/q' out | tr '\n' ' ' >line
has "the first line counts objects, and C's blocks" line ' in [0-9]{3},[0-9]{3} objects and [0-9]{1,3} blocks[ ,.]'
has "... and says what is kept" line 'kept \(alive after the last collection, or not freed until the end\)'
has "the overview counts objects" out '^most +bytes +\(%\) +objects '
has "the head states it" out '^Shown first +Lisp, which has [0-9]+ % of the bytes; see --frames=all'
is "the first table is that of types" "$(grep -m 1 '^TABLE 1' out)" "TABLE 1: ALLOCATION BY TYPE"
"$mprof" report --json --table=sites --chain=all run.data |
    jq -r '[.tables.sites.rows[] | select(.is == "item").values.chain.frames[0].function] | unique[]' >out
has "chains begin with the form" out '^top-level form of run.lisp'
hasnt "and not with how it was loaded" out '^(LOAD|SI:|ecl)'

direct "--module=^SHAPES$" >table
is "the package is a filter" "$(grep -v -c '^SHAPES:' table)" 0
has "which leaves its functions" table '^SHAPES::COPIES 80003$'
ok "and an area of a plot" "$mprof" plot --by=module -o plot.svg run.data
has "with its name" plot.svg 'SHAPES'
plan
# SPDX-License-Identifier: MIT
