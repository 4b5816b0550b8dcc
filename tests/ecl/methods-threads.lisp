;;; One thread defines methods, ROUNDS times the same 50, while others call interpreted functions,
;;; and all of them collect.
(defgeneric wave (x))

(defun define-method (i)
  (eval `(defmethod wave ((x (eql ,i))) (list x ,i (make-array 10)))))

(defvar *stop* nil)

(defun call-others ()
  (loop until *stop* do (funcall (eval (list 'lambda '(x) '(list x))) 1)))

(let ((callers (loop for i below 4 collect (mp:process-run-function i #'call-others)))
      (definer (mp:process-run-function
                'definer
                (lambda ()
                  (dotimes (round (parse-integer (ext:getenv "ROUNDS")))
                    (dotimes (i 50) (define-method i)))))))
  (mp:process-join definer)
  (setf *stop* t)
  (mapc #'mp:process-join callers))
(dotimes (i 50) (wave i))
(print :done)
(terpri)
(ext:quit 0)
;;;; SPDX-License-Identifier: MIT
