;;;; conditions.lisp -- what may go wrong.

(in-package #:mprof)

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform nil :reader mprof-error-reason
           :documentation "A string: why.")
   (file :initarg :file :initform nil :reader mprof-error-file
         :documentation "The name of the data file that it is about, or NIL."))
  (:documentation "The superclass of all errors of MPROF but BUDGET-EXCEEDED."))

(define-condition monitor-missing (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The monitor of mprof cannot be used: ~A."
                     (mprof-error-reason condition))))
  (:documentation "libmprof.so was not found, or is not one for this ECL."))

(define-condition recording-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "Nothing can be recorded~@[ into ~A~]: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "The data file cannot be made, or ECL is another version than the monitor's."))

(define-condition profile-unreadable (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The profile~@[ in ~A~] cannot be used: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "A data file is missing or damaged, or there is none."))

(define-condition budget-exceeded (error)
  ((bytes :initarg :bytes :reader budget-exceeded-bytes
          :documentation "Bytes that were allocated.")
   (objects :initarg :objects :reader budget-exceeded-objects
            :documentation "Objects that were allocated.")
   (byte-limit :initarg :byte-limit :initform nil :reader budget-exceeded-byte-limit
               :documentation "Bytes that were allowed, NIL: any number.")
   (object-limit :initarg :object-limit :initform nil :reader budget-exceeded-object-limit
                 :documentation "Objects that were allowed, NIL: any number.")
   (profile :initarg :profile :reader budget-exceeded-profile
            :documentation "The profile in which the allocations are, for REPORT."))
  (:report (lambda (condition stream)
             (format stream "~D byte~:P in ~D object~:P allocated, ~
                             ~:[~*~;~D byte~:P~]~:[~; and ~]~:[~*~;~D object~:P~] allowed."
                     (budget-exceeded-bytes condition) (budget-exceeded-objects condition)
                     (budget-exceeded-byte-limit condition) (budget-exceeded-byte-limit condition)
                     (and (budget-exceeded-byte-limit condition)
                          (budget-exceeded-object-limit condition))
                     (budget-exceeded-object-limit condition)
                     (budget-exceeded-object-limit condition))))
  (:documentation "The body of WITH-BUDGET allocated more than it may."))
