;;;; twins.lisp -- functions that gcc finds to be equal. Each makes conses; nothing else allocates.

(defvar *sink*)

;;; gcc replaces the second function by a jump. It gets its name after the first one was on a chain.
(defun early-a (n) (dotimes (i n n) (setf *sink* (cons i n))))
(early-a 5)
(defun early-b (n) (dotimes (i n n) (setf *sink* (cons i n))))

;;; More functions than a report shows.
(defun many-a (n m) (dotimes (i n n) (setf *sink* (cons m i))))
(defun many-b (n m) (dotimes (i n n) (setf *sink* (cons m i))))
(defun many-c (n m) (dotimes (i n n) (setf *sink* (cons m i))))
(defun many-d (n m) (dotimes (i n n) (setf *sink* (cons m i))))
(defun many-e (n m) (dotimes (i n n) (setf *sink* (cons m i))))

;;; Local functions, for which ECL has no object.
(defun outer-a (n)
  (labels ((walk (x) (setf *sink* (cons x n)) (if (zerop x) 0 (+ 1 (walk (1- x))))))
    (+ (walk n) 1)))
(defun outer-b (n)
  (labels ((step-down (x) (setf *sink* (cons x n)) (if (zerop x) 0 (+ 1 (step-down (1- x))))))
    (* (step-down n) 2)))

;;; Methods.
(defgeneric visit (thing n))
(defmethod visit ((thing integer) n)
  (dotimes (i n) (setf *sink* (cons n thing)) (setf *sink* (cons thing n))) n)
(defmethod visit ((thing symbol) n)
  (dotimes (i n) (setf *sink* (cons n thing)) (setf *sink* (cons thing n))) n)

;;; Small functions: gcc keeps a copy of the second one.
(defun small-a (n) (declare (optimize (safety 1))) (setf *sink* (cons n n)) 1)
(defun small-b (n) (declare (optimize (safety 1))) (setf *sink* (cons n n)) 1)

;;; Not equal.
(defun alone (n) (dotimes (i n n) (setf *sink* (cons i (cons i n)))))

;;; JUMPER ends with a jump to BASE, but is not equal to it.
(defun base (n) (dotimes (i n) (setf *sink* (cons n i)) (setf *sink* (cons i i))) n)
(defun jumper (n) (declare (optimize (safety 0) (speed 3))) (base n))

;;; Another name for the same object.
(setf (fdefinition 'alias) #'alone)
;;;; SPDX-License-Identifier: MIT
