;;;; package.lisp -- a small test framework that prints TAP, and functions that the tests share.

(defpackage #:mprof-tests
  (:use #:common-lisp)
  (:export #:run-tests))

(in-package #:mprof-tests)

(defvar *tests* '() "Names of all tests, the last one first.")
(defvar *count* 0 "How many checks were made.")
(defvar *failures* 0 "How many checks failed.")

(defvar *outside* (mprof:profiling-p)
  "Whether the tests run under mprof run. Then forms join its recording, which never ends.")

(defmacro define-test (name &body body)
  `(progn (defun ,name () ,@body)
          (pushnew ',name *tests*)))

(defun note (good text &rest details)
  "Prints a line of TAP for the check TEXT, with DETAILS if it is not GOOD. Returns GOOD."
  (incf *count*)
  (unless good
    (incf *failures*))
  (format t "~:[not ok~;ok~] ~D - ~A~%~{# ~A~%~}" good *count* text (if good '() details))
  good)

(defmacro check (text form)
  "Checks that FORM is true."
  `(note ,form ,text ,(format nil "false: ~S" form)))

(defmacro check-is (text got expected &optional (test ''equal))
  "Checks that GOT is equal to EXPECTED by TEST."
  (let ((a (gensym)) (b (gensym)))
    `(let ((,a ,got) (,b ,expected))
       (note (funcall ,test ,a ,b) ,text (format nil "got ~S, expected ~S" ,a ,b)))))

(defmacro check-signals (text condition &body body)
  "Checks that BODY signals CONDITION, whose report can be printed. Returns the condition."
  (let ((c (gensym)))
    `(let ((,c (handler-case (progn ,@body nil)
                 (,condition (c) c))))
       (note (and ,c (plusp (length (princ-to-string ,c)))) ,text "not signalled")
       ,c)))

(defun run-test (name)
  (handler-case (funcall name)
    (error (condition)
      (note nil (format nil "~(~A~) runs to its end" name) (princ-to-string condition)))))

(defun run-tests ()
  "Runs all tests. Signals an error if a check failed."
  (setf *count* 0 *failures* 0)
  (mapc #'run-test (reverse *tests*))
  (format t "1..~D~%" *count*)
  (unless (zerop *failures*)
    (error "~D of ~D checks failed." *failures* *count*)))

(defvar *folder* (or (ext:getenv "TMPDIR") "/tmp")
  "The directory in which tests may write files.")

;;; Functions whose consing is known

(declaim (notinline make-pairs make-points make-floats nothing))

(defstruct point x y)

(defun make-pairs (n)
  "Makes N conses."
  (let ((list '()))
    (dotimes (i n list)
      (setf list (cons i list)))))

(defun make-points (n)
  "Makes a vector and N structures of 80 bytes, which it contains."
  (let ((points (make-array n)))
    (dotimes (i n points)
      (setf (svref points i) (make-point)))))

(defvar *one* 1d0 "A variable, because some ECLs allocate a constant float at each use.")

(defun make-floats (n)
  "Makes N double floats, and returns the last one."
  (let ((x *one*))
    (dotimes (i n x)
      (setf x (identity-of (+ x *one*))))))

(declaim (notinline identity-of))
(defun identity-of (x) x)

(defun nothing () nil)

(defun figures (function &rest arguments)
  "Returns a list of the bytes and objects that FUNCTION allocates."
  (subseq (multiple-value-list (mprof:run function :arguments arguments :threads :current)) 0 2))

(defun report-of (&rest arguments)
  "Returns the report as a string."
  (with-output-to-string (stream)
    (apply #'mprof:report :stream stream arguments)))

(defun single-spaced (text)
  "Returns TEXT with a single blank in place of several ones."
  (with-output-to-string (out)
    (loop for before = #\x then char
          for char across text
          unless (char= before char #\Space)
            do (write-char char out))))

(defun line-with (text report)
  "Returns the first line of REPORT that ends with TEXT, or NIL if there is none."
  (with-input-from-string (stream report)
    (loop for line = (read-line stream nil)
          while line
          when (let ((at (search text line :from-end t)))
                 (and at (= (+ at (length text)) (length (string-right-trim " " line)))))
            return line)))

(defun first-number (line)
  (and line (parse-integer (string-left-trim " " line) :junk-allowed t)))

(defun objects-of (function type &optional (count #'mprof:site-objects))
  "Returns the sum of COUNT over the sites of TYPE whose chains contain FUNCTION, both strings."
  (let ((sum 0))
    (mprof:map-sites (lambda (site)
                       (when (and (string= (mprof:site-type site) type)
                                  (member function (mprof:site-functions site) :test #'string=))
                         (incf sum (funcall count site)))))
    sum))
;;;; SPDX-License-Identifier: MIT
