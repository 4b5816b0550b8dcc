;;;; SPDX-License-Identifier: MIT
;;;; names.lisp -- registers the names of functions that exist when the recording begins.
;;;;
;;;; The monitor registers later functions itself when they are created.

(in-package #:mprof)

(defvar *named* (make-hash-table :test 'eq :weakness :key)
  "Functions and methods whose names are registered with the monitor.")

(defun new-p (object)
  "True at the first call for each OBJECT, or always while *NAMED* is NIL."
  (or (null *named*)
      (unless (gethash object *named*)
        (setf (gethash object *named*) t))))

(defun name-function (function)
  (when (new-p function)
    (%name-function function)))

(defgeneric name-instance (function)
  (:documentation "Register the name of FUNCTION, an instance. If it is generic, register the names
of its methods.")
  ;; Dispatches by method rather than by TYPEP, because TYPEP takes a lock of ECL's that stays
  ;; locked if an interrupt throws out of it.
  (:method (function)
    (name-function function))
  (:method ((function standard-generic-function))
    (dolist (method (clos:generic-function-methods function))
      (when (new-p method)
        (%name-method method)))))

(defun name-definition (function)
  "Register the name of FUNCTION, or the names of its methods."
  (cond ((not (functionp function)))
        ((si:instancep function) (name-instance function))
        (t (name-function function))))

(defun name-functions-of (symbol setf-name)
  "Register the names of all global functions called SYMBOL or (SETF SYMBOL). SETF-NAME is a list
(SETF X) to reuse."
  (when (fboundp symbol)
    (name-definition (or (macro-function symbol) (symbol-function symbol))))
  (setf (second setf-name) symbol)
  ;; Later builds of ECL crash in (FBOUNDP '(SETF NIL)).
  (when (and symbol (fboundp setf-name))
    (name-definition (fdefinition setf-name))))

(defun name-all ()
  "Register the names of all global functions and methods that are not registered yet."
  (let ((setf-name (list 'setf nil)))
    (dolist (package (list-all-packages))
      (with-package-iterator (next package :internal :external)
        (loop
          (multiple-value-bind (more symbol) (next)
            (unless more
              (return))
            (when (eq (symbol-package symbol) package)
              (name-functions-of symbol setf-name))))))))

(defun name-without-memory ()
  "Register the names of all functions, unless a recording that is going on has done so. Remembers
none of them, because that would take a few hundred kilobytes of the heap."
  (unless (%active-p)
    (let ((*named* nil))
      (name-everything))))

(defun name-everything ()
  "Call NAME-ALL with the thread's interrupt signal blocked and without finalizers."
  ;; MP:WITHOUT-INTERRUPTS is not sufficient. ECL still ends a thread if the signal arrives between
  ;; two instructions of a binding, for instance in a generic function's dispatch, which happens
  ;; often here. A finalizer that throws out of a collection leaves the locks of packages and
  ;; properties locked, which are held often here, too.
  (let ((taken (%interrupts nil))
        (finalized (%finalize nil)))
    (unwind-protect (name-all)
      (when finalized
        (%finalize t))
      (when taken
        (%interrupts t)))))
