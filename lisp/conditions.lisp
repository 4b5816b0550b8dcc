;;;; conditions.lisp -- what may go wrong.

(in-package #:mprof)

(defmacro define-readers (&rest pairs)
  "Declare generic functions of one condition: NAME DOCUMENTATION ..."
  `(progn ,@(loop for (name documentation) on pairs by #'cddr
                  collect `(defgeneric ,name (condition)
                             (:documentation ,documentation)))))

(define-readers
 mprof-error-reason "Why CONDITION was signalled, a string."
 mprof-error-file "The name of the data file that CONDITION is about, NIL: of none."
 mprof-warning-reason "What cannot be done, and why, a string."
 budget-exceeded-bytes "Bytes that were allocated."
 budget-exceeded-objects "Objects that were allocated."
 budget-exceeded-byte-limit "Bytes that were allowed, NIL: any number."
 budget-exceeded-object-limit "Objects that were allowed, NIL: any number."
 budget-exceeded-top "Who allocated most: up to three lists (FUNCTION BYTES OBJECTS), the largest
first, of the whole profile; FUNCTION is a string, and charged for the runtime's functions."
 budget-exceeded-profile "The profile in which the allocations are, for REPORT.")

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform nil :reader mprof-error-reason)
   (file :initarg :file :initform nil :reader mprof-error-file))
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
  (:documentation "The data file cannot be made, or this ECL lacks what recording needs."))

(define-condition mprof-warning (warning)
  ((reason :initarg :reason :reader mprof-warning-reason))
  (:report (lambda (condition stream)
             (format stream "mprof: ~A." (mprof-warning-reason condition))))
  (:documentation "Something that was asked for cannot be done, and the rest is done without it."))

(define-condition snapshot-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "No snapshot of the heap~@[ in ~A~] can be made: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "No file can be made, no copy of the process, or this ECL is not known."))

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
  (:documentation "A profile is of no use since DISCARD removed its data file."))

(define-condition save-failed (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "The profile cannot be saved in ~A: ~A."
                     (mprof-error-file condition) (mprof-error-reason condition))))
  (:documentation "A file cannot be written, or is the one that is being recorded into."))

(define-condition no-such-function (mprof-error)
  ()
  (:report (lambda (condition stream)
             (format stream "~A in the profile~@[ in ~A~]."
                     (mprof-error-reason condition) (mprof-error-file condition))))
  (:documentation "The function in :FOCUS is on no chain of a profile.  The report offers others,
which have that name in some package."))

(define-condition invalid-argument (mprof-error type-error)
  ((name :initarg :name :reader invalid-argument-name)
   (wanted :initarg :wanted :reader invalid-argument-wanted))
  (:report (lambda (condition stream)
             (format stream "~S is no value for ~:[~S~;~A~]: it is to be ~A."
                     (type-error-datum condition) (stringp (invalid-argument-name condition))
                     (invalid-argument-name condition) (invalid-argument-wanted condition))))
  (:documentation "An argument has none of the values that are allowed.  It was refused before
anything was recorded or printed."))

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
  (:documentation "The body of WITH-BUDGET allocated more than it may."))

(defun refuse-argument (name value type wanted)
  (error 'invalid-argument :name name :datum value :expected-type type :wanted wanted))

(defmacro check-argument (name value type wanted)
  "VALUE, if it is of TYPE (not evaluated); else an error that says what is WANTED for the argument
called NAME.  A macro, so that TYPEP is compiled to something that takes no lock and makes no
object."
  (let ((checked (gensym "VALUE")))
    `(let ((,checked ,value))
       (unless (typep ,checked ',type)
         (refuse-argument ,name ,checked ',type ,wanted))
       ,checked)))
