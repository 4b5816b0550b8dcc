;;;; threads.lisp -- named threads, which make conses in the same function.

(defvar *sink*)
(defun work (n) (dotimes (i n n) (setf *sink* (list i i))))
(defun all ()
  (flet ((start (name n) (mp:process-run-function name #'work n)))
    (mapc #'mp:process-join (list (start "worker 1" 10) (start "worker 2" 20)))
    ;; One after the other, so that each reuses the memory of an ended thread.
    (dolist (name '("worker 1" reader nil "größer"))
      (mp:process-join (start name 100)))
    (work 1000)))
;;;; SPDX-License-Identifier: MIT
