;;;; inlined.lisp -- small functions that gcc inlines into their callers. Each makes conses.

(defpackage :other (:use :cl) (:export #:shown))
(defvar *sink*)

(defun mk (x) (cons x x))
(defun mk-user (n) (dotimes (i n n) (setf *sink* (mk i))))

(defun two (x) (setf *sink* (mk x)) (cons x *sink*))
(defun two-user (n) (dotimes (i n n) (setf *sink* (two i))))

(defun other::hidden (x) (cons x nil))
(defun other:shown (x) (cons x t))
(defun |odd Name| (x) (cons 1 x))
(defun names-user (n)
  (dotimes (i n n)
    (setf *sink* (other::hidden i))
    (setf *sink* (other:shown i))
    (setf *sink* (|odd Name| i))))

;;; Local functions.
(defun local-user (n)
  (flet ((keep (x) (setf *sink* (cons x n))))
    (dotimes (i n n) (keep i))))
(defun other-local-user (n)
  (flet ((keep (x) (setf *sink* (list x n))))
    (dotimes (i n n) (keep i) (keep n))))
(defgeneric visit (thing n))
(defmethod visit ((thing integer) n)
  (flet ((helper (x) (setf *sink* (cons 3 thing)) (setf *sink* (cons thing x))))
    (dotimes (i n) (helper i)))
  n)

;;; Equal local functions. According to the debug information, gcc inlined the first one.
(defun equal-user-a (n)
  (flet ((first-one (x) (setf *sink* (cons x 7)) (setf *sink* (cons 7 x))))
    (dotimes (i n n) (first-one n))))
(defun equal-user-b (n)
  (flet ((second-one (x) (setf *sink* (cons x 7)) (setf *sink* (cons 7 x))))
    (dotimes (i n) (second-one n))
    (cons n n)))

;;; Equal functions, called directly.
(defun same-a (x) (vector x 1))
(defun same-b (x) (vector x 1))
(defun same-user (n) (dotimes (i n n) (setf *sink* (same-a i)) (setf *sink* (same-b i))))

;;; Not inlined.
(declaim (notinline apart))
(defun apart (x) (cons x 5))
(defun apart-user (n) (dotimes (i n n) (setf *sink* (apart i))))
;;;; SPDX-License-Identifier: MIT
