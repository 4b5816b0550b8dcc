;;;; nested.lisp -- compiles other things while it is compiled.

(defun before (x)
  (list x))
(eval-when (:compile-toplevel)
  (let ((*standard-output* (make-broadcast-stream)))
    (compile-file "readtables.lisp" :output-file "inner.fas")
    (compile nil '(lambda (x) (list x x)))))
(defmacro at-compile-time (x)
  (funcall (compile nil '(lambda (y) (list 'list y y))) x))
(defun after (x)
  (at-compile-time (cons x
                         x)))
#.(progn (compile nil '(lambda (x) (list x x)))
         '(defun dotted (x) (list x)))
(let ((shared (list 1)))
  (defun closed-over (x)
    (list x
          shared)))
