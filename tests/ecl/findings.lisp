;;;; findings.lisp -- for each rule of mprof findings, a function with the fault and one without.

(defpackage :faults (:use :cl))
(in-package :faults)

(defvar *sink*)

;;; Floats. If they are declared, in code without checks, they are not objects.
(defun norm (n)
  (let ((sum 0d0))
    (dotimes (i n sum)
      (setf sum (+ sum (* i 1.5d0))))))

(defun norm-declared (n)
  (declare (fixnum n) (optimize (safety 0)))
  (let ((sum 0d0))
    (declare (type double-float sum))
    (dotimes (i n sum)
      (declare (fixnum i))
      (setf sum (+ sum 1.5d0)))))

;;; Bignums.
(defun hash (n)
  (let ((hash 14695981039346656037))
    (dotimes (i n hash)
      (setf hash (logand (* (logxor hash (logand i 255)) 1099511628211) #xffffffffffffffff)))))

(defun hash-small (n)
  (let ((hash 2166136261))
    (dotimes (i n hash)
      (setf hash (logand (* (logxor hash (logand i 255)) 16777) #xffffffff)))))

;;; Argument lists of a function of the program, and of a built-in function.
(declaim (notinline total total-of-four))
(defun total (&rest numbers) (first numbers))
(defun total-of-four (a b c d) (logand a b c d))

(defun totals (n) (dotimes (i n) (setf *sink* (total i 1 2 3))))
(defun totals-of-four (n) (dotimes (i n) (setf *sink* (total-of-four i 1 2 3))))

(defvar *bits* (make-array '(10 10) :element-type 'bit))
(defun bits (n) (dotimes (i n) (setf *sink* (sbit *bits* 3 (mod i 10)))))

(defun key (i) (format nil "~D" i))            ; gcc inlines it
(defun keys (n) (dotimes (i n) (key i)))

;;; EVERY, as in the paper: it is called as a function, for the elements of a list.
(defvar *numbers* (loop for i below 10 collect i))
(defun all-numbers (n) (dotimes (i (floor n 10)) (setf *sink* (funcall 'every #'numberp *numbers*))))
(defun loop-numbers (n)
  (dotimes (i (floor n 10)) (setf *sink* (loop for x in *numbers* always (numberp x)))))

;;; Generic functions that search their methods again and again, or remember them.
(defgeneric size (x))
(defmethod size ((x integer)) 1)
(defvar *method* (find-method #'size nil (list (find-class 'integer))))
(defun sizes-anew (n)
  (dotimes (i (floor n 50))
    (remove-method #'size *method*)
    (add-method #'size *method*)
    (setf *sink* (size i))))
(defun sizes (n) (dotimes (i n) (setf *sink* (size i))))

;;; The live objects after collections grow over time, or fall once. This takes long compared with
;;; everything before, so that it is visible in any part of the time.
(defvar *held* nil)
(defun hold (bytes) (push (make-array bytes :element-type 'base-char) *held*))

(defvar *in-turn* nil)
(defun hold-words (bytes) (push (make-array (floor bytes 2) :element-type '(signed-byte 16)) *held*))
(defun hold-octets (bytes) (push (make-array bytes :element-type '(unsigned-byte 8)) *held*))
(defun hold-in-turn (bytes)
  (if (setf *in-turn* (not *in-turn*)) (hold-words bytes) (hold-octets bytes)))

(defun hold-on (rounds falls &optional (hold #'hold))
  (let* ((begin (get-internal-real-time)) (time (max (* 9 begin) (* 2 internal-time-units-per-second)))
         (done 0))
    (loop for gone = (- (get-internal-real-time) begin)
          while (< gone time)
          do (let ((wanted (floor (* rounds gone) time)))
               (when (and falls (> done (floor rounds 2)))
                 (setf *held* nil falls nil))
               (loop while (< done wanted) do (funcall hold 40000) (incf done))
               (si:gc t)
               (sleep 0.01)))))

(defun grow (n) (hold-on (floor n 50) nil))
(defun grow-in-two (n) (hold-on (floor n 50) nil #'hold-in-turn))
(defun grow-and-fall (n) (hold-on (floor n 50) t))
;;;; SPDX-License-Identifier: MIT
