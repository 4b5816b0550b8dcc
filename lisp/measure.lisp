;;;; SPDX-License-Identifier: MIT
;;;; measure.lisp -- the figures of a profile, and tests of consing.

(in-package #:mprof)

(defun sum-of (profile which)
  "Return the sum WHICH (see %SUM) of PROFILE."
  (check-profile profile)
  (cond ((null profile) 0)
        ((profile-active-p profile) (%sum which nil))
        ((%profile-sums profile) (nth which (%profile-sums profile)))
        (t (nth which (setf (%profile-sums profile)
                            (undisturbed (check-result (%totals (profile-file profile))
                                                       (profile-file profile))))))))

(defmacro define-sum (name which documentation)
  `(defun ,name (&optional (profile (current-profile)))
     ,documentation
     (sum-of profile ,which)))

(define-sum total-objects 0
  "The number of objects that were allocated in PROFILE (the current one by default) so far.")

(define-sum total-bytes 1
  "The number of bytes that were allocated for objects in PROFILE (the current one by default) so
far. The heap allocates multiples of 16 bytes. Data of vectors, structures and hash tables is
included.")

(define-sum live-objects 2
  "The number of PROFILE's objects that the last garbage collection has not found dead, including
those allocated since.")

(define-sum live-bytes 3
  "The number of bytes of the objects that LIVE-OBJECTS counts.")

;;; The figures of a form are differences of sums. Code that computes them is not recorded or
;;; allocates no objects, so it does not count in sums of an enclosing recording either.

(defun fail-to-measure (profile session now)
  (error 'recording-failed
         :file (profile-file profile)
         :reason (cond ((zerop session) "nothing can be recorded of this thread")
                       ((zerop now) "the recording ended before the form that measures by it")
                       ((/= session now)
                        "the recording was begun anew inside of a form that measures by it")
                       (t "not everything that was allocated could be recorded"))))

(defun check-measured (profile session now lost one-thread)
  "Signal an error unless sums taken in SESSION, when LOST allocations were lost, can be compared
with sums taken in the session NOW."
  (declare (type fixnum session now lost))
  (unless (and (plusp session) (= session now) (= lost (the fixnum (%sum 5 one-thread))))
    (without-recording (fail-to-measure profile session now))))

(defmacro measuring ((profile bytes objects threads) &body body)
  "Record BODY and return its values. PROFILE, BYTES and OBJECTS are variables that are set to the
profile and to what THREADS selects of BODY's allocations. BYTES and OBJECTS must be integers
before."
  (let ((one-thread (gensym "ONE-THREAD")) (session (gensym "SESSION")) (lost (gensym "LOST")))
    `(let ((,one-thread (eq ,threads :current)) (,session 0) (,lost 0))
       (declare (type fixnum ,session ,lost))
       (recording (:threads ,threads)
         (setf ,profile *entered*
               ,session (%sum 4 ,one-thread)
               ,lost (%sum 5 ,one-thread))
         (check-measured ,profile ,session ,session ,lost ,one-thread)
         (setf ,bytes (%sum 1 ,one-thread)      ; last: bytecode allocates to call a function
               ,objects (%sum 0 ,one-thread))
         (multiple-value-prog1 (progn ,@body)
           (setf ,objects (- (%sum 0 ,one-thread) ,objects)
                 ,bytes (- (%sum 1 ,one-thread) ,bytes))
           (check-measured ,profile ,session (%sum 4 ,one-thread) ,lost ,one-thread))))))

(defun run (function &key arguments (threads :all))
  "Call FUNCTION with the list ARGUMENTS. Return the allocated bytes, the number of allocated
objects, and FUNCTION's values.
  THREADS  :ALL counts what all threads allocate; :CURRENT, what this thread allocates.
The figures are exact: (run (lambda () (cons 1 2))) returns 16 bytes and 1 object. Signals
INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED. The last one is also signalled if the
recording ended before FUNCTION, or if it is incomplete, for instance because the disk is full."
  (check-run function arguments threads)
  (let ((profile nil) (bytes 0) (objects 0))
    (declare (type fixnum bytes objects) (ignorable profile))
    (let ((values (multiple-value-list (measuring (profile bytes objects threads)
                                         (call-recorded function arguments)))))
      (apply #'values bytes objects values))))

(defun exceeded-p (bytes objects byte-limit object-limit)
  (or (and byte-limit (> bytes byte-limit))
      (and object-limit (> objects object-limit))))

(defun top-of (profile)
  "The functions that allocated most in PROFILE, or () if it cannot be read."
  (handler-case (check-result (undisturbed (%top (profile-file profile) 3)) (profile-file profile))
    (profile-unreadable () '())))

(defun budget-arguments (profile bytes objects byte-limit object-limit)
  "The initialization arguments of a condition BUDGET-EXCEEDED."
  (list :bytes bytes :objects objects :profile profile
        :top (top-of profile) :joined (profile-active-p profile)
        :byte-limit byte-limit :object-limit object-limit))

(defun judge (profile bytes objects byte-limit object-limit)
  "Signal BUDGET-EXCEEDED if BYTES or OBJECTS exceed their limits."
  (when (exceeded-p bytes objects byte-limit object-limit)
    (without-recording
      (apply #'cerror "Return the values nevertheless." 'budget-exceeded
             (budget-arguments profile bytes objects byte-limit object-limit)))))

(defmacro judging (values judge (&key bytes objects (threads :all)) &body body)
  "Evaluate BODY, then call the function JUDGE with a profile, the bytes and objects that BODY
allocated, and the limits. VALUES is PROGN to return the value of JUDGE, or MULTIPLE-VALUE-PROG1 to
return those of BODY."
  (let ((profile (gensym "PROFILE")) (byte-limit (gensym "BYTE-LIMIT"))
        (object-limit (gensym "OBJECT-LIMIT")) (used-bytes (gensym "BYTES"))
        (used-objects (gensym "OBJECTS")) (which (gensym "THREADS")))
    `(let ((,byte-limit (check-budget :bytes ,bytes))
           (,object-limit (check-budget :objects ,objects))
           (,which (check-threads ,threads))
           (,used-bytes 0) (,used-objects 0) (,profile nil))
       (,values
        (measuring (,profile ,used-bytes ,used-objects ,which) ,@body)
        (,judge ,profile ,used-bytes ,used-objects ,byte-limit ,object-limit)))))

(defmacro with-budget ((&key bytes objects (threads :all)) &body body)
  "Evaluate BODY and return its values. Signal the error BUDGET-EXCEEDED if it allocated more than
BYTES bytes or more than OBJECTS objects. NIL allows any number. THREADS is as for RUN. The
condition contains the figures and the profile. Its restart CONTINUE returns BODY's values. Nothing
is signalled if BODY is left by a throw or an error. For tests:
    (with-budget (:objects 0) (lookup key table))
Signals INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED before BODY. The last one is also
signalled after BODY if the figures are unknown, as for RUN."
  `(judging multiple-value-prog1 judge
       (:bytes ,bytes :objects ,objects :threads ,threads) ,@body))

(defparameter *frameworks*
  '(("FIVEAM" "IS-TRUE" "FIVEAM" "CURRENT-TEST" "~A")
    ("FIASCO" "IS" "FIASCO" "*CONTEXT*" "~A")
    ("PARACHUTE" "TRUE" "PARACHUTE" "*CONTEXT*" "~A")
    ("ROVE" "OK" "ROVE/CORE/STATS" "*STATS*"))
  "Test frameworks, lists of strings (PACKAGE CHECK PACKAGE VARIABLE . CONTROL). CHECK is the macro
or function that takes a value, the strings CONTROL and a text. A test is running if VARIABLE is
true.")

(defun framework-symbol (package name)
  (and (find-package package) (find-symbol name package)))

(defun tell-tests (good text)
  "Report the check GOOD, explained by TEXT, to all frameworks that are running a test in this
thread. Return whether there is one."
  (loop with told = nil
        for (package check home variable . control) in *frameworks*
        for check-symbol = (framework-symbol package check)
        for variable-symbol = (framework-symbol home variable)
        when (and check-symbol (fboundp check-symbol)
                  variable-symbol (boundp variable-symbol) (symbol-value variable-symbol))
          do (eval `(,check-symbol ,good ,@control ,text))
             (setf told t)
        finally (return told)))

(defun judge-test (profile bytes objects byte-limit object-limit)
  "Return whether the allocations are within their limits, and report it to the running test. If
they exceed a limit, and a framework is loaded but cannot be told, signal BUDGET-EXCEEDED."
  (without-recording
    (if (exceeded-p bytes objects byte-limit object-limit)
        (let ((condition (apply #'make-condition 'budget-exceeded
                                (budget-arguments profile bytes objects byte-limit object-limit))))
          (unless (or (tell-tests nil (princ-to-string condition))
                      (notany #'find-package (mapcar #'first *frameworks*)))
            (cerror "Return false." condition))
          nil)
        (progn
          (tell-tests t (format nil "~D byte~:P in ~D object~:P allocated" bytes objects))
          t))))

(defmacro is-within ((&key bytes objects (threads :all)) &body body)
  "Evaluate BODY. Return true if it allocated no more than BYTES bytes and OBJECTS objects. NIL
allows any number. Within a test of FiveAM, Fiasco, Parachute or Rove, this is a check like
(fiveam:is ...). If it fails, it shows the figures and the functions that allocated most. If one of
these is loaded but runs no test in this thread, a failed check signals BUDGET-EXCEEDED, and its
restart CONTINUE returns false. With other frameworks, check the value. Everything else is as for
WITH-BUDGET.
    (fiveam:test lookup
      (mprof:is-within (:objects 0) (lookup key table)))
Otherwise signals the same as WITH-BUDGET except BUDGET-EXCEEDED."
  `(judging progn judge-test (:bytes ,bytes :objects ,objects :threads ,threads) ,@body))
