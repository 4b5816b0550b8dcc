;;;; A heap whose objects, references and retained sizes are known.
;;;; heap-graph.lisp FILE [KEY VALUE]...: makes a snapshot in FILE, with these arguments. If SMALL
;;;; is in the environment, its largest vector fits into one block of the file.

(defpackage #:widgets (:use #:common-lisp))
(in-package #:widgets)

(defstruct point x y)
(defstruct (point-3 (:include point)) z)
(defclass shape () ((name :initarg :name) (origin :initarg :origin) (counter :allocation :class :initform 0)))

(defvar *pair* (cons (copy-seq "left") (copy-seq "right")))
(defvar *circle* (let ((list (list 1 2 3 4 5))) (setf (cdr (last list)) list) list))

;; Two lists of 100 conses that share a tail of 50.
(defvar *tail* nil)
(defvar *first* nil)
(defvar *second* nil)
(let ((tail (make-list 50 :initial-element :shared)))
  (setf *first* (append (make-list 100 :initial-element :first) tail)
        *second* (append (make-list 100 :initial-element :second) tail)))

(defvar *points* (coerce (loop for i below 1000 collect (make-point :x (list i) :y nil)) 'simple-vector))
(defvar *deep* (make-point-3 :x "x of it" :y (make-point) :z (vector 1 2 3)))
(defvar *shape* (make-instance 'shape :name (copy-seq "a shape") :origin (make-point)))

(defvar *huge* (make-array (if (ext:getenv "SMALL") 30000 300000) :initial-element nil))
(dotimes (i (length *huge*))
  (when (zerop (mod i 3))
    (setf (svref *huge* i) (list i))))

(defvar *doubles* (make-array 1000 :element-type 'double-float :initial-element 1d0))
(defvar *bytes* (make-array 5000 :element-type '(unsigned-byte 8) :initial-element 1))
(defvar *bits* (make-array 4000 :element-type 'bit :initial-element 1))
(defvar *matrix* (make-array '(10 10) :initial-element "same"))
(defvar *whole* (make-array 100 :initial-element "element" :adjustable t))
(defvar *part* (make-array 20 :displaced-to *whole* :displaced-index-offset 40))
(defvar *letters* (make-string 300 :initial-element #\u))

(defvar *by-name* (make-hash-table :test 'equal))
(dotimes (i 100)
  (setf (gethash (format nil "key ~D" i) *by-name*) (make-point :x i)))
(defvar *weakly* (make-hash-table :test 'eq :weakness :key))
(defvar *weak-key* (list (copy-seq "weakly held, and strongly")))
(setf (gethash *weak-key* *weakly*) "its value")
(defvar *pointer* (ext:make-weak-pointer *weak-key*))

(defun make-adder (list) (lambda (x) (list* x list)))
(defvar *adders* (loop for i below 50 collect (make-adder (list i "closed over"))))

(defvar *function-of* (gensym "UNINTERNED"))
(setf (symbol-value *function-of*) (list "of a symbol without package")
      (get 'in-the-plist 'indicator) (list "in a plist"))

(defvar *finalized* 0)
(defvar *with-finalizer* (make-point-3 :z "has one"))
(ext:set-finalizer *with-finalizer* (lambda (o) (declare (ignore o)) (incf *finalized*)))
(defun finalized ()
  (dotimes (i 20)
    (let ((o (make-point-3 :z "finalized")))
      (ext:set-finalizer o (lambda (o) (declare (ignore o)) (incf *finalized*))))))

;; Objects to which only the stack or the bindings of a thread refer.
(defvar *bound* nil)
(defvar *ready* (mp:make-semaphore))
(defvar *end* (mp:make-semaphore))
(defun wait (list)
  (mp:signal-semaphore *ready*)
  (mp:wait-on-semaphore *end*)
  (length list))
(defun in-thread (n)
  (let ((*bound* (list (make-point-3 :x "bound" :z n))))
    (wait (list (make-point-3 :x "on the stack" :z n)))))

(defun main (file &rest arguments)
  (let ((threads (loop for i below 4
                       collect (let ((i i))
                                 (mp:process-run-function (format nil "worker ~D" i) (lambda () (in-thread i)))))))
    (dolist (thread threads)
      (mp:wait-on-semaphore *ready*))
    (si::gc t)
    (finalized)                         ; no collection comes before the snapshot's own
    (apply 'mprof:heap-snapshot :file file (append arguments '(:strings t)))
    (mp:signal-semaphore *end* 4)
    (mapc #'mp:process-join threads)
    (format t "~D threads, ~D lists~%" (length threads) (length *points*))))

(let ((arguments (rest (member "--" (ext:command-args) :test #'string=))))
  (apply #'main (first arguments) (mapcar #'read-from-string (rest arguments))))
;;;; SPDX-License-Identifier: MIT
