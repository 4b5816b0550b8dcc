#!/bin/sh
# An ECL that was configured with --disable-shared: libecl.a is a part of the program, which exports nothing.
#
# ECL_LINKED is its command, and ECLDIR the folder of its files.
. "${srcdir:-.}/tests/e2e/ecl_lib.sh"

if [ -z "${ECL_LINKED-}" ]; then
    skip "an ECL that has libecl.a inside" "ECL_LINKED names none"
    plan
    exit
fi
cat >work.lisp <<'END'
(defstruct point x y)
(defclass thing () ((a :initform 1) (b :initform 2)))
(defun make-points (n) (let ((l '())) (dotimes (i n l) (push (make-point :x i) l))))
(defun make-things (n) (dotimes (i n) (make-instance 'thing)))
(defun make-doubles (n) (let ((l '())) (dotimes (i n l) (push (float i 1d0) l))))
(print (length (make-points 100000)))
(make-things 10000)
(make-doubles 3000000)
(si::gc t)
(ext:quit 0)
END
"$mprof" run -o linked.mprof -- "$ECL_LINKED" --norc --shell work.lisp >"$tmp/out" 2>"$tmp/err" </dev/null
is "status" "$?" 0
has "output" "$tmp/out" '^100000'
"$mprof" --lisp report --no-pager linked.mprof >report
has "the report says which ECL it is" report '^Runtime +ECL [0-9.]+$'
exact_heap "linked" linked.mprof
is "nothing was dropped" "$(total dropped linked.mprof)" 0
is "structures" "$(objects POINT MAKE-POINTS linked.mprof)" 100000
at_least "instances" "$(objects THING MAKE-THINGS linked.mprof)" 10000
is "double floats, but for 0, which ECL has" "$(objects DOUBLE-FLOAT MAKE-DOUBLES linked.mprof)" 2999999
at_least "conses" "$(objects CONS MAKE-DOUBLES linked.mprof)" 3000000
at_most "objects of unknown type" "$(objects "object of unknown type" MAKE-POINTS linked.mprof)" 0
plan
