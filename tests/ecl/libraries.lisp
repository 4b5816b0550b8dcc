;;;; libraries.lisp -- work of a library of Debian. The variable LIBRARY selects it, ECL_CACHE names
;;;; the directory of compiled files. Each allocates more than 100 MB, and prints its results.

(defvar *libraries*
  '((ppcre "cl-ppcre") (json "yason") (squeeze "salza2" "chipz") (xml "cxml")))
(defvar *library* (assoc (ext:getenv "LIBRARY") *libraries* :test #'string-equal))

(require :asdf)
(asdf:initialize-output-translations
 `(:output-translations (t (,(pathname (ext:getenv "ECL_CACHE")) :implementation))
                        :ignore-inherited-configuration))
(asdf:initialize-source-registry
 '(:source-registry (:also-exclude "cl-asdf") (:tree #p"/usr/share/common-lisp/source/")
                    :ignore-inherited-configuration))
;;; gcc's optimization would take most of the time for compiling.
(require :cmp)
(set (find-symbol "*CC-OPTIMIZE*" "C") "-O0")
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (mapc #'asdf:load-system (rest *library*)))

(defun text (n)
  (with-output-to-string (s)
    (dotimes (i n) (format s "line ~D: name~D@example~D.org, ~D.~2,'0D~%" i i (mod i 7) i (mod i 100)))))

(defun library (package name &rest arguments)
  (apply (find-symbol name package) arguments))

(defun ppcre ()
  (let ((text (text 20000)))
    (list (length (library :cl-ppcre "ALL-MATCHES-AS-STRINGS" "\\w+@[\\w.]+" text))
          (length (library :cl-ppcre "REGEX-REPLACE-ALL" "(\\w+)@([\\w.]+)" text "\\2 of \\1"))
          (length (library :cl-ppcre "SPLIT" "[\\s,:]+" text)))))

(defun json ()
  (let ((text (with-output-to-string (s)
                (library :yason "ENCODE" (loop for i below 30000 collect (list i (format nil "~D" i)))
                         s))))
    (list (length text) (length (library :yason "PARSE" text)))))

(defun squeeze ()
  (let* ((octets (make-array 4000000 :element-type '(unsigned-byte 8)))
         (squeezed (progn
                     (dotimes (i (length octets)) (setf (aref octets i) (mod (* i i) 251)))
                     (library :salza2 "COMPRESS-DATA" octets
                              (find-symbol "ZLIB-COMPRESSOR" :salza2)))))
    (list (length squeezed) (length (library :chipz "DECOMPRESS" nil
                                             (find-symbol "ZLIB" :chipz) squeezed)))))

(defun xml ()
  (let ((text (with-output-to-string (s)
                (format s "<root>~%")
                (dotimes (i 15000) (format s "<item number='~D'>text <b>~D</b></item>~%" i i))
                (format s "</root>~%"))))
    (list (length text)
          (length (library :cxml "PARSE" text (library :cxml-xmls "MAKE-XMLS-BUILDER"))))))

(format t "~S ~S~%" (first *library*) (funcall (first *library*)))
;;;; SPDX-License-Identifier: MIT
