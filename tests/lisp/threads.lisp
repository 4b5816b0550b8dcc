;;;; threads.lisp -- forms that measure or record only their own thread, several at the same time.

(in-package #:mprof-tests)

(defun in-threads (n function)
  "Calls FUNCTION with 0 to N - 1, each in its own thread. Returns the values in this order."
  (let ((values (make-array n :initial-element nil)))
    (mapc #'mp:process-join
          (loop for i below n
                collect (let ((i i))
                          (mp:process-run-function
                           "one of several"
                           (lambda ()
                             (setf (svref values i)
                                   (handler-case (funcall function i)
                                     (error (condition) (princ-to-string condition)))))))))
    (coerce values 'list)))

(defun verdict (n)
  (handler-case (mprof:with-budget (:objects 10 :threads :current)
                  (make-pairs n)
                  :passed)
    (mprof:budget-exceeded (condition) (mprof:budget-exceeded-objects condition))))

(define-test budgets-in-threads
  ;; a form that exceeds its budget reads the whole recording, which is large under mprof run
  (let ((rounds 3))
    (check-is "eight threads exceed their budgets at the same time"
              (in-threads 8 (lambda (i)
                              (declare (ignore i))
                              (loop repeat rounds count (eql (verdict 20000) 20000))))
              (make-list 8 :initial-element rounds))
    (check-is "half of them keep within theirs"
              (in-threads 8 (lambda (i)
                              (loop repeat rounds
                                    count (eql (verdict (if (evenp i) 10 2000))
                                               (if (evenp i) :passed 2000)))))
              (make-list 8 :initial-element rounds))))

(defun call-beside (function)
  "Calls FUNCTION while another thread is in a form that records only that other thread. The form
makes 500 pairs before FUNCTION is called, and 70 pairs after it."
  (let* ((inside (mp:make-semaphore)) (go-on (mp:make-semaphore))
         (other (mp:process-run-function
                 "other" (lambda ()
                           (mprof:with-profiling (:threads :current)
                             (make-pairs 500)
                             (mp:signal-semaphore inside)
                             (mp:wait-on-semaphore go-on)
                             (make-pairs 70))))))
    (mp:wait-on-semaphore inside)
    (unwind-protect (funcall function)
      (mp:signal-semaphore go-on)
      (mp:process-join other))))

(define-test beside-a-form-of-one-thread
  (flet ((objects (threads)
           (let ((objects 0))
             (call-beside (lambda ()
                            (setf objects (nth-value 1 (mprof:run #'make-pairs :arguments '(1000)
                                                                               :threads threads)))))
             objects)))
    (check-is "RUN, of its own thread" (objects :current) 1000)
    (check-is "RUN, of all threads" (objects :all) 1000))
  (check-signals "a budget" mprof:budget-exceeded
    (call-beside (lambda () (mprof:with-budget (:objects 0) (make-pairs 1000)))))
  (check-is "a test"
            (let ((within t))
              (call-beside (lambda ()
                             (setf within (mprof:is-within (:objects 999) (make-pairs 1000)))))
              within)
            nil)
  (check-is "a recording: with what the other thread made"
            (conses-of (lambda ()
                         (call-beside (lambda () (mprof:with-profiling () (make-pairs 1000))))))
            1570)
  (unless *outside*
    (check "the report says that it is not of all threads all the time"
           (search "not of all threads all the time" (report-of :type :all)))
    (check-is "a thread that did not ask is not recorded"
              (conses-of (lambda () (call-beside (lambda () (make-pairs 1000))))) 570)
    (check "and the report says of which thread it is"
           (search "of one thread only" (report-of :type :all)))))

;;; A budget that cannot be measured is an error, and never passes.

(define-test not-measured
  (unless *outside*
    (dolist (threads '(:all :current))
      (flet ((fails (text function)
               (let ((condition (check-signals (format nil "~A, ~S" text threads)
                                    mprof:recording-failed
                                  (mprof:with-budget (:objects 10 :threads threads)
                                    (make-pairs 1000)
                                    (funcall function)))))
                 (check "it says why" (search "form that measures" (princ-to-string condition))))
               (when (mprof:profiling-p)
                 (mprof:stop-profiling))))
        (fails "the recording is stopped" #'mprof:stop-profiling)
        (fails "the recording is begun anew" #'mprof:reset)
        (fails "another thread begins it anew"
               (lambda () (mp:process-join (mp:process-run-function "other" #'mprof:reset))))
        (fails "another one began meanwhile"
               (lambda () (mprof:stop-profiling) (mprof:start-profiling)))))))

(define-test joined-for-good
  (unless *outside*
    (mprof:start-profiling :threads :current)
    (make-pairs 10)
    (in-threads 3 (lambda (i) (make-pairs 100) (if (zerop i) (verdict 1000) (make-pairs 100))))
    (check-is "what other threads measured is in a recording of this one"
              (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 1010)
    (mprof:reset)
    (make-pairs 10)
    (check-is "begun anew, it is still of this thread"
              (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 10)
    (mprof:stop-profiling)
    (make-pairs 10)
    (check-is "and then it is over" (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 10)))
;;;; SPDX-License-Identifier: MIT
