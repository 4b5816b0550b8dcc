;;;; measure.lisp -- figures, and tests of consing.

(in-package #:mprof)

(defun sum-of (profile which)
  "Sum WHICH (see %SUM) of PROFILE."
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

(defun call-measured (function arguments threads receiver)
  "Call FUNCTION with ARGUMENTS while recording, then RECEIVER with the profile, the bytes and the
objects that were allocated.  FUNCTION's values."
  (let ((one-thread (eq threads :current))
        (profile nil)
        (bytes 0)
        (objects 0))
    (declare (type fixnum bytes objects))
    (multiple-value-prog1
        (recording (:threads threads)
          (setf profile *entered*
                bytes (%sum 1 one-thread)
                objects (%sum 0 one-thread))
          (multiple-value-prog1 (apply function arguments)
            (setf objects (- (%sum 0 one-thread) objects)
                  bytes (- (%sum 1 one-thread) bytes))))
      (without-recording (funcall receiver profile bytes objects)))))

(defun run (function &key arguments (threads :all))
  "Call FUNCTION with the list ARGUMENTS.  Returns the bytes and the objects that were allocated
meanwhile, and then FUNCTION's own values.

THREADS  :ALL, what all threads allocate; :CURRENT, what this one does.

The figures are exact: (run (lambda () (cons 1 2))) is 16 bytes, 1 object.  Signals MONITOR-MISSING
or RECORDING-FAILED."
  (let ((bytes 0) (objects 0))
    (let ((values (multiple-value-list
                   (call-measured function arguments threads
                                  (lambda (profile b o)
                                    (declare (ignore profile))
                                    (setf bytes b objects o))))))
      (apply #'values bytes objects values))))

(defun check-budget (profile bytes objects byte-limit object-limit)
  "Signal BUDGET-EXCEEDED if BYTES or OBJECTS are more than allowed."
  (when (or (and byte-limit (> bytes byte-limit))
            (and object-limit (> objects object-limit)))
    (cerror "Return the values nevertheless." 'budget-exceeded
            :bytes bytes :objects objects :profile profile
            :byte-limit byte-limit :object-limit object-limit)))

(defun call-with-budget (function threads byte-limit object-limit)
  "WITH-BUDGET as a function."
  (call-measured function '() threads
                 (lambda (profile bytes objects)
                   (check-budget profile bytes objects byte-limit object-limit))))

(defmacro with-budget ((&key bytes objects (threads :all)) &body body)
  "Evaluate BODY and return its values; signal the error BUDGET-EXCEEDED if it allocated more than
BYTES bytes or more than OBJECTS objects.  NIL allows any number.

THREADS is as for RUN.  The condition holds the figures and the profile; its restart CONTINUE
returns BODY's values.  A BODY that is left by a throw or an error is not judged.  For tests:

    (with-budget (:objects 0) (lookup key table))"
  `(call-with-budget (lambda () ,@body) ,threads ,bytes ,objects))
