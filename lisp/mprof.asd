;;;; SPDX-License-Identifier: MIT
;;;; mprof.asd -- the ASDF systems "mprof" and "mprof/tests".
;;;;
;;;; mprof.fas was made when mprof was built. It is only loaded here.

(defpackage #:mprof-system
  (:use #:common-lisp #:asdf))

(in-package #:mprof-system)

(defclass built-module (file-component)
  ((type :initform "fas"))
  (:documentation "A module of ECL that was built by make."))

(defun find-module (component)
  "Return the file of COMPONENT: the one that ECL_MPROF in the environment names, or the one beside
this file, or the one among ECL's own modules."
  (let* ((beside (component-pathname component))
         (wish (ext:getenv "ECL_MPROF"))
         (system (merge-pathnames (file-namestring beside) (translate-logical-pathname "SYS:"))))
    (or (and wish (probe-file wish))
        (probe-file beside)
        (probe-file system)
        (error "There is neither ~A nor ~A.~@
                Build mprof with make; if not here, let ECL_MPROF be the file's name."
               (namestring beside) (namestring system)))))

;; Nothing is compiled, and the file to load may be elsewhere.
(defmethod input-files ((operation compile-op) (component built-module)) '())
(defmethod input-files ((operation load-op) (component built-module)) '())
(defmethod output-files ((operation compile-op) (component built-module)) (values '() t))
(defmethod perform ((operation compile-op) (component built-module)) nil)
(defmethod perform ((operation load-op) (component built-module))
  (unless (member "MPROF" *modules* :test #'string=)
    (load (find-module component))))

(defsystem "mprof"
  :description "Which functions allocate Lisp objects, what, and through whom."
  :version "1.0.0"
  :components ((built-module "mprof"))
  :in-order-to ((test-op (test-op "mprof/tests"))))

(defun check-installation ()
  "The test of an installed module without its other tests. Checks that a cons is recorded exactly."
  (let ((figures (multiple-value-list
                  (uiop:symbol-call '#:mprof '#:run #'cons :arguments '(1 2) :threads :current))))
    (unless (equal figures '(16 1 (1 . 2)))
      (error "A cons is recorded as ~{~A bytes, ~A objects, ~S~}." figures))
    (format t "~&mprof records: a cons is 16 bytes, 1 object.  Its tests are in its source.~%")))

(defun beside-tests-p ()
  "Return whether this file is in mprof's source tree."
  (and *load-truename* (probe-file (merge-pathnames "../tests/lisp/package.lisp" *load-truename*))))

(if (beside-tests-p)
    (defsystem "mprof/tests"
      :description "Tests of mprof, by make check."
      :depends-on ("mprof")
      :pathname "../tests/lisp/"
      :serial t
      :components ((:file "package")
                   (:file "figures")
                   (:file "recording")
                   (:file "reports")
                   (:file "arguments")
                   (:file "debugger")
                   (:file "deep")
                   (:file "forms")
                   (:file "budget")
                   (:file "why")
                   (:file "census")
                   (:file "threads")
                   (:file "parts")
                   (:file "methods")
                   (:file "printing"))
      :perform (test-op (operation component)
                 (declare (ignore operation component))
                 (uiop:symbol-call '#:mprof-tests '#:run-tests)))

    (defsystem "mprof/tests"
      :description "The test of an installed mprof."
      :depends-on ("mprof")
      :perform (test-op (operation component)
                 (declare (ignore operation component))
                 (check-installation))))
