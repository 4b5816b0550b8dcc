;;;; names.lisp -- names of what was there before the recording began.
;;;;
;;;; From then on the monitor sees functions as they are made.

(in-package #:mprof)

(defvar *named* (make-hash-table :test 'eq :weakness :key)
  "Functions and methods whose names the monitor was told.")

(defun new-p (object)
  "True once for each OBJECT."
  (unless (gethash object *named*)
    (setf (gethash object *named*) t)))

(defgeneric name-definition (function)
  (:documentation "Tell the name of FUNCTION, or the names of its methods if it is generic.")
  ;; Not by TYPEP: it takes a lock of ECL's, which is kept when an interrupt throws out of it.
  (:method (function)
    (declare (ignore function)))
  (:method ((function function))
    (when (new-p function)
      (%name-function function)))
  (:method ((function standard-generic-function))
    (dolist (method (clos:generic-function-methods function))
      (when (new-p method)
        (%name-method method)))))

(defun name-functions-of (symbol setf-name)
  "Tell the names of all global functions that SYMBOL names.  SETF-NAME is a list (SETF X) to use."
  (when (fboundp symbol)
    (name-definition (or (macro-function symbol) (symbol-function symbol))))
  (setf (second setf-name) symbol)
  (when (fboundp setf-name)
    (name-definition (fdefinition setf-name))))

(defun name-everything ()
  "Tell the names of all global functions and methods that there are, and were not told before."
  (let ((setf-name (list 'setf nil)))
    (dolist (package (list-all-packages))
      (with-package-iterator (next package :internal :external)
        (loop
          (multiple-value-bind (more symbol) (next)
            (unless more
              (return))
            (when (eq (symbol-package symbol) package)
              (name-functions-of symbol setf-name))))))))
