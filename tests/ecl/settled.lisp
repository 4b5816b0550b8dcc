;;;; settled.lisp -- old conses next to each other. Every second one is dropped. The new conses in
;;;; their places are kept, and later dropped.

(defvar *even* (make-array 20000))
(defvar *odd* (make-array 20000))
(defvar *late* (make-array 10000))
(declaim (notinline make-even make-odd make-late))

(defun make-even (i) (setf (aref *even* i) (cons i nil)) t)
(defun make-odd (i) (setf (aref *odd* i) (cons i nil)) t)
(defun make-late (i) (setf (aref *late* i) (cons i nil)) t)

(defun clobber (n)
  "Overwrites what earlier calls left on the stack."
  (let ((a (make-array 100 :initial-element n)))
    (if (zerop n) (length a) (+ 1 (clobber (1- n))))))
(defun collect (n)
  (clobber 200)
  (dotimes (i n t) (si::gc t)))

(dotimes (i 20000) (make-even i) (make-odd i))
(collect 6)
(fill *odd* nil)
(collect 3)
(dotimes (i 10000) (make-late i))
(collect 1)
(fill *late* nil :end 5000)
(collect 6)
(fill *late* nil :start 5000)
(collect 1)
;;;; SPDX-License-Identifier: MIT
