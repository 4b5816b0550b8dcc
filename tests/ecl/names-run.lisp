;;;; names-run.lisp -- calls the functions of names.lisp, from compiled and interpreted functions.

(load "names.fas")
(all)
(defun interpreted (n) (setf *sink* (cons n n)) (1+ (plain n)))
(defun mixed (n) (if (zerop n) 0 (progn (plain n) (1+ (with-callback #'mixed n)))))
(defun with-callback (function n) (+ 0 (funcall function (1- n))))
(compile 'with-callback)
(interpreted 1)
(mixed 5)
(setf *sink* (cons 1 2))
;;;; SPDX-License-Identifier: MIT
