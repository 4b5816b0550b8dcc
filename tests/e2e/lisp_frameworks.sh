#!/bin/sh
# (mprof:is-within ...) is a check in tests of Lisp's test frameworks: a test over budget fails.
. "${srcdir:-.}/tests/e2e/lisp_lib.sh"

XDG_CACHE_HOME=$tmp/cache
export XDG_CACHE_HOME

cat >load.lisp <<'END'
(require :asdf)
(asdf:initialize-source-registry
 '(:source-registry (:also-exclude "cl-asdf") (:tree "/usr/share/common-lisp/source/") :inherit-configuration))
(unless (asdf:find-system (ext:getenv "FRAMEWORK") nil)
  (ext:quit 77))
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (asdf:load-system (ext:getenv "FRAMEWORK")))
(declaim (notinline within over))
(defun within () (mprof:is-within (:objects 1) (list 1)))
(defun over () (mprof:is-within (:objects 0) (list 1)))
(defun shown (how value) (format t "~&~A: ~A~%" how value))
END
cat >ends.lisp <<'END'
(defun outcome (function)
  (handler-case (funcall function)
    (mprof:budget-exceeded (condition) (type-of condition))))
(shown "thread" (mp:process-join (mp:process-run-function "another" #'outcome #'over)))
(shown "outside" (outcome #'over))
(shown "outside, within" (outcome #'within))
(shown "continued" (handler-bind ((mprof:budget-exceeded #'continue)) (over)))
(ext:quit 0)
END

# framework SYSTEM GOOD BAD OUTSIDE: runs the tests of standard input, which print GOOD for a test within its budget and
# BAD for a test that exceeds it once and is within it twice. Outside of tests, the value of a form over budget is
# OUTSIDE.
framework()
{
    cat >tests.lisp
    run env FRAMEWORK="$1" "$ecl" --norc --load "$module" --load load.lisp --load tests.lisp --load ends.lisp
    if [ "$status" -eq 77 ]; then
        skip "$1" "it is not installed"
        return
    fi
    is "$1: status" "$status" 0
    has "$1: a test within its budget passes" out "^good: $2\$"
    has "$1: a test over its budget fails" out "^bad: $3\$"
    has "$1: the figures are shown" out '16 bytes in 1 object allocated, 0 objects allowed'
    has "$1: the functions that allocated most, too" out '^ *OVER: 16 bytes in 1 object'
    has "$1: over budget in a thread that runs no test" out "^thread: $4\$"
    has "$1: over budget outside of tests" out "^outside: $4\$"
    has "$1: within the budget outside of tests" out '^outside, within: T$'
    has "$1: over budget outside of tests, continued" out '^continued: NIL$'
}

framework fiveam 'T \(1\)' 'NIL \(2 1\)' BUDGET-EXCEEDED <<'END'
(fiveam:test good (within))
(fiveam:test bad (within) (over) (within))
(defun results (test)
  (let ((results (fiveam:run test)))
    (fiveam:explain! results)
    (list (fiveam:results-status results)
          (remove 0 (list (count-if #'fiveam::test-passed-p results)
                          (count-if #'fiveam::test-failure-p results))))))
(shown "good" (format nil "~{~A ~A~}" (results 'good)))
(shown "bad" (format nil "~{~A ~A~}" (results 'bad)))
END

framework fiasco 'T 0' 'NIL 1' BUDGET-EXCEEDED <<'END'
(fiasco:deftest good () (within))
(fiasco:deftest bad () (within) (over) (within))
(defun result (test)
  (format nil "~A ~D" (fiasco:run-tests test)
          (getf (fiasco:extract-test-run-statistics fiasco:*last-test-result*) :number-of-failures)))
(shown "good" (result 'good))
(shown "bad" (result 'bad))
END

framework parachute 'PASSED \(1 0\)' 'FAILED \(2 1\)' BUDGET-EXCEEDED <<'END'
(parachute:define-test good (within))
(parachute:define-test bad (within) (over) (within))
(defun result (test)
  (let ((report (parachute:test test)))
    (format nil "~A ~A" (parachute:status report)
            (loop for status in '(:passed :failed)
                  collect (count-if-not (lambda (result) (typep result 'parachute:test-result))
                                        (parachute:results-with-status status report))))))
(shown "good" (result 'good))
(shown "bad" (result 'bad))
END

# Rove also counts checks outside of tests.
framework rove T NIL NIL <<'END'
(rove:deftest good (within))
(rove:deftest bad (within) (over) (within))
(shown "good" (rove:run-test 'good))
(shown "bad" (rove:run-test 'bad))
END
plan
# SPDX-License-Identifier: MIT
