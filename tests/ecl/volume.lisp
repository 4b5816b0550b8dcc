;;;; volume.lisp -- makes VOLUME_COUNT objects (default: 100 MB) of each type in VOLUME_TYPE, which is
;;;; names with blanks between them (default: all).

(defstruct point x y)
(defclass thing () ((a :initarg :a) (b :initarg :b) c))
(defvar *sink*)
(defvar *makers* '())

(defmacro defvolume (type count form)
  "Defines a function that makes objects of TYPE by FORM. COUNT objects have more than 100 MB."
  (let ((name (intern (format nil "MAKE-~A-OBJECTS" type))))
    `(progn
       (defun ,name (n)
         (let ((sum 0))
           (declare (type fixnum sum n))
           (dotimes (i n sum) (setf *sink* ,form) (incf sum))))
       (push (list ',type ',name ,count) *makers*))))

(defvolume cons 7000000 (cons i i))
(defvar *half* 0.5d0)                   ; later ECLs make an object at each use of a constant
(defvolume double 7000000 (+ *half* i))
(defvolume ratio 3500000 (/ (1+ (* 2 i)) 2))
(defvolume structure 1500000 (make-point :x i :y i))
(defvolume instance 450000 (make-instance 'thing :a i))
(defvolume string 1200000 (make-string 10))
(defvolume base-string 1400000 (make-string 10 :element-type 'base-char))
(defvolume large-string 100 (make-string 300000))
(defvolume bignum 1500000 (* i most-positive-fixnum 4))
(defvolume large-bignum 2000 (ash 1 (+ 400000 i)))
(defvolume table 7000 (make-hash-table))
(defvolume closure 1800000 (let ((j i)) (lambda () (incf j))))
(defvolume symbol 900000 (make-symbol "X"))
(defvolume interned 100000 (intern (format nil "I-~D" i)))
(defvolume vector 1100000 (make-array 5))
(defvolume byte-vector 1500000 (make-array 5 :element-type '(unsigned-byte 8)))
(defvolume double-vector 1000000 (make-array 5 :element-type 'double-float))
(defvolume adjustable 1100000 (make-array 5 :adjustable t :fill-pointer 0))
(defvolume matrix 1100000 (make-array '(2 2)))
(defvolume bit-vector 1500000 (make-array 100 :element-type 'bit))
(defvolume stream 150000 (make-string-output-stream))
(defvolume printed 150000 (prin1-to-string i))
(defvolume read 120000 (read-from-string "(a (b . 2.5d0) #(1 2) \"x\" :key)"))

(defun make-threads (n)
  (let ((threads (loop repeat 4
                       collect (mp:process-run-function
                                'maker (lambda ()
                                         (make-cons-objects n)
                                         (make-structure-objects (floor n 4))
                                         (make-string-objects (floor n 5)))))))
    (mapc #'mp:process-join threads)
    n))
(push '(threads make-threads 800000) *makers*)

(let* ((types (format nil " ~@[~A ~]" (ext:getenv "VOLUME_TYPE")))
       (count (ext:getenv "VOLUME_COUNT"))
       (makers (reverse *makers*)))
  (flet ((wanted (maker)
           (search (format nil " ~A " (first maker)) types :test #'char-equal)))
    (dolist (maker (or (remove-if-not #'wanted makers) makers))
      (funcall (second maker) (if count (parse-integer count) (third maker))))))
;;;; SPDX-License-Identifier: MIT
