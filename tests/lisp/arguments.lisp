;;;; arguments.lisp -- invalid arguments are refused before anything happens, in the user's terms.

(in-package #:mprof-tests)

(defvar *ran* nil "Whether the body of a form ran, although an argument of the form was invalid.")

(defun check-refused (text function &optional (mentioned '()))
  "Checks that FUNCTION signals INVALID-ARGUMENT, whose report contains the strings MENTIONED."
  (setf *ran* nil)
  (let* ((condition (handler-case (progn (funcall function) nil)
                      (mprof:invalid-argument (condition) condition)))
         (report (let ((*package* (find-package '#:keyword)))
                   (princ-to-string condition))))
    (note (and condition (typep condition 'type-error)) text (format nil "got ~A" report))
    (note (not (search "MPROF::" report)) (format nil "~A: no internal names" text) report)
    (note (every (lambda (part) (search part report)) mentioned)
          (format nil "~A: says what" text) report)
    (note (null *ran*) (format nil "~A: before the body" text))
    (check-is (format nil "~A: nothing is recorded" text) (mprof:profiling-p) *outside*)))

(defmacro refused (text form &rest mentioned)
  `(check-refused ,text (lambda () ,form) '(,@mentioned)))

(define-test forms-refuse
  (refused "another type of report" (mprof:with-profiling (:report :other) (setf *ran* t))
           ":OTHER" ":TYPE" ":SITES")
  (refused "a number in :REPORT" (mprof:with-profiling (:report 7) (setf *ran* t)) "7" ":REPORT")
  (refused "a bad value in :REPORT"
           (mprof:with-profiling (:report '(:type :sites :max -1)) (setf *ran* t)) "-1" ":MAX")
  (refused "a bad keyword in :REPORT"
           (mprof:with-profiling (:report '(:rows 3)) (setf *ran* t)) ":ROWS")
  (refused "a keyword without a value in :REPORT"
           (mprof:with-profiling (:report '(:type)) (setf *ran* t)) ":REPORT")
  (refused "a dotted list in :REPORT"
           (mprof:with-profiling (:report '(:max 3 . 4)) (setf *ran* t)) ":REPORT")
  (refused ":THREADS" (mprof:with-profiling (:threads :none) (setf *ran* t)) ":ALL" ":CURRENT")
  (refused ":MAX-DEPTH" (mprof:with-profiling (:max-depth 0) (setf *ran* t))
           ":MAX-DEPTH" "1 or more")
  (dolist (sample '(0 -1 67108865 1.5 :often "512K"))
    (refused ":SAMPLE" (mprof:with-profiling (:sample sample) (setf *ran* t))
             ":SAMPLE" "1 to 67108864")
    (refused ":SAMPLE of START-PROFILING" (mprof:start-profiling :sample sample) ":SAMPLE"))
  (refused ":FILE" (mprof:with-profiling (:file 12) (setf *ran* t)) ":FILE")
  (refused "bytes of a budget" (mprof:with-budget (:bytes -1) (setf *ran* t)) ":BYTES" "-1")
  (refused "objects of a budget" (mprof:with-budget (:objects 1/2) (setf *ran* t)) ":OBJECTS" "1/2")
  (refused "threads of a budget" (mprof:with-budget (:threads 1) (setf *ran* t)) ":THREADS")
  (dolist (option '(:mode :max-samples :sample-interval))
    (refused "an option of sb-sprof"
             (eval `(mprof:with-profiling (:report t ,option 5) (setf *ran* t))) "sb-sprof"))
  (refused "START-PROFILING" (mprof:start-profiling :threads :some) ":THREADS")
  (refused "RUN of a number" (mprof:run 5) "function")
  (refused "arguments that are no list"
           (mprof:run (lambda (x) (setf *ran* x)) :arguments 5) ":ARGUMENTS"))

(define-test reports-refuse
  (mprof:with-profiling () (make-pairs 10))
  (refused "TYPE" (mprof:report :type :other) ":TYPE" ":FLAT")
  (refused "SORT" (mprof:report :sort :name) ":SORT" ":KEPT")
  (refused "SORT of another table" (mprof:report :sort :with-callees :type :graph) ":SORT" ":KEPT")
  (refused "MAX" (mprof:report :max -1) ":MAX" "-1")
  (refused "MIN-PERCENT of less than nothing" (mprof:report :min-percent -1)
           ":MIN-PERCENT" "0 to 100")
  (refused "MIN-PERCENT of more than all" (mprof:report :min-percent 101) ":MIN-PERCENT")
  (refused "STREAM" (mprof:report :stream "x") ":STREAM")
  (refused "PROFILE" (mprof:report :profile "x") "LOAD-PROFILE")
  (refused "FRAMES" (mprof:report :frames nil) ":FRAMES" ":LISP")
  (refused "CHAIN" (mprof:report :chain 0) ":CHAIN" ":ALL")
  (refused "FOCUS" (mprof:report :focus 1) ":FOCUS")
  (refused "MAP-SITES of no function" (mprof:map-sites 1) "function")
  (refused "its MAX" (mprof:map-sites #'identity :max 0) ":MAX")
  (refused "SAVE to no file" (mprof:save 1) "file")
  (refused "SAVE of no profile" (mprof:save "x.data" 1) "profile")
  (refused "LOAD-PROFILE of no file" (mprof:load-profile 1) "file"))

(define-test no-body
  (check-is "a form without a body has the value NIL"
            (let ((*standard-output* (make-broadcast-stream)))
              (multiple-value-list (mprof:with-profiling (:report t))))
            '(nil)))
;;;; SPDX-License-Identifier: MIT
