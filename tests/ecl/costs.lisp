;;;; costs.lisp -- what tests/e2e/ecl_costs.sh and the benchmark of conses count: functions that cons, each called as
;;;; (NAME N), and TIMED, which calls one.

(defpackage :costs (:use :cl) (:export #:all))
(in-package :costs)

(defvar *sink*)

;;; In a loop, and the same below 30 frames. 1 cons for each of N.
(defun conses (n)
  (declare (fixnum n))
  (dotimes (i n t) (setf *sink* (cons i nil))))
(defun deep (depth n)
  (declare (fixnum depth n))
  (if (zerop depth) (conses n) (not (not (deep (1- depth) n)))))
(defun deep-conses (n)
  (deep 30 n))

;;; Recursion 100 deep that conses on its way back. 100 conses for each of N.
(defun down (n)
  (declare (fixnum n))
  (if (zerop n) nil (cons n (down (1- n)))))
(defun recursion (n)
  (dotimes (i n t) (setf *sink* (down 100))))

;;; The same recursion, interpreted. For each call, the interpreter itself makes 2 conses, for its environment. So there
;;; are 300 conses for each of N.
(defun interpreted-recursion (n)
  (dotimes (i n t) (setf *sink* (funcall 'interpreted-down 100))))
(eval '(defun interpreted-down (n) (if (zerop n) nil (cons n (interpreted-down (1- n))))))

;;; A binary tree of 7 levels, each node with a chain of its own. 127 conses for each of N.
(defun grow (n)
  (declare (fixnum n))
  (if (zerop n) nil (cons (grow (1- n)) (grow (1- n)))))
(defun trees (n)
  (dotimes (i n t) (setf *sink* (grow 7))))

;;; A function is called for each element of a list. 200 conses for each of N.
(defun mapping (n)
  (let ((list (loop for i below 100 collect i)))
    (dotimes (i n t) (setf *sink* (mapcar (lambda (x) (list x)) list)))))

;;; Structures, each with slots that ECL allocates separately. 2 allocations for each of N.
(defstruct point x y)
(defun structures (n)
  (dotimes (i n t) (setf *sink* (make-point :x i :y n))))

;;; Vectors, each with data that ECL allocates separately. 2 allocations for each of N.
(defun vectors (n)
  (dotimes (i n t) (setf *sink* (make-array 10))))

(declaim (notinline timed))
(defun timed (function n)
  (funcall function n)
  t)

;;; Calls TIMED for each (FUNCTION N), first with 20 in place of N.
(defun all (cases)
  (loop for (function n) in cases
        do (dolist (k (list 20 n))
             (si::gc t)
             (timed function k))))
;;;; SPDX-License-Identifier: MIT
