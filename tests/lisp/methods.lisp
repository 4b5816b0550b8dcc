;;;; methods.lisp -- a method that shares its code with others never has the name of another one.

(in-package #:mprof-tests)

(defstruct (printed (:print-function (lambda (object stream depth)
                                       (declare (ignore object depth))
                                       (format stream "~A" (make-pairs 3)))))
  x)

(defun print-by-name (object stream depth)
  (declare (ignore object depth))
  (format stream "~A" (make-pairs 5)))

(defstruct (named (:print-function print-by-name)) x)

(defclass left () ())
(defclass right () ())
(defgeneric turned (object))

(declaim (notinline add-turned))
(defun add-turned (class n)
  "Adds a method of TURNED for CLASS, which makes N pairs. All methods are closures of one code."
  (add-method #'turned
              (make-instance 'standard-method
                             :specializers (list (find-class class)) :qualifiers '()
                             :lambda-list '(object)
                             :function (lambda (arguments next)
                                         (declare (ignore arguments next))
                                         (length (the list (make-pairs n)))))))

(defun names-around (name)
  "Returns the functions of all chains that contain NAME."
  (let ((names '()))
    (mprof:map-sites (lambda (site)
                       (let ((functions (mprof:site-functions site)))
                         (when (member name functions :test #'string=)
                           (setf names (union functions names :test #'string=))))))
    names))

(define-test methods-with-shared-code
  (mprof:with-profiling (:reset t)
    (princ-to-string (make-printed))
    (princ-to-string (make-named)))
  (let ((names (names-around "MPROF-TESTS::MAKE-PAIRS")))
    (check "a lambda that prints is the method"
           (member "(METHOD PRINT-OBJECT (MPROF-TESTS::PRINTED T))" names :test #'string=))
    (check "a function that has a name keeps it"
           (member "MPROF-TESTS::PRINT-BY-NAME" names :test #'string=))
    (check-is "no method of another class is there"
              (remove-if-not (lambda (name) (search "(METHOD PRINT-OBJECT" name)) names)
              '("(METHOD PRINT-OBJECT (MPROF-TESTS::PRINTED T))")))
  (check "it can be in focus"
         (search "MAKE-PAIRS" (report-of :focus "(METHOD PRINT-OBJECT (MPROF-TESTS::PRINTED T))")))
  (mprof:with-profiling (:reset t)
    (add-turned 'left 10)
    (add-turned 'right 20)
    (turned (make-instance 'left))
    (turned (make-instance 'right)))
  (check-is "closures over one code: it is said that it may be another"
            (remove-if-not (lambda (name) (search "(METHOD MPROF-TESTS::TURNED" name))
                           (names-around "MPROF-TESTS::MAKE-PAIRS"))
            '("(METHOD MPROF-TESTS::TURNED (MPROF-TESTS::LEFT)) or others")))
;;;; SPDX-License-Identifier: MIT
