;;;; recording.lisp -- when recording begins and ends.

(in-package #:mprof-tests)

(defun conses-of (function)
  "Calls FUNCTION. Returns by how much the conses of MAKE-PAIRS in the current profile grew."
  (flet ((now () (if (mprof:profiling-p) (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 0)))
    (let ((before (if *outside* (now) 0)))
      (funcall function)
      (- (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") before))))

(define-test values-of-with-profiling
  (check-is "all values" (multiple-value-list (mprof:with-profiling () (values 1 2 3))) '(1 2 3))
  (check-is "none" (multiple-value-list (mprof:with-profiling () (values))) '())
  (check-is "off again" (mprof:profiling-p) *outside*))

(define-test only-the-body
  (check-is "before and after the body nothing is recorded"
            (conses-of (lambda ()
                         (unless *outside* (make-pairs 7))
                         (mprof:with-profiling () (make-pairs 100))
                         (unless *outside* (make-pairs 7))))
            100))

(define-test nested
  (check-is "one inside another: one recording"
            (conses-of (lambda ()
                         (mprof:with-profiling ()
                           (make-pairs 10)
                           (mprof:with-profiling () (make-pairs 100))
                           (make-pairs 1000))))
            1110)
  (check-is "off again" (mprof:profiling-p) *outside*))

(define-test a-nested-form-conses-nothing
  (check-is "entered and left" (figures (lambda () (mprof:with-profiling () nil))) '(0 0)))

(define-test left-by-throw
  (check-is "throw"
            (conses-of (lambda ()
                         (catch 'out
                           (mprof:with-profiling () (make-pairs 10) (throw 'out nil)))))
            10)
  (check-is "off again after a throw" (mprof:profiling-p) *outside*)
  (check-is "an error"
            (conses-of (lambda ()
                         (ignore-errors
                          (mprof:with-profiling () (make-pairs 10) (error "out")))))
            10)
  (check-is "off again after an error" (mprof:profiling-p) *outside*)
  (check-is "RETURN-FROM, out of two"
            (conses-of (lambda ()
                         (block out
                           (mprof:with-profiling ()
                             (make-pairs 10)
                             (mprof:with-profiling () (make-pairs 100) (return-from out nil))))))
            110)
  (check-is "off again after RETURN-FROM" (mprof:profiling-p) *outside*))

(defun profile-recursively (n)
  (mprof:with-profiling ()
    (make-pairs 1)
    (when (plusp n)
      (profile-recursively (1- n)))))

(define-test entered-again
  (check-is "a function that profiles itself, recursively"
            (conses-of (lambda () (profile-recursively 99))) 100)
  (check-is "off again" (mprof:profiling-p) *outside*))

(define-test in-two-threads
  (check-is "two threads, overlapping: one recording, which ends with the last"
            (conses-of
             (lambda ()
               (let* ((inside (mp:make-semaphore)) (go-on (mp:make-semaphore))
                      (other (mp:process-run-function
                              "other"
                              (lambda ()
                                (mprof:with-profiling ()
                                  (mp:signal-semaphore inside)
                                  (mp:wait-on-semaphore go-on)
                                  (make-pairs 1000))))))
                 (mp:wait-on-semaphore inside)
                 (mprof:with-profiling () (make-pairs 100))
                 (check "still on" (mprof:profiling-p))
                 (mp:signal-semaphore go-on)
                 (mp:process-join other))))
            1100)
  (check-is "off again" (mprof:profiling-p) *outside*))

(define-test many-threads
  (check-is "eight threads, 25 times each"
            (conses-of
             (lambda ()
               (mprof:with-profiling ()
                 (mapc #'mp:process-join
                       (loop repeat 8
                             collect (mp:process-run-function
                                      "one of many"
                                      (lambda ()
                                        (loop repeat 25
                                              do (mprof:with-profiling ()
                                                   (make-pairs 100))))))))))
            20000)
  (mapc #'mp:process-join
        (loop repeat 4
              collect (mp:process-run-function
                       "attaches" (lambda ()
                                    (loop repeat 10
                                          do (mprof:with-profiling () (make-pairs 100)))))))
  (check-is "four threads that begin and end it as it comes" (mprof:profiling-p) *outside*))

(define-test by-hand
  (unless *outside*
    (let ((profile (mprof:start-profiling)))
      (make-pairs 10)
      (check "it is active" (mprof:profile-active-p profile))
      (check-is "starting twice changes nothing" (mprof:start-profiling) profile 'eq)
      (mprof:with-profiling () (make-pairs 100))
      (check "WITH-PROFILING does not end it" (mprof:profiling-p))
      (make-pairs 1000)
      (check-is "stopping returns it" (mprof:stop-profiling) profile 'eq)
      (make-pairs 10000)
      (check-is "what lay between" (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 1110)
      (check-is "stopping twice changes nothing" (mprof:stop-profiling) profile 'eq)
      (check "it has a file" (probe-file (mprof:profile-file profile)))
      (check-is "a new one is another" (eq (mprof:start-profiling) profile) nil)
      (mprof:stop-profiling)
      (check "the older one is still there"
             (search "MAKE-PAIRS" (report-of :profile profile))))))

(define-test started-inside-of-a-form
  (unless *outside*
    (mprof:with-profiling () (mprof:start-profiling))
    (check "START-PROFILING inside of WITH-PROFILING: it goes on" (mprof:profiling-p))
    (mprof:stop-profiling)
    (mprof:with-profiling () (mprof:stop-profiling))
    (check-is "STOP-PROFILING inside of it: it ends" (mprof:profiling-p) nil)))

(define-test forgetting
  (cond (*outside*
         (check-is "mprof run's recording cannot be begun anew" (mprof:reset) nil))
        (t
         (check-is "nothing is recorded, nothing forgotten" (mprof:reset) nil)
         (mprof:with-profiling ()
           (make-pairs 10)
           (check-is "RESET" (mprof:reset) t)
           (make-pairs 100))
         (check-is "what came after RESET" (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 100)
         (mprof:with-profiling ()
           (make-pairs 10)
           (mprof:with-profiling (:reset t) (make-pairs 1000)))
         (check-is "what came after :RESET" (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 1000))))

(define-test attach-and-detach
  (let ((good 0))
    (dotimes (i 100)
      (when (and (equal (figures #'make-pairs 10) '(160 10))
                 (eq (mprof:profiling-p) *outside*))
        (incf good)))
    (check-is "100 times" good 100)))

(define-test outside
  (when *outside*
    (let ((profile (mprof:current-profile)))
      (check-is "START-PROFILING returns the running one" (mprof:start-profiling) profile 'eq)
      (check-is "STOP-PROFILING does not end it" (mprof:stop-profiling) profile 'eq)
      (check "it goes on" (mprof:profiling-p)))))

(define-test shallow-chains
  (unless *outside*
    (mprof:with-profiling (:max-depth 1) (make-pairs 10))
    (let ((longest 0))
      (mprof:map-sites (lambda (site)
                         (setf longest (max longest (length (mprof:site-functions site))))))
      (check ":MAX-DEPTH" (<= 1 longest 2)))
    (check-signals "a depth that is none" type-error
      (mprof:with-profiling (:max-depth 0) nil))))

(defun grow (n)
  "Makes a binary tree of N levels."
  (when (plusp n)
    (cons (grow (1- n)) (grow (1- n)))))

(defun longest-chain ()
  (let ((longest 0))
    (mprof:map-sites (lambda (site)
                       (setf longest (max longest (length (mprof:site-functions site))))))
    longest))

(define-test folded-recursion
  (unless *outside*
    (eval '(defun grow-slowly (n)
            (when (plusp n)
              (cons (grow-slowly (1- n)) (apply 'grow-slowly (list (1- n)))))))
    (flet ((figures-of (function name fold)
             (mprof:with-profiling (:fold-recursion fold) (funcall function 12))
             (list (objects-of name "CONS") (longest-chain))))
      (dolist (function '(grow grow-slowly))
        (let* ((name (format nil "MPROF-TESTS::~A" function))
               (whole (figures-of function name nil))
               (folded (figures-of function name t)))
          (check "conses" (>= (first whole) 4095))
          (check-is "conses, recursion folded" (first folded) (first whole))
          (check ":FOLD-RECURSION makes shorter chains"
                 (<= (second folded) (- (second whole) 9)))
          (check-is "whole again" (figures-of function name nil) whole))))
    (mprof:start-profiling :fold-recursion t)
    (grow 12)
    (mprof:stop-profiling)
    (check-is "START-PROFILING" (objects-of "MPROF-TESTS::GROW" "CONS") 4095)))

(define-test sampled
  (unless *outside*
    (flet ((sampled (text)
             (check text (search "as samples tell" (report-of :type :all)))))
      (mprof:with-profiling (:sample t) (make-pairs 100))
      (sampled ":SAMPLE T")
      (mprof:with-profiling (:sample 1)
        (make-pairs 10)
        (mprof:with-profiling (:reset t) (make-pairs 100)))
      (sampled ":SAMPLE, begun anew")
      (check-is ":SAMPLE 1: every object is a sample"
                (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 100)
      (mprof:start-profiling :sample 67108864)
      (make-pairs 100)
      (mprof:stop-profiling)
      (sampled ":SAMPLE of START-PROFILING"))
    (mprof:with-profiling () (make-pairs 100))
    (check-is "the next one is not sampled" (search "as samples tell" (report-of :type :all)) nil)))

(define-test one-thread-only
  (unless *outside*
    (mprof:with-profiling (:threads :current)
      (make-pairs 10)
      (mp:process-join (mp:process-run-function "other" #'make-pairs 1000)))
    (check-is ":THREADS :CURRENT" (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS") 10)))

(define-test interrupted
  ;; The thread only makes conses, because ECL, even without mprof, ends a thread that is
  ;; interrupted in some of ECL's own functions, such as FORMAT and MAKE-HASH-TABLE.
  (ext:gc t)
  (let* ((count 0)
         (enough nil)
         (ready (mp:make-semaphore))
         (victim (mp:process-run-function
                  "victim"
                  (lambda ()
                    (mprof:with-profiling ()
                      (mp:signal-semaphore ready)
                      (loop until enough do (make-pairs 100)))))))
    (mp:wait-on-semaphore ready)
    (dotimes (i 20)                     ; one at a time, because INCF may be interrupted
      (mp:interrupt-process victim (lambda () (make-pairs 10) (incf count)))
      (sleep 0.01)
      (loop repeat 6000 until (> count i) do (sleep 0.01)))
    (setf enough t)
    (mp:process-join victim)
    (check-is "a thread that is interrupted anywhere goes on" count 20)
    (check-is "and ends its recording" (mprof:profiling-p) *outside*)
    (check-is "after that, all is as before" (figures #'make-pairs 10) '(160 10))))

(define-test thrown-out
  (let* ((ready (mp:make-semaphore))
         (victim (mp:process-run-function
                  "victim"
                  (lambda ()
                    (catch 'enough
                      (mprof:with-profiling ()
                        (mp:signal-semaphore ready)
                        (loop (make-pairs 100))))))))
    (mp:wait-on-semaphore ready)
    (check "a thread records" (mprof:profiling-p))
    (mp:interrupt-process victim (lambda () (throw 'enough t)))
    (mp:process-join victim)
    (check-is "an interrupt that throws out of the form ends its recording"
              (mprof:profiling-p) *outside*)
    (check-is "after that, too, all is as before" (figures #'make-pairs 10) '(160 10))))
;;;; SPDX-License-Identifier: MIT
