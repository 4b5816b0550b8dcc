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

(defun name-function (function)
  (when (new-p function)
    (%name-function function)))

(defgeneric name-instance (function)
  (:documentation "Tell the name of FUNCTION, an instance, or of its methods if it is generic.")
  ;; Not by TYPEP: it takes a lock of ECL's, which is kept when an interrupt throws out of it.
  (:method (function)
    (name-function function))
  (:method ((function standard-generic-function))
    (dolist (method (clos:generic-function-methods function))
      (when (new-p method)
        (%name-method method)))))

(defun name-definition (function)
  "Tell the name of FUNCTION, or the names of its methods."
  (cond ((not (functionp function)))
        ((si:instancep function) (name-instance function))
        (t (name-function function))))

(defun name-functions-of (symbol setf-name)
  "Tell the names of all global functions that SYMBOL names.  SETF-NAME is a list (SETF X) to use."
  (when (fboundp symbol)
    (name-definition (or (macro-function symbol) (symbol-function symbol))))
  (setf (second setf-name) symbol)
  ;; Later builds of ECL do not survive (FBOUNDP '(SETF NIL)).
  (when (and symbol (fboundp setf-name))
    (name-definition (fdefinition setf-name))))

(defun name-all ()
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

(defun name-everything ()
  "NAME-ALL, which no interrupt divides."
  ;; MP:WITHOUT-INTERRUPTS does not keep ECL from ending a thread whose signal comes between two
  ;; instructions of a binding, as in a generic function's dispatch, of which there are many here.
  (let ((taken (%interrupts nil)))
    (unwind-protect (name-all)
      (when taken
        (%interrupts t)))))
