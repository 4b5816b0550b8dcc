;;;; measure.lisp -- figures, and tests of consing.

(in-package #:mprof)

(defun sum-of (profile which)
  "Sum WHICH (see %SUM) of PROFILE."
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
  "How many objects were allocated in PROFILE (the current one by default), so far or in all.")

(define-sum total-bytes 1
  "How many bytes were allocated for objects in PROFILE (the current one by default): as the heap
gives them, in multiples of 16, with the data of vectors, structures and hash tables.")

(define-sum live-objects 2
  "How many of PROFILE's objects the last garbage collection has not found dead, or came after it.")

(define-sum live-bytes 3
  "How many bytes the objects have that LIVE-OBJECTS counts.")

;;; The figures of a form are differences of sums.  What is needed for that is not recorded, or
;;; makes no objects, so that it is in none of the sums of a recording outside of the form either.

(defun fail-to-measure (profile session now)
  (error 'recording-failed
         :file (profile-file profile)
         :reason (cond ((zerop session) "nothing can be recorded of this thread")
                       ((zerop now) "the recording ended before the form that measures by it")
                       ((/= session now)
                        "the recording was begun anew inside of a form that measures by it")
                       (t "not everything that was allocated could be recorded"))))

(defun check-measured (profile session now lost one-thread)
  "An error, unless figures can be compared that were taken in SESSION, when LOST were lost, and
NOW."
  (declare (type fixnum session now lost))
  (unless (and (plusp session) (= session now) (= lost (the fixnum (%sum 5 one-thread))))
    (without-recording (fail-to-measure profile session now))))

(defmacro measuring ((profile bytes objects threads) &body body)
  "The values of BODY, which is recorded.  PROFILE, BYTES and OBJECTS are variables, which become
the profile and what was allocated, of which THREADS says; BYTES and OBJECTS are integers before."
  (let ((one-thread (gensym "ONE-THREAD")) (session (gensym "SESSION")) (lost (gensym "LOST")))
    `(let ((,one-thread (eq ,threads :current)) (,session 0) (,lost 0))
       (declare (type fixnum ,session ,lost))
       (recording (:threads ,threads)
         (setf ,profile *entered*
               ,session (%sum 4 ,one-thread)
               ,lost (%sum 5 ,one-thread)
               ,bytes (%sum 1 ,one-thread)
               ,objects (%sum 0 ,one-thread))
         (check-measured ,profile ,session ,session ,lost ,one-thread)
         (multiple-value-prog1 (progn ,@body)
           (setf ,objects (- (%sum 0 ,one-thread) ,objects)
                 ,bytes (- (%sum 1 ,one-thread) ,bytes))
           (check-measured ,profile ,session (%sum 4 ,one-thread) ,lost ,one-thread))))))

(defun run (function &key arguments (threads :all))
  "Call FUNCTION with the list ARGUMENTS.  Returns the bytes and the objects that were allocated
meanwhile, and then FUNCTION's own values.

THREADS  :ALL, what all threads allocate; :CURRENT, what this one does.

The figures are exact: (run (lambda () (cons 1 2))) is 16 bytes, 1 object.  Signals
INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED; the last one also if the recording ended
before FUNCTION did, or could not record everything, as when the disk is full."
  (check-run function arguments threads)
  (let ((profile nil) (bytes 0) (objects 0) (saved nil))
    (declare (type fixnum bytes objects) (ignorable profile))
    (unwind-protect
         (let ((values (multiple-value-list
                        (multiple-value-prog1 (measuring (profile bytes objects threads)
                                                (if arguments
                                                    (apply function arguments)
                                                    (funcall function)))
                          (setf saved (%pause))))))
           (apply #'values bytes objects values))
      (when saved
        (%resume saved)))))

(defun exceeded-p (bytes objects byte-limit object-limit)
  (or (and byte-limit (> bytes byte-limit))
      (and object-limit (> objects object-limit))))

(defun top-of (profile)
  "Who allocated most in PROFILE; (): that cannot be read."
  (handler-case (check-result (undisturbed (%top (profile-file profile) 3)) (profile-file profile))
    (profile-unreadable () '())))

(defun budget-arguments (profile bytes objects byte-limit object-limit)
  "What a condition BUDGET-EXCEEDED is made of."
  (list :bytes bytes :objects objects :profile profile
        :top (top-of profile) :joined (profile-active-p profile)
        :byte-limit byte-limit :object-limit object-limit))

(defun judge (profile bytes objects byte-limit object-limit)
  "Signal BUDGET-EXCEEDED if BYTES or OBJECTS are more than allowed."
  (when (exceeded-p bytes objects byte-limit object-limit)
    (without-recording
      (apply #'cerror "Return the values nevertheless." 'budget-exceeded
             (budget-arguments profile bytes objects byte-limit object-limit)))))

(defmacro judging (values judge (&key bytes objects (threads :all)) &body body)
  "BODY, then a call of the function JUDGE with a profile, what BODY allocated, and the limits.
VALUES is PROGN, for the value of JUDGE, or MULTIPLE-VALUE-PROG1, for those of BODY."
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
  "Evaluate BODY and return its values; signal the error BUDGET-EXCEEDED if it allocated more than
BYTES bytes or more than OBJECTS objects.  NIL allows any number.

THREADS is as for RUN.  The condition holds the figures and the profile; its restart CONTINUE
returns BODY's values.  A BODY that is left by a throw or an error is not judged.  For tests:

    (with-budget (:objects 0) (lookup key table))

Signals INVALID-ARGUMENT, MONITOR-MISSING or RECORDING-FAILED, before BODY; the last one also after
it if what it allocated is not known, as for RUN."
  `(judging multiple-value-prog1 judge
       (:bytes ,bytes :objects ,objects :threads ,threads) ,@body))

(defun tell-test (function control &rest arguments)
  "Call FUNCTION, the name of one of FiveAM's, if that is loaded."
  (let* ((package (find-package "FIVEAM"))
         (symbol (and package (find-symbol function package))))
    (when (and symbol (fboundp symbol) (not (macro-function symbol)))
      (apply symbol control arguments))))

(defun judge-test (profile bytes objects byte-limit object-limit)
  "Is what was allocated within its limits?  FiveAM is told."
  (without-recording
    (cond ((exceeded-p bytes objects byte-limit object-limit)
           (tell-test "FAIL" "~A"
                      (apply #'make-condition 'budget-exceeded
                             (budget-arguments profile bytes objects byte-limit object-limit)))
           nil)
          (t
           (tell-test "PASS" "~D byte~:P in ~D object~:P allocated" bytes objects)
           t))))

(defmacro is-within ((&key bytes objects (threads :all)) &body body)
  "Evaluate BODY; true if it allocated no more than BYTES bytes and OBJECTS objects, false if more.
NIL allows any number.

For tests: within a test of FiveAM's it is a check like (fiveam:is ...), which passes, or fails with
the figures and those who allocated most; elsewhere its value is what counts.  All else is as for
WITH-BUDGET.

    (fiveam:test lookup
      (mprof:is-within (:objects 0) (lookup key table)))

Signals what WITH-BUDGET does, but BUDGET-EXCEEDED."
  `(judging progn judge-test (:bytes ,bytes :objects ,objects :threads ,threads) ,@body))
