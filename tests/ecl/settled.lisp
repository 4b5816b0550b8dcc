;;;; settled.lisp -- old conses that lie beside each other: every other one is dropped, and what comes in
;;;; their places is kept, and dropped.

(defvar *even* (make-array 20000))
(defvar *odd* (make-array 20000))
(defvar *late* (make-array 10000))
(declaim (notinline make-even make-odd make-late))

(defun make-even (i) (setf (aref *even* i) (cons i nil)) t)
(defun make-odd (i) (setf (aref *odd* i) (cons i nil)) t)
(defun make-late (i) (setf (aref *late* i) (cons i nil)) t)

(defun clobber (n)
  "Leave nothing of old frames on the stack."
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
