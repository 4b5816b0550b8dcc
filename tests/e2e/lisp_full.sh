#!/bin/sh
# A full disk while a Lisp program records itself: unknown figures are errors, and a report says that it is partial.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

small_disk "a full disk in Lisp" lisp_full.sh "$@"

TMPDIR=$small
export TMPDIR
cat >full.lisp <<END
(setf *load-verbose* nil)
(load "$module")
END
cat >>full.lisp <<'END'
(defun deep (n)
  (if (= n 0)
      (length (list 1))
      (+ (length (list n)) (if (logbitp (mod n 7) (random 128)) (deep (- n 1)) (car (list (deep (- n 1))))))))
(let ((*compile-verbose* nil)) (compile 'deep))
(defun work () (dotimes (i 5000) (deep 60)))
(defmacro result (&body body)
  `(format t "~A~%" (handler-case (progn ,@body)
                      (mprof:recording-failed (condition) condition)
                      (mprof:budget-exceeded () :exceeded))))
END

# in_lisp FORM: evaluates FORM in a new process.
in_lisp()
{
    { cat full.lisp; echo "$1"; echo '(ext:quit 0)'; } >it.lisp
    returns "$1: status" 0 "$ecl" --norc --shell it.lisp
}

for form in "(mprof:run 'work)" \
    '(mprof:with-budget (:objects 100000000) (work))' \
    '(mprof:with-budget (:objects 100000000 :threads :current) (work))' \
    '(mprof:is-within (:objects 100000000) (work))'
do
    in_lisp "(result $form)"
    has "$form: an error" out \
        '^Nothing can be recorded into .*: the recording ended before the form that measures by it\.$'
done
in_lisp "(mprof:with-profiling (:report '(:type :types)) (work))"
has "a report says that it is partial" out \
    '^This report is partial: recording stopped early: No space left on device'
in_lisp '(result (mprof:is-within (:objects 10) (list 1 2)))'
is "what there is room for is measured" "$(cat out)" T
plan
# SPDX-License-Identifier: MIT
