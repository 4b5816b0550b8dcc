;;;; readtables.lisp -- changes its readtable while it is compiled, and *MACROEXPAND-HOOK*.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (set-macro-character #\[ (lambda (stream char)
                             (declare (ignore char))
                             (cons 'list (read-delimited-list #\] stream t))))
  (set-macro-character #\] (get-macro-character #\))))
(defun bracket (x)
  [x
   (cons x x)])

(eval-when (:compile-toplevel)
  (setf *readtable* (copy-readtable))
  (set-macro-character #\! (lambda (stream char)
                             (declare (ignore char))
                             (list 'vector (read stream t nil t)))))
(defun bang (x)
  (list #.(list '+ 1 2) !x
        !(cons x x)))

(eval-when (:compile-toplevel)
  (setf *readtable* (copy-readtable nil))
  (setf *macroexpand-hook* (lambda (function form environment)
                             (incf (get 'cl-user::expansions 'cl-user::number 0))
                             (funcall function form environment))))
#.(progn (set-macro-character #\~ (lambda (stream char)
                                    (declare (ignore char))
                                    (list 'cons (read stream t nil t) 1)))
         (values))
(defun tilde (x)
  (when x
    (list ~x
          ~(list x))))
(in-package :si)
(defun cl-user::elsewhere (x)
  (cl:list x
           x))
