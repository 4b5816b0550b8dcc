;;;; budget.lisp -- forms that limit consing; and docstrings of all exported symbols.

(in-package #:mprof-tests)

(define-test budgets
  (check-is "within it: the values"
            (multiple-value-list (mprof:with-budget (:bytes 160 :objects 10 :threads :current)
                                   (values (length (make-pairs 10)) 2)))
            '(10 2))
  (check-is "nothing allowed, nothing used" (mprof:with-budget (:objects 0 :bytes 0) (nothing)) nil)
  (let ((condition (check-signals "too many bytes" mprof:budget-exceeded
                     (mprof:with-budget (:bytes 159) (make-pairs 10)))))
    (check-is "its bytes" (mprof:budget-exceeded-bytes condition) 160)
    (check-is "its objects" (mprof:budget-exceeded-objects condition) 10)
    (check-is "what was allowed" (mprof:budget-exceeded-byte-limit condition) 159)
    (check-is "what was not limited" (mprof:budget-exceeded-object-limit condition) nil)
    (check "its profile says who it was"
           (search "MAKE-PAIRS" (report-of :profile (mprof:budget-exceeded-profile condition)
                                           :min-percent nil)))
    (check-is "its report" (princ-to-string condition)
              (format nil "160 bytes in 10 objects allocated, 159 bytes allowed.~@
                           ~:[Most of it by~%  MPROF-TESTS::MAKE-PAIRS: 160 bytes in 10 objects~;~
                              ~A~]"
                      *outside*
                      (subseq (princ-to-string condition)
                              (1+ (position #\Newline (princ-to-string condition)))))))
  (unless *outside*
    (let ((condition (check-signals "many allocate" mprof:budget-exceeded
                       (mprof:with-budget (:bytes 0)
                         (first-half) (second-half) (make-points 10) (make-floats 1)))))
      (check-is "the three that allocate most" (mprof:budget-exceeded-top condition)
                '(("MPROF-TESTS::MAKE-PAIRS" 6400 400) ("MPROF-TESTS::SECOND-HALF" 1600 100)
                  ("MPROF-TESTS::MAKE-POINTS" 928 11))))
    (let ((condition (check-signals "inside of a recording" mprof:budget-exceeded
                       (mprof:with-profiling ()
                         (make-pairs 1000)
                         (mprof:with-budget (:bytes 0) (make-points 1))))))
      (check "it says whose top it is"
             (search "Most in the recording that was joined by" (princ-to-string condition)))))
  (check-signals "too many objects" mprof:budget-exceeded
    (mprof:with-budget (:objects 9) (make-pairs 10)))
  (check-is "CONTINUE returns the values"
            (handler-bind ((mprof:budget-exceeded #'continue))
              (multiple-value-list (mprof:with-budget (:objects 9)
                                     (values (length (make-pairs 10)) 2))))
            '(10 2))
  (check-is "left by a throw, it is not judged"
            (catch 'out (mprof:with-budget (:objects 0) (make-pairs 10) (throw 'out 'thrown)))
            'thrown)
  (check-is "off again" (mprof:profiling-p) *outside*))

(define-test within
  (check-is "within it" (mprof:is-within (:bytes 160 :objects 10) (make-pairs 10)) t)
  (check-is "too many bytes" (mprof:is-within (:bytes 159) (make-pairs 10)) nil)
  (check-is "too many objects" (mprof:is-within (:objects 9) (make-pairs 10)) nil)
  (check-is "any number" (mprof:is-within () (make-pairs 10)) t)
  (check-is "an inner budget is judged by itself"
            (handler-case (mprof:is-within (:objects 100)
                            (mprof:with-budget (:objects 9) (make-pairs 10)))
              (mprof:budget-exceeded () 'inner))
            'inner)
  (check-is "left by a throw, it is not judged"
            (catch 'out (mprof:is-within (:objects 0) (make-pairs 10) (throw 'out 'thrown)))
            'thrown)
  (check-signals "its arguments are checked" mprof:invalid-argument
    (mprof:is-within (:bytes -1) (make-pairs 10))))

(define-test documented
  (let ((missing '()))
    (do-external-symbols (symbol :mprof)
      (unless (or (documentation symbol 'function) (documentation symbol 'type))
        (push symbol missing)))
    (check-is "all that is exported has a docstring" missing '())))
;;;; SPDX-License-Identifier: MIT
