;;;; parse.lisp -- parses a document of 2,000 small objects with yason, which is in the directory
;;;; $YASON and is compiled there the first time.

(require :asdf)
;; Compiled files go to $YASON, those of the systems that yason needs, too.
(asdf:initialize-output-translations
 `(:output-translations (t (,(ext:getenv "YASON") "compiled" :**/ :*.*.*)) :ignore-inherited-configuration))
(asdf:initialize-source-registry
 `(:source-registry (:tree ,(ext:getenv "YASON")) (:tree "/usr/share/common-lisp/source/")
                    :ignore-inherited-configuration))
(handler-bind ((warning #'muffle-warning))
  (let ((*standard-output* (make-broadcast-stream)))
    (asdf:load-system "yason")))

(defparameter *document*
  (with-output-to-string (s)
    (write-string "[" s)
    (dotimes (i 2000)
      (format s "~:[,~;~]{\"id\":~D,\"name\":\"item ~D\",\"tags\":[\"t\",\"u\"]}~%" (zerop i) i (* i i)))
    (write-string "]" s)))

(defun parse-document ()
  (funcall (find-symbol "PARSE" "YASON") *document*))

(print (loop for object in (parse-document)
             sum (+ (gethash "id" object) (length (gethash "name" object)) (hash-table-count object))))
(terpri)
;;;; SPDX-License-Identifier: MIT
