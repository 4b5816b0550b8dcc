;;;; odd-names.lisp -- functions with names of every kind, each of which makes conses.

(defpackage :other (:use :cl) (:export #:exported #:generic))
(defpackage "lower" (:use :cl))
(defvar *sink*)
(defmacro here (x) `(progn (setf *sink* (cons ,x ,x)) ,x))

;;; Symbols

(declaim (notinline |two words| |lower case| |semi;colon| |Größe| |日本語| |back\\slash| |pi\|pe| |a:b|
                    |123| :keyword other::internal other:exported |lower|::f |lower|::|f|
                    (setf |odd|) (setf other::place) wide |line
break|))
(defun |two words| (n) (here n) 1)
(defun |lower case| (n) (here n) 2)
(defun |lower|::f (n) (here n) 3)
(defun |lower|::|f| (n) (here n) 4)
(defun |semi;colon| (n) (here n) 5)
(defun |line
break| (n) (here n) 6)
(defun |Größe| (n) (here n) 7)
(defun |日本語| (n) (here n) 8)
(defun |pi\|pe| (n) (here n) 9)
(defun |back\\slash| (n) (here n) 10)
(defun |a:b| (n) (here n) 11)
(defun |123| (n) (here n) 12)
(defun :keyword (n) (here n) 13)
(defun other::internal (n) (here n) 14)
(defun other:exported (n) (here n) 15)
(defun (setf |odd|) (value n) (here n) (+ value 16))
(defun (setf other::place) (value n) (here n) (+ value 17))

;;; Local functions

(declaim (notinline outer-one outer-two nested lambdas))
(defun outer-one (n)
  (labels ((same (x) (here x) (if (zerop x) 18 (+ 1 (same (1- x))))))
    (+ 1 (same n))))
(defun outer-two (n)
  (labels ((same (x) (here x) (if (zerop x) 19 (+ 2 (same (1- x))))))
    (+ 2 (same n))))
(defun nested (n)
  (flet ((middle (x)
           (labels ((innermost (y) (here y) (if (zerop y) 20 (+ 3 (innermost (1- y))))))
             (here x)
             (+ 4 (innermost x)))))
    (declare (notinline middle))
    (+ 5 (middle n) (middle 1))))
(defun lambdas (n) (+ 6 (funcall (lambda (x) (here x) (+ 7 (length (mapcar (lambda (y) (here y) 21) (list n))))) n)))
(let ((shared (list 22)))
  (defun over-variable (n) (here n) (incf (car shared)) 22))

;;; Macros, types, structures, conditions

(defmacro macro (x) (here 23) `(list ,x 23))
(define-compiler-macro with-compiler-macro (x) (here 24) `(list ,x 24))
(deftype odd-type (n) (here 25) `(mod ,(+ n 25)))
(defstruct (thing (:constructor make-thing) (:constructor build-thing (a &aux (b (list a)))))
  a (b (list 26)))
(define-condition complaint (error) ((n :initarg :n))
  (:report (lambda (c stream) (here 27) (format stream "~A" (slot-value c 'n)))))
(define-modify-macro conc-it (x) append)
(defsetf defset (a) (value) (here 28) `(list ,a ,value))

;;; Generic functions

(defgeneric generic (a &optional b))
(defmethod generic ((a string) &optional b) (here b) 29)
(defmethod generic ((a (eql :key)) &optional b) (here b) 30)
(defmethod generic ((a (eql 'sym)) &optional b) (here b) 31)
(defmethod generic ((a null) &optional b) (here b) 32)
(defmethod generic ((a thing) &optional b)
  (labels ((helper (x) (here x) (if (zerop x) 33 (+ 8 (helper (1- x))))))
    (+ 9 (helper 3))))
(defmethod generic :before ((a thing) &optional b) (here b) 34)
(defmethod generic :after ((a thing) &optional b) (here b) 35)
(defgeneric other:generic (a) (:method-combination list))
(defmethod other:generic list ((a integer)) (here a) 36)
(defmethod other:generic list ((a number)) (here a) 37)
(defgeneric (setf generic) (value a))
(defmethod (setf generic) (value (a thing)) (here value) 38)
(defclass point () ((x :initarg :x :accessor point-x :initform (list 39))))
(defmethod initialize-instance :after ((p point) &key) (here 40) 40)
(defmethod print-object ((p point) stream) (here 41) (write-string "point" stream))

(defun run ()
  (|two words| 1) (|lower case| 1) (|lower|::f 1) (|lower|::|f| 1) (|semi;colon| 1)
  (|line
break| 1)
  (|Größe| 1) (|日本語| 1) (|pi\|pe| 1) (|back\\slash| 1) (|a:b| 1) (|123| 1) (:keyword 1)
  (other::internal 1) (other:exported 1) (setf (|odd| 1) 1) (setf (other::place 1) 1)
  (outer-one 3) (outer-two 3) (nested 2) (lambdas 1) (over-variable 1)
  (macroexpand '(macro 1)) (funcall (compiler-macro-function 'with-compiler-macro)
                                    '(with-compiler-macro 1) nil)
  (typep 3 '(odd-type 3)) (make-thing :a 1) (build-thing 1)
  (princ-to-string (make-condition 'complaint :n 1)) (macroexpand '(setf (defset 1) 2))
  (generic "x" 1) (generic :key 1) (generic 'sym 1) (generic nil 1) (generic (make-thing) 1)
  (other:generic 1) (setf (generic (make-thing)) 1) (princ-to-string (make-instance 'point))
  t)
;;;; SPDX-License-Identifier: MIT
