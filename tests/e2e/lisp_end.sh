#!/bin/sh
# An ECL that records itself ends as without mprof, and leaves nothing behind.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

mkdir temporary
TMPDIR=$tmp/temporary
export TMPDIR
cat >begin.lisp <<END
(load "$module")
(defun make-pairs (n)
  (let ((list '()))
    (dotimes (i n list) (setf list (cons i list)))))
END

# without.lisp has the same forms for an ECL without mprof.
cat >without.lisp <<'END'
(defpackage :mprof (:use :cl) (:export #:with-profiling #:start-profiling #:stop-profiling))
(defmacro mprof:with-profiling (options &body body) `(progn ,@body))
(defun mprof:start-profiling (&rest options) options)
(defun mprof:stop-profiling ())
END
sed -n '/defun make-pairs/,$p' begin.lisp >>without.lisp

# evaluate BEGINNING FORM...: evaluates the file BEGINNING and the forms; sets $status, out, err.
evaluate()
{
    { cat "$1"; shift; printf '%s\n' "$@"; } >it.lisp
    run "$ecl" --norc --load it.lisp --eval '(ext:quit 0)'
}

# ends WHAT FORM...: evaluates the FORMs, and tests that ECL ends with the same status and the same messages as
# without mprof, and leaves no file.
ends()
{
    what=$1
    shift
    evaluate without.lisp "$@"
    mv err err.without
    wanted=$status
    evaluate begin.lisp "$@"
    is "$what: status" "$status" "$wanted"
    ok "$what: stderr" diff err.without err
    is "$what: no file is left" "$(ls temporary)" ""
}

# A request of one recording does not apply to the next.
cat >depths.lisp <<END
$(cat begin.lisp)
(mprof:with-profiling (:max-depth 2 :file "lisp.data") (make-pairs 1000))
(defun call-c (name returns type argument)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                returns (list type) (list argument)))
(call-c "mprof_restart" :int :cstring "next.data")
(dotimes (i 1000) (call-c "strdup" :pointer-void :cstring "text"))
(ext:quit 0)
END
returns "a depth for one recording: status" 0 "$mprof" run -q --stopped -o depths.data "$ecl" --norc --shell depths.lisp
at_least "a depth for one recording: holds there" "$(total depth-cut lisp.data)" 1000
is "a depth for one recording: and not in the next" "$(total depth-cut next.data)" 0
at_least "a depth for one recording: which is one" "$(total allocs next.data)" 1000

ends "quit inside of with-profiling" \
    '(mprof:with-profiling (:report t) (make-pairs 1000) (ext:quit 7))'
is "quit inside of with-profiling: that status" "$status" 7
ends "quit after start-profiling" \
    '(mprof:start-profiling)' '(make-pairs 1000)'
ends "quit in another thread" \
    '(mp:process-run-function "other" (lambda () (mprof:with-profiling () (make-pairs 1000) (ext:quit 9))))' \
    '(sleep 20)'
ends "quit while other threads record" \
    '(dotimes (i 3) (mp:process-run-function "other" (lambda () (loop (mprof:with-profiling () (make-pairs 1000))))))' \
    '(sleep 0.3)'
# Several threads record for the first time at once: one of them opens the monitor, and a collection happens.
ends "several threads record first" \
    '(mapc (function mp:process-join) (loop repeat 8 collect
        (mp:process-run-function "first" (lambda () (mprof:with-profiling () (make-pairs 1000))))))' \
    '(ext:gc t)' '(ext:quit 4)'
is "several threads record first: that status" "$status" 4
ends "an error that is handled outside" \
    '(handler-case (mprof:with-profiling () (make-pairs 1000) (error "x")) (error ()))'
ends "an error that nobody handles" '(mprof:with-profiling () (make-pairs 1000) (error "x"))'

ends "a data file that was asked for" \
    '(mprof:start-profiling :file "kept.data")' '(make-pairs 1000)' '(ext:quit 5)'
"$mprof" totals kept.data >totals 2>/dev/null
ok "a data file that was asked for stays, and is whole" test -s totals

# If the heap is full, the condition is signalled and handled, and recording goes on.
evaluate begin.lisp \
    '(compile (quote make-pairs))' \
    '(ext:set-limit (quote ext:heap-size) 60000000)' \
    '(mprof:start-profiling)' \
    '(print (handler-case (let ((kept (list))) (loop (push (make-array 100000) kept)))
              (ext:storage-exhausted () :exhausted)))' \
    '(ext:gc t)' \
    '(ext:set-limit (quote ext:heap-size) 0)' \
    '(print (multiple-value-list (mprof:run (lambda () (length (make-pairs 1000))))))' \
    '(mprof:stop-profiling)'
is "out of memory: status" "$status" 0
has "out of memory: the condition" out '^:EXHAUSTED'
has "out of memory: recording goes on, exactly" out '^\(160[0-9]* 100[0-9] 1000\)'

# A program that ECL starts during a recording is not affected.
cat >child.lisp <<'END'
(multiple-value-bind (stream status)
    (ext:run-program (si:argv 0) '("--norc" "--eval" "(princ (list (ext:getenv \"LD_PRELOAD\") 1 2))"
                                   "--eval" "(ext:quit 3)")
                     :input nil :output :stream :wait nil)
  (declare (ignore status))
  (print (read-line stream)))
END
evaluate begin.lisp '(mprof:start-profiling)' '(load "child.lisp")' '(mprof:stop-profiling)'
is "a program that is started meanwhile: status" "$status" 0
has "a program that is started meanwhile has our environment untouched" out '^"\(NIL 1 2\)'
plan
# SPDX-License-Identifier: MIT
