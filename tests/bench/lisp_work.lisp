;;;; lisp_work.lisp -- what the benchmark of recording ECL runs: one function for each workload.

(defpackage :work (:use :cl))
(in-package :work)

(defvar *sink*)

(defun cons-many (n)
  (declare (fixnum n))
  (dotimes (i n t) (setf *sink* (cons i nil))))
(defun deep (depth n)
  (declare (fixnum depth n))
  (if (zerop depth) (cons-many n) (not (not (deep (1- depth) n)))))
(defun conses ()
  "20,000,000 conses under 30 frames."
  (deep 30 20000000))

(defun doubles ()
  "10,000,000 boxed double floats."
  (let ((sum 0d0))
    (dotimes (i 10000000 t)
      (setf sum (+ (the double-float sum) 1d0)
            *sink* sum))))

(defstruct point x y)
(defun structures ()
  "3,000,000 structures of two slots."
  (dotimes (i 3000000 t) (setf *sink* (make-point :x i :y i))))

(defclass thing () ((a :initarg :a) (b :initarg :b)))
(defun instances ()
  "300,000 calls of make-instance."
  (dotimes (i 300000 t) (setf *sink* (make-instance 'thing :a i :b i))))

(defun keep ()
  "5,000,000 conses that are kept, and 20 full collections."
  (let ((list nil))
    (dotimes (i 5000000) (push i list))
    (setf *sink* list)
    (dotimes (i 20 t) (si::gc t))))

(defun runaway (n)
  (declare (fixnum n))
  (setf *sink* (cons n nil))
  (not (runaway (1+ n))))
(defun overflow ()
  "Recursion with a cons in each frame until STACK-OVERFLOW."
  (handler-case (runaway 0) (ext:stack-overflow () t)))

(defun grow (n)
  (declare (fixnum n))
  (if (zerop n) nil (cons (grow (1- n)) (grow (1- n)))))
(defun trees ()
  "Ten binary trees of 17 levels, built recursively."
  (dotimes (i 10 t) (setf *sink* (grow 17))))

(defun library (package name &rest arguments)
  (apply (find-symbol name package) arguments))

(defun text (n)
  (with-output-to-string (s)
    (dotimes (i n) (format s "line ~D: name~D@example~D.org, ~D~%" i i (mod i 7) (* i i)))))

(defvar *text*)
(defun ppcre ()
  "cl-ppcre: three scans of a text of 4 MB."
  (dotimes (k 3 t)
    (library :cl-ppcre "ALL-MATCHES-AS-STRINGS" "\\w+@[a-z0-9]+\\.org, [0-9]+7" *text*)))

(defvar *csv*)
(defun csv ()
  "cl-csv: a table of 15,000 rows."
  (length (library :cl-csv "READ-CSV" *csv*)))

(defvar *document*)
(defun cxml ()
  "cxml: a document of 20,000 elements."
  (length (library :cxml "PARSE" *document* (library :cxml-xmls "MAKE-XMLS-BUILDER"))))

(defun prepare (name)
  (case name
    (ppcre (setf *text* (text 100000)))
    (csv (setf *csv* (with-output-to-string (s)
                       (dotimes (i 15000) (format s "~D,\"name ~D\",~D~%" i i (* i i))))))
    (cxml (setf *document*
                (with-output-to-string (s)
                  (format s "<root>~%")
                  (dotimes (i 20000) (format s "<item number='~D'>text <b>~D</b></item>~%" i i))
                  (format s "</root>~%"))))))

;; Of all threads, those among them by which libgc marks.
(ffi:clines "#include <time.h>")
(defun processor-time ()
  (ffi:c-inline () () :double "(double)clock() / CLOCKS_PER_SEC" :one-liner t))

(defun seconds (function)
  (let ((start (processor-time)))
    (funcall function)
    (- (processor-time) start)))
