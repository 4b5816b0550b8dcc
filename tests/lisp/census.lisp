;;;; census.lisp -- what HEAP counts: objects of classes whose numbers are known, their growth, and
;;;; what holds them.

(in-package #:mprof-tests)

(defclass record () ((left :initarg :left :initform nil) (right :initform nil)))
(defclass special-record (record) ())
(defclass lonely-record () ())
(defvar *records* nil)
(defvar *latest* nil)

(defun make-records (n class)
  (loop repeat n collect (make-instance class :left (list 1))))

(defun census (&rest arguments)
  "Returns the first value of HEAP."
  (values (apply #'mprof:heap :stream nil arguments)))

(defun row (census table key name)
  "Returns the row of TABLE with NAME in the column KEY."
  (find name (getf census table) :key (lambda (row) (getf row key)) :test #'equal))

(defun type-row (census class)
  (row census :types :type (format nil "MPROF-TESTS::~A" class)))

(defun about (number expected)
  "Returns whether NUMBER is EXPECTED, or one more or less. Such an object is the class's own,
or an older one to which a word on the stack still refers."
  (<= (- expected 1) number (+ expected 1)))

(defun pick (row &rest keys)
  (loop for key in keys collect (getf row key)))

(define-test census-of-everything
  (setf *records* nil *latest* nil)
  (multiple-value-bind (before mark) (mprof:heap :stream nil :max nil)
    (check "sums" (< 0 (getf before :objects) (getf before :bytes) (getf before :heap)))
    (check-is "tables" (loop for (key) on before by #'cddr collect key)
              (if *outside*
                  '(:objects :bytes :heap :types :packages :sites :roots)
                  '(:objects :bytes :heap :types :packages :roots)))
    (dolist (figure '(:objects :bytes))
      (check-is (format nil "~(~A~): the types' add up to the sum" figure)
                (reduce #'+ (getf before :types) :key (lambda (row) (getf row figure)))
                (getf before figure))
      (check-is (format nil "~(~A~): the packages', too" figure)
                (reduce #'+ (getf before :packages) :key (lambda (row) (getf row figure)))
                (getf before figure)))
    (setf *records* (make-records 100 'special-record))
    (let* ((after (census :max nil))
           (row (type-row after 'special-record))
           (package (row after :packages :package "MPROF-TESTS"))
           (root (row after :roots :root "MPROF-TESTS::*RECORDS*")))
      (check "instances since the last call" (about (getf row :objects-change) 100))
      (check-is "their bytes" (getf row :bytes-change) (* 80 (getf row :objects-change)))
      (check "and what they retain: a cons each" (about (/ (getf row :retained-change) 96) 100))
      (check-is "their package" (getf row :package) "MPROF-TESTS")
      (check "the package's objects" (<= 100 (getf package :objects-change) 110))
      (check "what the package holds" (<= 11200 (getf package :retained-change) 12000))
      (check-is "the root" (pick root :kind :package :retained-change)
                (list "value" "MPROF-TESTS" 11200))
      (check-is "sorted by retained bytes"
                (let ((retained (mapcar (lambda (row) (getf row :retained)) (getf after :types))))
                  (equal retained (sort (copy-list retained) #'>)))
                t))
    (let ((late (census :max nil :since mark :sort :growth)))
      (check "since a mark" (about (getf (type-row late 'special-record) :objects-change) 100))
      (check "the largest growth first"
             (< (position (type-row late 'special-record) (getf late :types)) 10)))
    (setf *records* nil)
    (check "gone again"
           (about (getf (type-row (census :max nil) 'special-record) :objects-change) -100))
    (check-is "no change" (getf (first (getf (census :since nil) :types)) :objects-change) nil)
    (check "a mark can be printed" (search "HEAP-MARK" (string-upcase (prin1-to-string mark))))
    (check-is "MAX" (length (getf (census :max 3) :types)) 3)))

(define-test census-of-a-class
  (setf *records* (coerce (make-records 50 'record) 'vector)
        *latest* (make-instance 'special-record))
  (census)
  (setf *records* (concatenate 'vector *records* (make-records 20 'record)))
  (let ((census (census :type 'record)))
    (check "new ones" (about (getf (type-row census 'record) :objects-change) 20))
    (check "with the classes below it" (plusp (getf (type-row census 'special-record) :objects)))
    (check-is "most are held by a variable"
              (pick (first (getf census :holders)) :objects :kind :root)
              '(70 "value" "MPROF-TESTS::*RECORDS*"))
    (check "one by another"
           (about (getf (row census :holders :root "MPROF-TESTS::*LATEST*") :objects) 1))
    (check-is "why: by the variable that holds most"
              (mapcar (lambda (step) (getf step :object)) (getf census :path))
              '("MPROF-TESTS::*RECORDS*" "(VECTOR T)" "(VECTOR T) data" "MPROF-TESTS::RECORD"))
    (check "what refers to them" (<= 70 (getf (row census :referrers :object "(VECTOR T) data")
                                              :references)))
    (check-is "their slots" (pick (row census :slots :slot "LEFT") :objects :retained)
              '(70 1120))
    (check "all of them and what only they hold"
           (<= 6720 (getf (row census :set :what "retained") :bytes) 7300)))
  (let ((census (census :sort :growth)))
    (check-is "after a narrowed call, what was not counted then has no change"
              (loop for table in '(:types :roots)
                    collect (getf (first (getf census table)) :retained-change))
              '(nil nil))
    (check "only packages are packages"
           (every (lambda (row) (or (string= (getf row :package) "(none)")
                                    (find-package (getf row :package))))
                  (getf census :packages))))
  (check "a class itself"
         (about (getf (type-row (census :type (find-class 'record)) 'record) :objects-change) 0))
  (check-is "a string" (mapcar (lambda (row) (getf row :type))
                               (getf (census :type "MPROF-TESTS::SPECIAL-RECORD") :types))
            '("MPROF-TESTS::SPECIAL-RECORD"))
  (check "all of a built-in type"
         (every (lambda (row) (eql 0 (search "HASH-TABLE" (getf row :type))))
                (getf (census :type 'hash-table) :types)))
  (check-is "a class without objects: no rows, no error"
            (getf (getf (census :type "MPROF-TESTS::NO-SUCH") :types) :objects) nil)
  (let ((only-here (make-instance 'lonely-record)))
    (check-is "what only this thread holds has a way, too"
              (getf (first (last (getf (census :type 'lonely-record :max nil) :path))) :object)
              "MPROF-TESTS::LONELY-RECORD")
    (check "it was there" only-here))
  (setf *records* nil *latest* nil))

(define-test census-of-a-list
  (setf *records* (make-records 1001 'record))
  (let ((path (getf (census :type 'record) :path)))
    (check "a way along a list is short" (<= (length path) 5))
    (check "but says how long it is" (search "cdr, after " (getf (car (last path 2)) :slot))))
  (setf *records* nil))

(define-test census-of-a-root-and-a-package
  (setf *records* (make-records 30 'record))
  (let ((census (census :root '*records*)))
    (check-is "what it holds"
              (pick (row census :types :type "MPROF-TESTS::RECORD") :objects :shallow)
              '(30 2400)))
  (let ((census (census :package :mprof-tests :max nil)))
    (check "only types of the package"
           (every (lambda (row) (equal (getf row :package) "MPROF-TESTS"))
                  (append (getf census :types) (getf census :roots) (getf census :packages))))
    (check "those" (type-row census 'record)))
  (check "types of COMMON-LISP are not those of COMMON-LISP-USER"
         (and (row (census :package :common-lisp :max nil) :types :type "CONS")
              (null (row (census :package :cl-user :max nil) :types :type "CONS"))))
  (setf *records* nil))

(define-test census-as-text
  (setf *records* (make-records 30 'record))
  (let ((files (files-left))
        (text (with-output-to-string (stream) (mprof:heap :type 'record :stream stream))))
    (check "the number of instances, and why" (and (search "MPROF-TESTS::RECORD" text)
                                                   (search "Why one of them is there" text)
                                                   (search "MPROF-TESTS::*RECORDS*" text)))
    (check "*STANDARD-OUTPUT* is the default"
           (search "Why one of them" (with-output-to-string (*standard-output*)
                                       (mprof:heap :type 'record))))
    (check-is "what is printed is not returned, too"
              (let ((*standard-output* (make-broadcast-stream)))
                (mapcar #'type-of (multiple-value-list (mprof:heap))))
              '(mprof:heap-mark))
    (check-is "no file is left" (files-left) files))
  (setf *records* nil))

#+threads
(define-test census-in-threads
  (setf *records* (make-records 30 'record))
  (let* ((stop nil)
         (busy (mp:process-run-function "conses"
                                        (lambda ()
                                          (loop until stop do (make-records 10 'record)))))
         (threads (loop repeat 3
                        collect (mp:process-run-function
                                 "asks" (lambda ()
                                          (list (getf (census :type 'record) :objects)
                                                (mprof:retained-size *records*)))))))
    (let ((results (mapcar #'mp:process-join threads)))
      (setf stop t)
      (mp:process-join busy)
      (check "several threads at once get answers"
             (loop for (objects bytes) in results
                   always (and (plusp objects) (>= bytes (* 30 96)))))))
  (setf *records* nil))

(define-test census-refuses
  (check-signals "a type that is none" mprof:invalid-argument (mprof:heap :type 'no-such-class))
  (check-signals "a number for a type" mprof:invalid-argument (mprof:heap :type 5))
  (check-signals "a root that is none" mprof:invalid-argument (mprof:heap :root "NO-SUCH-ROOT"))
  (check-signals "a number for a root" mprof:invalid-argument (mprof:heap :root 5))
  (check-signals "a package that is none" mprof:invalid-argument (mprof:heap :package "NO-SUCH"))
  (check-signals "SINCE" mprof:invalid-argument (mprof:heap :since 5))
  (check-signals "SORT" mprof:invalid-argument (mprof:heap :sort :bytes))
  (check-signals "MAX" mprof:invalid-argument (mprof:heap :max 0))
  (check-signals "STREAM" mprof:invalid-argument (mprof:heap :stream "x"))
  (check-signals "a type and a root" mprof:invalid-argument (mprof:heap :type 'record :root "x")))
;;;; SPDX-License-Identifier: MIT
