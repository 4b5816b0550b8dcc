;;;; figures.lisp -- figures of functions whose allocations are known.

(in-package #:mprof-tests)

(define-test nothing-is-nothing
  (check-is "a function that allocates nothing" (figures #'nothing) '(0 0))
  (check-is "and again" (figures #'nothing) '(0 0))
  (check-is "through APPLY, with arguments" (figures #'+ 1 2 3) '(0 0)))

(defun objects-beside (function)
  "Returns how many objects a recording around FUNCTION has of FUNCTION."
  (mprof:with-profiling ()
    (let ((before (mprof:total-objects)))
      (funcall function)
      (- (mprof:total-objects) before))))

(define-test profiler-is-not-in-the-figures
  (check-is "RUN" (objects-beside (lambda () (mprof:run #'nothing))) 0)
  (check-is "RUN, with arguments and many values"
            (objects-beside (lambda () (mprof:run #'floor :arguments '(7 2) :threads :current))) 0)
  (check-is "IS-WITHIN" (objects-beside (lambda () (mprof:is-within (:objects 0) (nothing)))) 0)
  (check-is "WITH-BUDGET" (objects-beside (lambda () (mprof:with-budget (:objects 0) (nothing)))) 0)
  (check-is "WITH-PROFILING" (objects-beside (lambda () (mprof:with-profiling () (nothing)))) 0)
  (check-is "PROFILING-P" (objects-beside #'mprof:profiling-p) 0)
  (check-is "the counters" (objects-beside (lambda () (mprof:total-bytes) (mprof:live-objects))) 0)
  (check-is "RUN, of one cons"
            (objects-beside (lambda () (mprof:run #'cons :arguments '(1 2)))) 1))

(defun nothing-in-it (text)
  (check-is (format nil "~A: no objects" text) (mprof:total-objects) 0)
  (check-is (format nil "~A: no bytes" text) (mprof:total-bytes) 0)
  (dolist (type '(:flat :function-types :direct :graph :types :sites :gc))
    (let ((report (report-of :type type :min-percent nil)))
      (note (or (search "Nothing was allocated." report)
                (search "No objects of Lisp were allocated." report))
            (format nil "~A: nothing in ~S" text type) report))))

(define-test empty-recordings
  (unless *outside*
    (mprof:run (lambda ()))
    (nothing-in-it "RUN")
    (mprof:with-profiling ())
    (nothing-in-it "WITH-PROFILING")
    (mprof:with-budget (:bytes 0))
    (nothing-in-it "WITH-BUDGET")
    (mprof:start-profiling)
    (mprof:stop-profiling)
    (nothing-in-it "START-PROFILING")))

(define-test conses
  (check-is "one cons" (figures #'cons 1 2) '(16 1))
  (check-is "100,000 conses" (figures #'make-pairs 100000) '(1600000 100000))
  (check-is "a list" (figures #'list 1 2 3) '(48 3)))

(define-test boxed-floats
  (check-is "100,000 double floats" (second (figures #'make-floats 100000)) 100000))

(define-test structures
  (mprof:with-profiling (:reset t)
    (let ((before (objects-of "MPROF-TESTS::MAKE-POINTS" "MPROF-TESTS::POINT")))
      (make-points 100000)
      (check-is "100,000 structures, by their class"
                (- (objects-of "MPROF-TESTS::MAKE-POINTS" "MPROF-TESTS::POINT") before)
                100000))))

(define-test values-of-run
  (check-is "bytes, objects, and the function's values"
            (multiple-value-list (mprof:run #'floor :arguments '(7 2)))
            '(0 0 3 1))
  (check-is "no values" (multiple-value-list (mprof:run #'values)) '(0 0)))

(define-test counters
  (mprof:with-profiling ()
    (let ((objects (mprof:total-objects)) (bytes (mprof:total-bytes)))
      (make-pairs 1000)
      (setf objects (- (mprof:total-objects) objects)
            bytes (- (mprof:total-bytes) bytes))
      (check-is "total objects" objects 1000)
      (check-is "total bytes" bytes 16000))))

(define-test the-last-object-has-its-class
  (let ((before 0))
    (mprof:with-profiling (:reset t)
      (setf before (objects-of "MPROF-TESTS::MAKE-POINTS" "MPROF-TESTS::POINT"))
      (make-points 1))
    (check-is "one structure, the last object of all"
              (- (objects-of "MPROF-TESTS::MAKE-POINTS" "MPROF-TESTS::POINT") before)
              1)))

(declaim (notinline make-kept))
(defun make-kept (n)
  (values (make-pairs n)))

(defun kept-pairs ()
  (objects-of "MPROF-TESTS::MAKE-KEPT" "CONS" #'mprof:site-kept-objects))

(define-test live-figures
  (let ((kept nil)
        (gone (if *outside* 100 0)))    ; some older objects may die
    (mprof:with-profiling ()
      (ext:gc t)
      (let ((objects (mprof:live-objects)) (bytes (mprof:live-bytes)))
        (setf kept (make-kept 50000))
        (ext:gc t)
        (check-is "live objects: what is kept, by its function" (kept-pairs) 50000)
        (check "live objects: what is kept"
               (<= (- 50000 gone) (- (mprof:live-objects) objects) 50200))
        (check "live bytes: what is kept"
               (<= (- 800000 (* 100 gone)) (- (mprof:live-bytes) bytes) 820000))
        (setf kept nil)
        (ext:gc t)
        (check "live objects: not what was dropped" (< (- (mprof:live-objects) objects) 1000))))
    kept))

(define-test totals-of-what-ended
  (unless *outside*
    (let ((profile nil))
      (mprof:with-profiling ()
        (setf profile (mprof:current-profile))
        (make-pairs 1000))
      (check-is "after the end" (mprof:total-objects profile) 1000)
      (check-is "of the last profile" (mprof:total-bytes) 16000))))

(define-test snapshots
  (unless *outside*
    (let ((profile nil) (kept '()))
      (mprof:with-profiling (:snapshot-on-gc t)
        (setf profile (mprof:current-profile))
        (dotimes (i 3)
          (push (make-pairs 10000) kept)
          (ext:gc t)))
      (let ((snapshots (mprof:profile-snapshots profile)))
        (check "one for each collection" (<= 3 (length snapshots) 12))
        (check "time goes on, what was allocated grows"
               (and (apply #'<= (mapcar #'first snapshots))
                    (apply #'<= (mapcar #'second snapshots))))
        (check "what is live"
               (<= 30000 (fourth (first (last snapshots))) 30500)))
      (check-is "none, if it was not asked for"
                (mprof:with-profiling ()
                  (ext:gc t)
                  (mprof:profile-snapshots (mprof:current-profile)))
                '())
      (length kept))))

(define-test threads-apart
  (flet ((run-beside (threads)
           (nth-value 1 (mprof:run (lambda ()
                                     (mp:process-join
                                      (mp:process-run-function "beside" #'make-pairs 20000))
                                     (make-pairs 1000))
                                   :threads threads))))
    (check "this thread only" (< 999 (run-beside :current) 1200))
    (check "all threads" (< 20999 (run-beside :all) 21400))))
;;;; SPDX-License-Identifier: MIT
