;;;; kept.lisp -- the number of live objects at the end is known for each type.
;;;;
;;;; The collector takes any word on a stack for a pointer. So objects are made and looked up only in threads that have
;;;; ended when the last collections begin.

(defstruct node next)
(defclass thing () ((a :initarg :a)))
(defvar *kept* nil)
(defvar *sink*)
(defvar *resurrected* nil)
(defvar *table* (make-hash-table :test 'equal))
(defvar *weak-table* (make-hash-table :test 'eq :weakness :key))
(declaim (notinline resurrected weakly by-weak-key half-kept table-kept table-emptied grown interned
                    uninterned instances closures bignums strings in-threads clobber))

(defun begin (function)
  "Calls FUNCTION in a thread. Returns a function that waits until the thread is gone with its stack, which may be later
than its end for MP:PROCESS-JOIN."
  (let* ((task nil)
         (process (mp:process-run-function 'keeper (lambda ()
                                                     (setf task (truename "/proc/thread-self/"))
                                                     (funcall function)))))
    (lambda ()
      (mp:process-join process)
      (loop while (ext:file-kind task t) do (sleep 0.01)))))
(defun apart (function)
  (funcall (begin function)))

(defun resurrected ()
  "Makes nodes whose finalizers keep them."
  (dotimes (i 500 t)
    (ext:set-finalizer (make-node) (lambda (x) (push x *resurrected*)))))
(defun weakly ()
  (dotimes (i 1000 t) (push (ext:make-weak-pointer (make-node)) *kept*)))
(defun by-weak-key ()
  (dotimes (i 1000 t) (setf (gethash (make-node) *weak-table*) (list i))))
(defun half-kept ()
  (dotimes (i 2000 t)
    (let ((node (make-node)))
      (when (evenp i) (push node *kept*)))))
(defun table-kept ()
  (let ((table (make-hash-table)))
    (dotimes (i 10000) (setf (gethash i table) i))
    (push table *kept*)
    t))
(defun table-emptied ()
  (dotimes (i 1000) (setf (gethash (format nil "~D" i) *table*) (list i)))
  (clrhash *table*)
  t)
(defun grown ()
  "Makes a vector that grows, of which only the last data is kept."
  (let ((vector (make-array 10 :adjustable t :fill-pointer 0)))
    (dotimes (i 100000) (vector-push-extend i vector 100000))
    (push vector *kept*)
    t))
(defun interned ()
  (dotimes (i 500 t) (intern (format nil "KEPT-~D" i) :cl-user)))
(defun uninterned ()
  (dotimes (i 500 t) (unintern (intern (format nil "GONE-~D" i) :cl-user) :cl-user)))
(defun instances ()
  (let ((class (find-class 'thing)))
    (dotimes (i 700 t) (push (allocate-instance class) *kept*))))
(defun closures ()
  (dotimes (i 600 t) (let ((j i)) (push (lambda () (incf j)) *kept*))))
(defun bignums ()
  (dotimes (i 400 t) (push (* most-positive-fixnum (+ i 5)) *kept*)))
(defun strings ()
  (dotimes (i 300 t) (push (make-string 100) *kept*)))
(defvar *lock* (mp:make-lock))
(defun in-threads ()
  "Keeps and drops nodes in four threads, while others collect."
  (mapc #'funcall
        (loop repeat 4
              collect (begin (lambda ()
                               (let ((mine nil))
                                 (dotimes (i 30000)
                                   (setf *sink* (make-node))
                                   (when (zerop (mod i 3)) (push (make-node) mine))
                                   (when (zerop (mod i 10000)) (si::gc t)))
                                 (mp:with-lock (*lock*) (push mine *kept*))))))))

(defun clobber (n)
  (let ((a (make-array 100 :initial-element n)))
    (if (zerop n) (length a) (+ 1 (clobber (1- n))))))
(defun collect (n)
  (dotimes (i n t) (clobber 200) (si::gc t)))

(defun say-what-is-left ()
  (format t "~D resurrected~%" (length *resurrected*))
  (format t "~D weak pointers to something~%"
          (count-if (lambda (x) (and (typep x 'ext:weak-pointer) (ext:weak-pointer-value x))) *kept*))
  (format t "~D weak keys~%" (hash-table-count *weak-table*)))

(mapc #'apart '(resurrected weakly by-weak-key half-kept table-kept table-emptied grown interned uninterned instances
                closures bignums strings in-threads))
(collect 6)
(apart 'say-what-is-left)
(setf *sink* nil)
(collect 2)
(format t "~D resurrected in the end~%" (length *resurrected*))
;;;; SPDX-License-Identifier: MIT
