;;;; sampled.lisp -- makes the same objects again and again, each time in a recording of its own.
;;;;
;;;; (RUN PREFIX COUNT &OPTIONAL SAMPLE) makes the recordings PREFIX.1 to PREFIX.COUNT. There are small and large objects,
;;;; with and without blocks that belong to them, some of which are kept. (IN-THREADS N) makes the objects in N threads.

(defpackage :sampled (:use :cl) (:export #:run #:work #:in-threads #:in-two-parts))
(in-package :sampled)

(defvar *kept* nil)
(defstruct point x y)
(defclass thing () ((a :initarg :a) (b :initarg :b)))

(declaim (notinline conses kept-conses points things vectors large-vectors strings floats closures))
(defun conses (n &aux sink)
  (dotimes (i n sink) (setf sink (cons i nil))))
(defun kept-conses (n)
  (dotimes (i n) (push i *kept*)))
(defun points (n &aux sink)
  (dotimes (i n sink) (setf sink (make-point :x i :y n))))
(defun things (n &aux sink)
  (dotimes (i n sink) (setf sink (make-instance 'thing :a i :b n))))
(defun vectors (n &aux sink)
  (dotimes (i n sink) (setf sink (make-array 30))))
(defun large-vectors (n &aux sink)
  (dotimes (i n sink) (setf sink (make-array 3000))))
(defun strings (n)
  (dotimes (i n) (push (make-string 50) *kept*)))
(defun floats (n &aux (sum 1d0))
  (dotimes (i n sum) (setf sum (funcall #'+ sum 1d0))))
(defun closures (n &aux sink)
  (dotimes (i n sink) (let ((j i)) (setf sink (lambda () (incf j))))))

(defun work ()
  (conses 10000)
  (kept-conses 2000)
  (points 2000)
  (things 200)
  (vectors 500)
  (large-vectors 20)
  (strings 300)
  (floats 3000)
  (closures 400)
  nil)

;;; Everything is collected that is not kept.
(defun run (prefix count &optional sample)
  (work)
  (loop for i from 1 to count
        do (setf *kept* nil)
           (si::gc t)
           (mprof:with-profiling (:file (format nil "~A.~D" prefix i) :sample sample)
             (work)
             (si::gc t))))

(defun in-threads (n)
  (mapc #'mp:process-join
        (loop repeat n collect (mp:process-run-function "worker" #'work))))

(defun in-two-parts ()
  (work)
  (mprof:checkpoint "half")
  (conses 5000))

;;;; SPDX-License-Identifier: MIT
