;;;; dispatch.lisp -- calls of generic functions, and of APPLY.

(defpackage :shapes (:use :cl))
(in-package :shapes)

(defvar *sink*)
(defclass shape () ())
(defclass square (shape) ())
(defgeneric area (shape scale))
(defmethod area ((shape shape) scale) (setf *sink* (list scale scale)) 1)
(defmethod area ((shape square) scale) (+ 1 (call-next-method)))
(defmethod area :around ((shape square) scale) (setf *sink* (list scale)) (+ 1 (call-next-method)))
(defmethod area :before ((shape square) scale) (setf *sink* (list scale)) nil)

(declaim (notinline with-apply with-funcall total))
(defun total (&rest list) (setf *sink* (copy-list list)) 1)
(defun with-apply (function list) (1+ (apply function list)))
(defun with-funcall (function list) (1+ (funcall (if list 'apply) function list)))

(declaim (notinline remembered))
(defun remembered (shape) (1+ (area shape 1)))

;;; Generic functions that become garbage as soon as they were called.
(defun made (i k)
  (let ((name (intern (format nil "MADE-~D-~D" i k) :shapes)))
    (eval `(defgeneric ,name (x) (:method ((x integer)) (setf *sink* (list x)) 1)))
    (prog1 (fdefinition name) (fmakunbound name))))

(defun all ()
  (let ((square (make-instance 'square)))
    (list (area square 1) (area square 2)
          (with-apply #'total (list 1 2 3))
          (with-apply #'area (list square 3))
          (with-funcall #'total (list 1 2 3))
          (let ((shape (make-instance 'shape))) (area shape 1) (remembered shape)))))
;;;; SPDX-License-Identifier: MIT
