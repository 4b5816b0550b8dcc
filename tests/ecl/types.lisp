;;;; types.lisp -- makes known numbers of objects of every type, each in its own compiled function.
;;;; The functions return something else, so that there are no tail calls.

(defstruct point x y)
(defclass thing () ((a :initarg :a) (b :initarg :b) c))
(defvar *sink*)
;;; Variables, because later versions of ECL would make an object at each use of a constant here.
(defvar *half* 0.5d0)
(defvar *single-half* 0.5f0)
(defconstant +n+ 100000)

(defmacro deftimes (name form &optional (n '+n+))
  `(defun ,name () (dotimes (i ,n t) (setf *sink* ,form))))

(deftimes make-conses (cons i i))
(deftimes make-doubles (+ *half* i))
(deftimes make-singles (+ *single-half* i))
(deftimes make-ratios (/ (1+ (* 2 i)) 2))
(deftimes make-complexes (complex i 1))
(deftimes make-complex-doubles (complex (* 1d0 i) 1d0))
(deftimes make-points (make-point :x i :y i))
(deftimes make-things (allocate-instance (find-class 'thing)))
(deftimes make-strings (make-string 10))
(deftimes make-base-strings (make-string 10 :element-type 'base-char))
(deftimes make-bignums (* i most-positive-fixnum 4))
(deftimes make-tables (make-hash-table) 1000)
(deftimes make-closures (let ((j i)) (lambda () (incf j))))
(deftimes make-symbols (make-symbol "X"))
(deftimes make-vectors (make-array 5))
(deftimes make-byte-vectors (make-array 5 :element-type '(unsigned-byte 8)))
(deftimes make-double-vectors (make-array 5 :element-type 'double-float))
(deftimes make-bit-vectors (make-array 100 :element-type 'bit))
(deftimes make-matrices (make-array '(2 2)))

(defun interns ()
  (dotimes (i 1000 t)
    (intern (format nil "INTERNED-~D" i) "CL-USER")))

(defun in-threads ()
  (let ((threads (loop repeat 4 collect (mp:process-run-function 'maker #'make-conses))))
    (mapc #'mp:process-join threads)
    t))

(make-conses) (make-doubles) (make-singles) (make-ratios) (make-complexes) (make-complex-doubles)
(make-points) (make-things) (make-strings) (make-base-strings) (make-bignums) (make-tables)
(make-closures) (make-symbols) (make-vectors) (make-byte-vectors) (make-double-vectors)
(make-bit-vectors) (make-matrices) (interns) (in-threads)
;;;; SPDX-License-Identifier: MIT
