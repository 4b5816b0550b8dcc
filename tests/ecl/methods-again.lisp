;;; Methods of a first recording die before the second one. Their memory is reused for objects that
;;; look like instances whose slots are at an invalid address.
(defvar *kept* '())

(defun define-methods (n)
  (dotimes (i n)
    (eval `(defmethod wave ((x (eql ,i))) (make-array 3)))))

(defun remove-methods ()
  (dolist (method (clos:generic-function-methods #'wave))
    (remove-method #'wave method))
  (fmakunbound 'wave)
  (setf * nil ** nil *** nil / nil // nil /// nil))

(defun deep (n)
  (if (zerop n) 0 (1+ (deep (1- n)))))

(mprof:with-profiling ()
  (define-methods 200)
  (dotimes (i 200) (wave i)))
(remove-methods)
(deep 1000)
(loop repeat 3 do (si::gc t))
(loop repeat 100000
      do (push (make-array 8 :initial-element (code-char 7)) *kept*))
(mprof:with-profiling (:file "second.mprof")
  (define-methods 10)
  (eval '(defun salute (x) (make-array x)))
  (dotimes (i 100) (salute i))
  (dotimes (i 10) (wave i)))
(print :done)
(terpri)
(ext:quit 0)
;;;; SPDX-License-Identifier: MIT
