;;;; checkpoints.lisp -- known objects are made between checkpoints, with requested collections.

(defvar *kept* nil)
(declaim (notinline first-phase second-phase))

(defstruct node next)

(defun first-phase ()
  (dotimes (i 1000 t) (push (make-node) *kept*)))

(defun second-phase ()
  (setf *kept* nil)
  (dotimes (i 300 t) (push (list i) *kept*)))

(mprof:checkpoint "begin")
(first-phase)
(mprof:checkpoint 'middle)
(second-phase)
(dotimes (i 600) (si:gc t))
(mprof:checkpoint "end of it")
(handler-case (mprof:checkpoint 12)
  (mprof:invalid-argument () (format t "refused~%")))
(mprof:checkpoint (make-string 100 :initial-element (code-char 8364)))

;;; Bignums: many between the first two checkpoints, none between the others.
(defun mix (n)
  (let ((hash 14695981039346656037))
    (dotimes (i n hash)
      (setf hash (logand (* (logxor hash (logand i 255)) 1099511628211) #xffffffffffffffff)))))

(mprof:checkpoint "quiet")
(mix 20000)
(mprof:checkpoint "mixed")
(second-phase)
(mprof:checkpoint "quiet again")
;;;; SPDX-License-Identifier: MIT
