;;;; parts.lisp -- forms within another recording: their reports and files contain only the form.

(in-package #:mprof-tests)

(defun pairs-in (profile)
  "Returns how many conses of MAKE-PAIRS are in PROFILE."
  (let ((sum 0))
    (mprof:map-sites (lambda (site)
                       (when (and (string= (mprof:site-type site) "CONS")
                                  (member "MPROF-TESTS::MAKE-PAIRS" (mprof:site-functions site)
                                          :test #'string=))
                         (incf sum (mprof:site-objects site))))
                     :profile profile)
    sum))

(defun in-new-thread (n)
  (mp:process-join (mp:process-run-function "other" #'make-pairs n)))

(defmacro warnings-of (&body body)
  "Returns the reports of all MPROF-WARNINGs that BODY signals."
  `(let ((reports '()))
     (handler-bind ((mprof:mprof-warning (lambda (warning)
                                           (push (princ-to-string warning) reports)
                                           (muffle-warning warning))))
       ,@body)
     reports))

(defun name-in-folder (name)
  (format nil "~A/~A-~A.data" *folder* name *outside*))

(defun reported-bytes (threads)
  "Returns the bytes of MAKE-PAIRS in the report of a form, and the report."
  (let ((report (with-output-to-string (*standard-output*)
                  (mprof:with-profiling (:report '(:min-percent nil) :threads threads)
                    (make-pairs 1000)
                    (in-new-thread 200)))))
    (values (first-number (line-with "MPROF-TESTS::MAKE-PAIRS" report)) report)))

(defun check-parts (text)
  (make-pairs 50000)
  (multiple-value-bind (bytes report) (reported-bytes :all)
    (check-is (format nil "~A: the report is of the form alone" text) bytes 19200)
    (check (format nil "~A: and says so" text) (search "Only what happened between" report)))
  (check-is (format nil "~A: of its thread alone" text) (reported-bytes :current) 16000)
  (dolist (threads '(:all :current))
    (let ((file (name-in-folder "part")))
      (mprof:with-profiling (:file file :threads threads)
        (make-pairs 1000)
        (in-new-thread 200))
      (check-is (format nil "~A: the file is of the form alone, ~S" text threads)
                (pairs-in (mprof:load-profile file)) (if (eq threads :all) 1200 1000))
      (delete-file file)))
  (check "the recording goes on" (mprof:profiling-p)))

(define-test parts
  (if *outside*
      (check-parts "in that of mprof run")
      (progn
        (mprof:start-profiling)
        (check-parts "in one that was started")
        (mprof:stop-profiling)
        (mprof:with-profiling ()
          (check-parts "in another form"))
        (mprof:with-profiling (:threads :current)
          (check-parts "in a form of the same thread")))))

(define-test reports-of-threads
  (unless *outside*
    (check-is "four threads report what they made, each for itself"
              (in-threads 4 (lambda (i)
                              (let ((report (with-output-to-string (*standard-output*)
                                              (mprof:with-profiling (:threads :current
                                                                     :report '(:type :types))
                                                (make-pairs (* 1000 (1+ i)))))))
                                (first-number (line-with "CONS" report)))))
              '(1000 2000 3000 4000))))

(define-test reported-however-left
  (flet ((report-of-form (function)
           (with-output-to-string (*standard-output*)
             (catch 'out
               (ignore-errors
                (mprof:with-profiling (:report '(:type :types))
                  (make-pairs 100)
                  (funcall function)))))))
    (check "by a throw" (search "CONS" (report-of-form (lambda () (throw 'out nil)))))
    (check "by an error" (search "CONS" (report-of-form (lambda () (error "out")))))
    (check-is "not if nothing was recorded"
              (report-of-form (lambda () (error "out")))
              "" (lambda (a b) (declare (ignore b)) (plusp (length a))))))

(define-test what-cannot-be-done
  (unless *outside*
    (mprof:with-profiling ()
      (check-is "no warning without a reason"
                (warnings-of (mprof:with-profiling (:threads :current :snapshot-on-gc t) nil)) '())
      (dolist (wish '((:max-depth 3) (:fold-recursion t) (:sample t)))
        (let ((warnings (warnings-of (eval `(mprof:with-profiling ,wish nil)))))
          (check-is (format nil "~S: one warning" wish) (length warnings) 1)
          (check (format nil "~S: which names it" wish)
                 (search (prin1-to-string (first wish)) (first warnings)))))
      (check "START-PROFILING: of a file"
             (search "into" (first (warnings-of (mprof:start-profiling :file "other.data")))))
      (mprof:stop-profiling))
    (mprof:start-profiling)
    (check "a form whose recording was begun anew"
           (search "no report or file"
                   (first (warnings-of (mprof:with-profiling (:report t)
                                         (mprof:reset) (make-pairs 10))))))
    (dotimes (i 65535)
      (mprof:checkpoint "taken"))
    (check-is "there is no room for one more" (mprof:checkpoint "one more") nil)
    (check "nor for a form" (search "no room"
                                    (first (warnings-of (mprof:with-profiling (:report t) nil)))))
    (mprof:stop-profiling)))
;;;; SPDX-License-Identifier: MIT
