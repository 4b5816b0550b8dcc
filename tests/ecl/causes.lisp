;;;; causes.lisp -- functions with a cause of consing, each with a near miss that has none.

(defpackage :causes (:use :cl))
(in-package :causes)

(defvar *sink*)
(defvar *numbers* (loop for i below 500 collect i))

;;; Lists and strings that are copied again and again, and others that are made once.
(defun squares-append () (let ((r '())) (dotimes (i 500 r) (setf r (append r (list (* i i)))))))
(defun squares-push () (let ((r '())) (dotimes (i 20000 (nreverse r)) (push (* i i) r))))
(defun pairs-append () (dotimes (i 5000) (setf *sink* (append (list i 1) (list 2 3)))))
(defun prune-remove () (let ((l (copy-list *numbers*))) (dotimes (i 400 l) (setf l (remove i l)))))
(defun prune-delete () (let ((l (copy-list *numbers*))) (dotimes (i 400 l) (setf l (delete i l)))))
(defun prune-once () (let ((l (loop for i below 20000 collect i))) (remove-if #'oddp l)))
(defun text-concatenate ()
  (let ((s "")) (dotimes (i 1000 s) (setf s (concatenate 'string s "ab")))))
(defun text-join () (dotimes (i 2000) (setf *sink* (concatenate 'string "key" "-" "value"))))
(defun grow-adjust ()
  (let ((v (make-array 0 :adjustable t :fill-pointer 0)))
    (dotimes (i 1000 v) (setf v (adjust-array v (1+ i) :fill-pointer (1+ i))))))
(defun grow-extend ()
  (let ((v (make-array 0 :adjustable t :fill-pointer 0))) (dotimes (i 30000 v) (vector-push-extend i v))))

;;; Hash tables.
(defun tables-default () (loop repeat 200 collect (let ((h (make-hash-table))) (setf (gethash 1 h) 2) h)))
(defun tables-small () (loop repeat 200 collect (let ((h (make-hash-table :size 16))) (setf (gethash 1 h) 2) h)))
(defun tables-full ()
  (dotimes (k 30) (let ((h (make-hash-table))) (dotimes (i 5000) (setf (gethash i h) i)) (setf *sink* h))))
(defun tables-used ()
  (dotimes (k 30) (let ((h (make-hash-table))) (dotimes (i 900) (setf (gethash i h) i)) (setf *sink* h))))

;;; FORMAT and string streams.
(defun key-format (i) (format nil "~D-~A" i i))
(defun keys-format () (dotimes (i 1000) (setf *sink* (key-format i))))
(defun lines-format () (with-open-file (s "/dev/null" :direction :output :if-exists :append)
                         (dotimes (i 2000) (format s "~D: ~A~%" i i))))
(defun lines-formatter () (with-open-file (s "/dev/null" :direction :output :if-exists :append)
                         (dotimes (i 2000) (funcall (formatter "~D: ~A~%") s i i))))
(defun words-stream () (dotimes (i 1000) (setf *sink* (with-output-to-string (s) (write-char #\a s)))))
(defun words-princ () (dotimes (i 1000) (setf *sink* (princ-to-string i))))
(defun words-read () (dotimes (i 1000) (setf *sink* (read-from-string "12"))))
(defun words-one () (with-output-to-string (s) (dotimes (i 20000) (write-string "word " s))))

;;; Floats that live on.
(defun floats-kept () (setf *sink* (loop for i below 20000 collect (* i 1.5d0))) (si:gc t) nil)

;;; Closures.
(defun sum-over (f) (let ((s 0)) (dotimes (i 10 s) (setf s (+ s (funcall f i))))))
(defun closures-made () (dotimes (i 2000) (setf *sink* (sum-over (let ((k i)) (lambda (x) (+ x k)))))))
(defun closures-none () (dotimes (i 2000) (setf *sink* (sum-over (lambda (x) (+ x 1))))))

;;; Conditions.
(define-condition bad (error) ((text :initarg :text)))
(defun parse-signals (x) (handler-case (if (evenp x) (error 'bad :text x) x) (bad () nil)))
(defun signals () (dotimes (i 1000) (setf *sink* (parse-signals i))))
(defun parse-values (x) (if (evenp x) (values nil t) (list x)))
(defun values-instead () (dotimes (i 1000) (setf *sink* (parse-values i))))
(defun parse-junk (s) (ignore-errors (parse-integer s)))
(defun junk () (dotimes (i 500) (setf *sink* (parse-junk "abc"))))

;;; Types.
(deftype small (n) `(integer 0 ,n))
(defvar *type* '(small 100))
(defun types-expanded () (dotimes (i 2000) (setf *sink* (typep i *type*))))
(defun types-constant () (dotimes (i 2000) (setf *sink* (if (typep i '(small 100)) (list i) nil))))

;;; Threads.
(defun threads-each () (dotimes (i 40) (mp:process-join (mp:process-run-function 'x (lambda () (list 1))))))
(defun threads-pool ()
  (mapc #'mp:process-join (loop repeat 12 collect (mp:process-run-function 'x (lambda () (sleep 0.3))))))

;;; A cache.
(defvar *cache* (make-hash-table :test 'equal))
(defun remember (i) (setf (gethash (list i) *cache*) (make-array 10)))
(defun cache-grows () (dotimes (i 20000) (remember i)) (si:gc t) (si:gc t) nil)
(defun recent-only ()
  (let ((recent (make-array 100))) (dotimes (i 20000) (setf (aref recent (mod i 100)) (make-array 10))) (si:gc t) (si:gc t)))

;;; Code at run time, and names of foreign functions.
(defun evaluates () (dotimes (i 300) (setf *sink* (eval (list '+ i '(let ((x 1)) (+ x 1)))))))
(defvar *pointer* (si:find-foreign-symbol "toupper" :default :pointer-void 0))
(defun foreign-names ()
  (dotimes (i 1000) (setf *sink* (si:find-foreign-symbol "toupper" :default :pointer-void 0))))
(defun foreign-pointer () (dotimes (i 1000) (setf *sink* *pointer*)))

;;; Functions that call others that have a cause, or objects that no rule is about.
(defun interns ()
  (dotimes (i 1000) (setf *sink* (intern (concatenate 'string "A" (princ-to-string i)) :causes))))
(defun sorts () (dotimes (i 100) (setf *sink* (sort (copy-list *numbers*) #'>))))
(defclass node () ((a :initarg :a) (table :initform (make-hash-table :test 'equal))))
(defun tables-instance () (loop repeat 200 collect (make-instance 'node :a 1)))
;;;; SPDX-License-Identifier: MIT
