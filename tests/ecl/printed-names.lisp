;;;; printed-names.lisp -- functions with odd names. Writes the names to the file "expected" as the
;;;; printer prints them in CL-USER.

(defpackage "low pkg" (:use :cl) (:export "x;y"))
(defpackage :imp (:use :cl) (:export #:imported #:not-imported))
(import 'imp:imported)
(defvar *sink*)
(defvar *names*
  '("PLAIN" "lower" "Mixed" "1E5" "1/2" "+1" "-+" "1-2" "..." "." "A.B" "A#B" "#A" "A'B" "A,B" "A`B" "A(B" "A:B"
    "A|B" "A\\B" "A\"B" "^1" "_2" "" "A B" "A_B" "12A" "1AB" "%X" "*X*" "@" "!" "{A}" "A~B" "3-D" "3D"
    "Ö" "ö" "Öa" "日本" "É" "é" "Σ" "σ" "ß"))
(defvar *symbols*
  (append (mapcar #'intern *names*)
          (mapcar (lambda (name) (intern name :keyword)) *names*)
          (mapcar (lambda (name) (intern name "low pkg")) *names*)
          (list 'imp:imported 'imp:not-imported 'imp::internal 'si::of-the-system 'ext::of-extensions)))

(dolist (symbol *symbols*)
  (eval `(defun ,symbol (n) (setf *sink* (list n n)) 1))
  (eval `(defun (setf ,symbol) (value n) (setf *sink* (list value n)) 1)))

(with-open-file (s "expected" :direction :output :external-format :utf-8)
  (dolist (symbol *symbols*)
    (funcall symbol 1)
    (funcall (fdefinition `(setf ,symbol)) 1 2)
    (format s "~S~%~S~%" symbol `(setf ,symbol))))
;;;; SPDX-License-Identifier: MIT
