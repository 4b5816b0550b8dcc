;;;; live.lisp -- it is known which objects are kept, and how many collections they survive.

(defstruct node next)
(defvar *kept* nil)
(defvar *sink*)
(declaim (notinline keep-nodes once twice three-times five-times drop-list keep-lists finalized weak))

(defun keep-lists ()
  "Makes 50,000 conses in each of 4 threads, which are kept."
  (let ((threads (loop repeat 4
                       collect (mp:process-run-function
                                'keeper
                                (lambda ()
                                  (let ((list nil))
                                    (dotimes (i 50000) (push i list))
                                    (mp:with-lock (*lock*) (push list *kept*))))))))
    (mapc #'mp:process-join threads)
    t))
(defvar *lock* (mp:make-lock))

(defun drop-list ()
  (let ((list nil))
    (dotimes (i 400000) (push i list))
    (setf *sink* list)
    (length list)))

(defun keep-nodes (n)
  (let ((node nil))
    (dotimes (i n) (setf node (make-node :next node)))
    (push node *kept*)
    t))
(defun once () (keep-nodes 1000) t)
(defun twice () (keep-nodes 2000) t)
(defun three-times () (keep-nodes 3000) t)
(defun five-times () (keep-nodes 5000) t)

(defun finalized ()
  "Makes objects with finalizers, which nothing keeps, and which live until the finalizer has run."
  (dotimes (i 1000 t)
    (ext:set-finalizer (make-node) (lambda (x) (declare (ignore x)) nil))))

(defun weak ()
  (dotimes (i 1000 t)
    (push (ext:make-weak-pointer (list i)) *kept*)))

(defun clobber (n)
  "Overwrites what earlier calls left on the stack."
  (let ((a (make-array 100 :initial-element n)))
    (if (zerop n) (length a) (+ 1 (clobber (1- n))))))

(defun collect ()
  (clobber 200)
  (si::gc t)
  t)

(keep-lists)
(drop-list)
(setf *sink* nil)
(collect)
(five-times)
(collect)
(collect)
(three-times)
(collect)
(twice)
(finalized)
(weak)
(collect)
(once)
(collect)
;;;; SPDX-License-Identifier: MIT
