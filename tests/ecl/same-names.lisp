;;;; same-names.lisp -- functions that have the same names as in another file, or no names. The test
;;;; replaces PACKAGE, and CONSES by the number of conses that each function makes.

(defpackage :PACKAGE (:use :cl))
(in-package :PACKAGE)

(defvar *sink*)
(defmacro here () `(progn (setf *sink* (make-list CONSES)) 1))

(let ((calls 0)) (defun in-let (x) (here) (incf calls x)))
(let ((calls 0)) (defun (setf in-let) (x) (here) (incf calls x)))
(let ((calls 0)) (defmacro macro-in-let (x) (here) (incf calls) x))
(defvar *first* (lambda (x) (here) x))
(defvar *second* (lambda (x y) (here) (+ x y)))
(declaim (notinline two-lambdas))
(defun two-lambdas (list)
  (+ (length (mapcar (lambda (x) (here) x) list)) (length (remove-if (lambda (x) (here) (null x)) list))))
(labels ((walk (n) (here) (if (zerop n) 0 (1+ (walk (1- n)))))) (setf *sink* (walk 4)))
(setf *sink* (make-list CONSES))

(defun all ()
  (in-let 1) (setf (in-let) 2) (macroexpand-1 '(macro-in-let 3))
  (funcall *first* 1) (funcall *second* 1 2)
  (two-lambdas (list 1)))
;;;; SPDX-License-Identifier: MIT
