;;;; parse.lisp -- parses a document of 2,000 elements with xmls, which is in the directory $XMLS
;;;; and is compiled there the first time.

(require :asdf)
(asdf:disable-output-translations)
(asdf:initialize-source-registry
 `(:source-registry (:directory ,(ext:getenv "XMLS")) :ignore-inherited-configuration))
(handler-bind ((warning #'muffle-warning))
  (let ((*standard-output* (make-broadcast-stream)))
    (asdf:load-system "xmls")))

(defparameter *document*
  (with-output-to-string (s)
    (format s "<?xml version='1.0'?>~%<root>~%")
    (dotimes (i 2000)
      (format s "<item number='~D' colour='red'>text ~D <b>bold</b> and more</item>~%" i (* i i)))
    (format s "</root>~%")))

(defun parse-document ()
  (funcall (find-symbol "PARSE" "XMLS") *document*))

(let ((*print-pretty* nil))
  (print (sxhash (prin1-to-string (parse-document)))))
(terpri)
;;;; SPDX-License-Identifier: MIT
