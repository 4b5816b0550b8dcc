;;;; document.lisp -- a variable that refers to a document of cxml, and a heap snapshot in the file
;;;; $SNAPSHOT. The library is compiled into $ECL_CACHE. Prints the number of elements, attributes
;;;; and texts in the document, according to the library, and the document's retained size.

(require :asdf)
(asdf:initialize-output-translations
 `(:output-translations (t (,(pathname (ext:getenv "ECL_CACHE")) :implementation))
                        :ignore-inherited-configuration))
(asdf:initialize-source-registry
 '(:source-registry (:also-exclude "cl-asdf") (:tree #p"/usr/share/common-lisp/source/")
                    :ignore-inherited-configuration))
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (asdf:load-system "cxml"))

(defvar *document*
  (cxml:parse (with-output-to-string (s)
                (format s "<root>~%")
                (dotimes (i 2000) (format s "<item number='~D'>text <b>~D</b></item>~%" i i))
                (format s "</root>~%"))
              (cxml-dom:make-dom-builder)))

(defun nodes (node)
  (let ((elements 0) (attributes 0) (texts 0) (waiting (list node)))
    (loop while waiting
          do (let ((node (pop waiting)))
               (ecase (dom:node-type node)
                 (:document)
                 (:element (incf elements) (incf attributes (dom:length (dom:attributes node))))
                 (:text (incf texts)))
               (dom:do-node-list (child (dom:child-nodes node)) (push child waiting))))
    (list elements attributes texts)))

(let ((nodes (nodes *document*)) (retained (mprof:retained-size *document*)))
  (mprof:heap-snapshot :file (ext:getenv "SNAPSHOT") :gc t)
  (format t "~{~D ~}~D~%" nodes retained))
;;;; SPDX-License-Identifier: MIT
