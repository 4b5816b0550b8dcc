;;;; SPDX-License-Identifier: MIT
;;;; conditions.lisp -- all conditions that MPROF signals.

(in-package #:mprof)

(defmacro define-readers (&rest pairs)
  "Declare the reader functions of a condition. PAIRS is NAME DOCUMENTATION ..."
  `(progn ,@(loop for (name documentation) on pairs by #'cddr
                  collect `(defgeneric ,name (condition)
                             (:documentation ,documentation)))))

(define-readers
 mprof-error-reason "Why CONDITION was signalled, a string."
 mprof-error-file "The name of the data file that CONDITION is about, or NIL."
 mprof-warning-reason "A string that describes what cannot be done, and why."
 budget-exceeded-bytes "The number of bytes that were allocated."
 budget-exceeded-objects "The number of objects that were allocated."
 budget-exceeded-byte-limit "The number of bytes that were allowed, or NIL for any number."
 budget-exceeded-object-limit "The number of objects that were allowed, or NIL for any number."
 budget-exceeded-top "Up to three lists (FUNCTION BYTES OBJECTS) of the functions that allocated
most in the whole profile, the largest first. FUNCTION is a string. What the runtime's functions
allocate is charged to their callers."
 budget-exceeded-profile "The profile that contains the allocations, for REPORT.")

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform nil :reader mprof-error-reason)
   (file :initarg :file :initform nil :reader mprof-error-file))
  (:documentation "The superclass of all errors of MPROF except BUDGET-EXCEEDED."))

(define-condition monitor-missing (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The monitor of mprof cannot be used: ~A."
                     (mprof-error-reason condition))))
  (:documentation "libmprof.so was not found, or it does not support this ECL."))

(define-condition recording-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "Nothing can be recorded~@[ into ~A~]: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "The data file cannot be created, or this ECL lacks functions that recording
needs."))

(define-condition mprof-warning (warning)
  ((reason :initarg :reason :reader mprof-warning-reason))
  (:report (lambda (condition stream)
             (format stream "mprof: ~A." (mprof-warning-reason condition))))
  (:documentation "A requested option has no effect. Everything else is done without it."))

(define-condition snapshot-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "No snapshot of the heap~@[ in ~A~] can be made: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "No file or copy of the process can be created, or this ECL is not supported."))

(define-condition profile-unreadable (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The profile~@[ in ~A~] cannot be used: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "A data file is missing or damaged, or nothing was recorded."))

(define-condition profile-discarded (profile-unreadable)
  ()
  (:report (lambda (condition stream)
             (format stream "The profile in ~A was discarded." (mprof-error-file condition))))
  (:documentation "A profile cannot be used because DISCARD has removed its data file."))

(define-condition save-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The profile cannot be saved in ~A: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "A file cannot be written, or a recording into it is in progress."))

(define-condition no-such-function (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "~A in the profile~@[ in ~A~]."
                     (mprof-error-reason condition) (mprof-error-file condition))))
  (:documentation "The function in :FOCUS is on no chain of a profile. The report suggests functions
with the same name in other packages."))

(define-condition invalid-argument (mprof-error type-error)
  ((name :initarg :name :reader invalid-argument-name)
   (wanted :initarg :wanted :reader invalid-argument-wanted))
  (:report (lambda (condition stream)
             (format stream "~S is no value for ~:[~S~;~A~]: it is to be ~A."
                     (type-error-datum condition) (stringp (invalid-argument-name condition))
                     (invalid-argument-name condition) (invalid-argument-wanted condition))))
  (:documentation "An argument has an invalid value. It was refused before anything was recorded or
printed."))

(define-condition budget-exceeded (error)
  ((bytes :initarg :bytes :reader budget-exceeded-bytes)
   (objects :initarg :objects :reader budget-exceeded-objects)
   (byte-limit :initarg :byte-limit :initform nil :reader budget-exceeded-byte-limit)
   (object-limit :initarg :object-limit :initform nil :reader budget-exceeded-object-limit)
   (profile :initarg :profile :reader budget-exceeded-profile)
   (top :initarg :top :initform '() :reader budget-exceeded-top)
   (joined :initarg :joined :initform nil :reader budget-exceeded-joined))
  (:report (lambda (condition stream)
             (format stream "~D byte~:P in ~D object~:P allocated, ~
                             ~:[~*~;~D byte~:P~]~:[~; and ~]~:[~*~;~D object~:P~] allowed.~
                             ~:[~*~*~;~%Most ~:[of it~;in the recording that was joined~] by~
                             ~:{~%  ~A: ~D byte~:P in ~D object~:P~}~]"
                     (budget-exceeded-bytes condition) (budget-exceeded-objects condition)
                     (budget-exceeded-byte-limit condition) (budget-exceeded-byte-limit condition)
                     (and (budget-exceeded-byte-limit condition)
                          (budget-exceeded-object-limit condition))
                     (budget-exceeded-object-limit condition)
                     (budget-exceeded-object-limit condition)
                     (budget-exceeded-top condition) (budget-exceeded-joined condition)
                     (budget-exceeded-top condition))))
  (:documentation "The body of WITH-BUDGET allocated more than allowed."))

(defun refuse-argument (name value type wanted)
  (error 'invalid-argument :name name :datum value :expected-type type :wanted wanted))

(defmacro check-argument (name value type wanted)
  "Return VALUE if it is of TYPE (not evaluated). Else signal an error which states that the
argument NAME must be what WANTED describes. A macro, so that TYPEP is compiled to code that takes
no lock and allocates no object."
  (let ((checked (gensym "VALUE")))
    `(let ((,checked ,value))
       (unless (typep ,checked ',type)
         (refuse-argument ,name ,checked ',type ,wanted))
       ,checked)))
