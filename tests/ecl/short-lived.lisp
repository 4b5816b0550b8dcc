;;;; short-lived.lisp -- interpreted functions that die before the next ones are made in the same
;;;; memory. FUNCTION-N is called N times, always from the same place.

(defvar *sink*)
(defun clobber (n)
  "Overwrites what earlier calls left on the stack."
  (let ((a (make-array 100 :initial-element n)))
    (if (zerop n) (length a) (+ 1 (clobber (1- n))))))
(defun call (function n)
  (dotimes (i n t) (setf *sink* (funcall function i))))

(dotimes (round 10)
  (dotimes (i 20)
    (let ((n (+ 1 i (* 20 round))))
      (call (eval `(ext:lambda-block ,(intern (format nil "FUNCTION-~D" n)) (x) (cons x nil))) n)))
  (clobber 200)
  (si::gc t))
;;;; SPDX-License-Identifier: MIT
