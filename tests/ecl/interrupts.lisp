;;; A thread that makes strings is interrupted by another one (mp:interrupt-process) 1000 times, in a signal
;;; handler, wherever it is: in the monitor, too.  What it does there is as exact as all else.
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

;;; One after the other: the next one when that before is over.
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
