;;; A thread interrupts another one, which makes strings, 1000 times (mp:interrupt-process), also in
;;; the monitor. The objects that the signal handler makes are recorded exactly, too.
(in-package :cl-user)

(defvar *interrupts* 0)
(defvar *over* nil)
(defvar *rounds* 0)
(defvar *list*)
(defvar *other-list*)

(declaim (notinline interrupted work))

(defun interrupted ()
  (let ((list '()))
    (dotimes (i 100) (push i list))
    (setf *other-list* list))
  (incf *interrupts*))

(defun work ()
  (loop until *over*
        do (let ((list '()))
             (dotimes (i 1000) (push (make-string 8) list))
             (setf *list* list))
           (incf *rounds*)))

;;; Sends each interrupt after the previous one has ended.
(defun interrupt (process)
  (dotimes (i 1000)
    (mp:interrupt-process process #'interrupted)
    (loop while (<= *interrupts* i) do (sleep 0.0001)))
  (setf *over* t))

(defun all ()
  (let ((main mp:*current-process*))
    (mp:process-run-function "interrupter" (lambda () (interrupt main)))
    (work)
    (format t "interrupts ~D~%rounds ~D~%" *interrupts* *rounds*)))
;;;; SPDX-License-Identifier: MIT
