;;;; printing.lisp -- printed objects are short, reports fit, and wrong arguments are refused.

(in-package #:mprof-tests)

;; No other test calls this function, because under `mprof run` sites are those of the recording.
(declaim (notinline pairs-to-print))
(defun pairs-to-print (n)
  "Makes N conses."
  (let ((list '()))
    (dotimes (i n list)
      (setf list (cons i list)))))

(define-test sites-are-printed
  (mprof:with-profiling (:reset t) (pairs-to-print 1000))
  (let ((printed '()) (described '()))
    (mprof:map-sites (lambda (site)
                       (push (prin1-to-string site) printed)
                       (push (with-output-to-string (stream) (describe site stream)) described))
                     :max 1 :focus 'pairs-to-print)
    (check "a site is one short line" (< (length (first printed)) 1000))
    (check "which says what it is"
           (and (search "1,000 CONS of 16,000 bytes by MPROF-TESTS::PAIRS-TO-PRINT" (first printed))
                (not (find #\Newline (first printed)))))
    (check "DESCRIBE has its figures" (search "objects: 1000" (first described)))
    (check "and is short" (< (length (first described)) 4000))))

(define-test reports-begin-on-a-fresh-line
  (mprof:with-profiling (:reset t) (make-pairs 1000))
  (check "after other text"
         (search (format nil "text~%TABLE ") (with-output-to-string (stream)
                                               (write-string "text" stream)
                                               (mprof:report :stream stream))))
  (check-is "and as they are after a line" (search "TABLE " (report-of)) 0))

(define-test functions-in-focus
  (mprof:with-profiling (:reset t) (make-pairs 1000))
  (check "a function" (search "MAKE-PAIRS" (report-of :focus #'make-pairs)))
  (refused "a function without a name" (mprof:report :focus (lambda (x) x) :stream nil) "name"))

(define-test other-things-than-profiles
  (dolist (function '(mprof:profile-file mprof:profile-active-p mprof:profile-snapshots
                      mprof:discard mprof:total-objects mprof:live-bytes))
    (check-refused (format nil "~(~A~)" function) (lambda () (funcall function 5))
                   '("5" "a profile")))
  (dolist (function '(mprof:site-functions mprof:site-type mprof:site-objects mprof:site-survived))
    (check-refused (format nil "~(~A~)" function) (lambda () (funcall function "x")) '("a site"))))

(defun place-of-name (report)
  "Returns the column in which the name MAKE-PAIRS begins, in the line of its entry."
  (let ((line (with-input-from-string (stream report)
                (loop for line = (read-line stream nil)
                      while line
                      when (and (search "MPROF-TESTS::MAKE-P" line) (eql (char line 0) #\[))
                        return line))))
    (and line (search "MPROF-TESTS::MAKE-P" line))))

(define-test reports-fit
  (mprof:with-profiling (:reset t) (make-pairs 1000) (make-points 10))
  (let ((narrow (let ((*print-right-margin* 80)) (report-of :type :graph)))
        (wide (let ((*print-right-margin* nil)) (report-of :type :graph))))
    (check "in 80 columns the call graph shows names" (< (place-of-name narrow) 70))
    (check "without a margin, kinds of objects before them" (> (place-of-name wide) 80))))
;;;; SPDX-License-Identifier: MIT
