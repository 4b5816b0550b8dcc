;;;; overflow.lisp -- endless recursion, twice, after which the program goes on. Prints its conses.

(defvar *sink*)
(defvar *calls* 0)
(declaim (type fixnum *calls*))

(defun runaway (n)
  (declare (type fixnum n))
  (setf *sink* (cons n nil))
  (incf *calls*)
  (not (runaway (1+ n))))

(defun overflow ()
  (handler-case (runaway 0)
    (ext:stack-overflow () :overflow)))

(defun afterwards (n)
  (dotimes (i n) (setf *sink* (cons i nil))))

(dotimes (i 2)
  (format t "~A~%" (overflow)))
(afterwards 1000)
(format t "RUNAWAY ~D~%" *calls*)
;;;; SPDX-License-Identifier: MIT
