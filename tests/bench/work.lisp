;;;; work.lisp -- what the benchmarks of ECL run: a function for each workload and for each heap, and a function that
;;;; measures one. Environment: MODULE, the file mprof.fas; CACHE, where compiled libraries are.

(defpackage :work (:use :cl))
(in-package :work)

;; The processor time of all threads, also of those by which libgc marks.
(ffi:clines "#include <time.h>")
(defun processor-time ()
  (ffi:c-inline () () :double "(double)clock() / CLOCKS_PER_SEC" :one-liner t))

(defun real-time ()
  (/ (get-internal-real-time) (float internal-time-units-per-second 1d0)))

;;; Returns the seconds of CLOCK that FORM takes.
(defmacro seconds (clock form)
  `(let ((start (,clock)))
     ,form
     (- (,clock) start)))

(defun call (package name &rest arguments)
  (apply (find-symbol (string name) package) arguments))

;;; ---------------------------------------------------------------- workloads

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

(defvar *text*)

(defun ppcre ()
  "cl-ppcre: three scans of a text of 4 MB."
  (dotimes (k 3 t)
    (call :cl-ppcre "ALL-MATCHES-AS-STRINGS" "\\w+@[a-z0-9]+\\.org, [0-9]+7" *text*)))
(defun csv ()
  "cl-csv: a table of 15,000 rows."
  (length (call :cl-csv "READ-CSV" *text*)))
(defun cxml ()
  "cxml: a document of 20,000 elements."
  (length (call :cxml "PARSE" *text* (call :cxml-xmls "MAKE-XMLS-BUILDER"))))

;;; Returns N lines. The arguments of CONTROL are the line's number, the same modulo 7, and its square.
(defun lines (n control)
  (with-output-to-string (s)
    (dotimes (i n) (format s control i (mod i 7) (* i i)))))

;;; Returns the library that the workload NAME needs, and its text.
(defun needs-of (name)
  (ecase name
    (ppcre (values "cl-ppcre" (lines 100000 "line ~D: name~:*~D@example~D.org, ~D~%")))
    (csv (values "cl-csv" (lines 15000 "~D,\"name ~:*~D\",~*~D~%")))
    (cxml (values "cxml" (format nil "<root>~%~A</root>~%"
                                 (lines 20000 "<item number='~D'>text <b>~:*~D</b></item>~%"))))))

(defun prepare (name)
  (multiple-value-bind (system text) (needs-of name)
    (setf *text* text)
    (require :asdf)
    (call :asdf "INITIALIZE-OUTPUT-TRANSLATIONS"
          `(:output-translations (t (,(pathname (ext:getenv "CACHE")) :implementation))
                                 :ignore-inherited-configuration))
    (call :asdf "INITIALIZE-SOURCE-REGISTRY"
          '(:source-registry (:also-exclude "cl-asdf")
            (:tree #p"/usr/share/common-lisp/source/") :ignore-inherited-configuration))
    (call :asdf "LOAD-SYSTEM" system)))

;;; Runs the workload NAME and prints its seconds. MODE is :bare, :attached or :detached. NEEDS is true if the workload
;;; needs a library.
(defun measure (name mode needs)
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream)))
    (when needs (prepare name))
    (unless (eq mode :bare) (load (ext:getenv "MODULE"))))
  (si::gc t)
  (unless (eq mode :bare) (call :mprof "START-PROFILING" :file "attached.data"))
  (when (eq mode :detached) (call :mprof "STOP-PROFILING"))
  (format t "~,6F~%" (seconds processor-time (funcall name)))
  (finish-output)
  (ext:quit 0))

;;; ---------------------------------------------------------------- heaps

(defvar *kept* nil)
(defstruct node number next list kept)

(defun many-conses ()
  "lists of fixnums, in the order in which they were made"
  (loop repeat 80 collect (loop for i below 150000 collect i)))
(defun shuffled ()
  "one list whose conses are anywhere"
  (let* ((n 3000000) (all (make-array n)))
    (dotimes (i n) (setf (aref all i) (cons i nil)))
    (loop for i from (1- n) downto 1 do (rotatef (aref all i) (aref all (random (1+ i)))))
    (dotimes (i (1- n) (aref all 0)) (setf (cdr (aref all i)) (aref all (1+ i))))))
(defun strings ()
  "a vector of strings of 12 characters"
  (let ((all (make-array 1500000)))
    (dotimes (i (length all) all)
      (setf (aref all i) (make-string 12 :initial-element #\a)))))
(defun nodes ()
  "structures, each with the last one and a list"
  (let ((last nil))
    (dotimes (i 1500000 last)
      (setf last (make-node :number i :next last :list (list i) :kept *kept*)))))
(defun tables ()
  "hash tables of 1,000 lists each"
  (loop repeat 2000
        collect (let ((table (make-hash-table)))
                  (dotimes (i 1000 table) (setf (gethash i table) (list i))))))

;;; Makes the heap NAME. Prints the seconds of RUNS full collections, and takes as many snapshots without a copy of the
;;; process (place.N.heap) and with one (copy.N.heap).
(defun snapshots (name runs)
  (load (ext:getenv "MODULE"))
  (setf *kept* (funcall name))
  (si::gc t)
  (format t "~{~F ~}~%" (loop repeat runs collect (seconds real-time (si::gc t))))
  (finish-output)
  (dotimes (i runs)
    (call :mprof "HEAP-SNAPSHOT" :file (format nil "place.~D.heap" i) :fork nil)
    (call :mprof "HEAP-SNAPSHOT" :file (format nil "copy.~D.heap" i)))
  (ext:quit 0))
;;;; SPDX-License-Identifier: MIT
