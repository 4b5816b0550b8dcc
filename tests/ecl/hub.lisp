;;;; hub.lisp -- four methods that call each other in a pseudo-random order, the same in each run.
;;;; All calls go through the dispatch of generic functions. Each call of a method makes one cons.

(defvar *state* 12345)
(defvar *left* 3000)
(defvar *sink*)

(defun next (n)
  (setf *state* (mod (+ (* *state* 1103515245) 12345) 2147483648))
  (mod (ash *state* -16) n))

(defmacro defstep (name &rest others)
  "Defines the method NAME, which makes a cons, and calls OTHERS at random."
  `(defmethod ,name ((depth integer))
     (setf *sink* (cons depth nil))
     (decf *left*)
     (loop while (and (plusp *left*) (< depth 40) (plusp (next 3)))
           do (case (next ,(length others))
                ,@(loop for i from 0 for other in others collect `(,i (,other (1+ depth))))))))

(defgeneric alpha (depth))
(defgeneric beta (depth))
(defgeneric gamma (depth))
(defgeneric delta (depth))
(defstep alpha beta gamma)
(defstep beta gamma alpha)
(defstep gamma delta alpha gamma)
(defstep delta alpha beta)

(loop while (plusp *left*) do (alpha 0))
;;;; SPDX-License-Identifier: MIT
