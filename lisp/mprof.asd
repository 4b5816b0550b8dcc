;;;; mprof.asd -- the ASDF systems "mprof" and "mprof/tests".
;;;;
;;;; mprof.fas was compiled when mprof was built; it is loaded, nothing is compiled here.

(defpackage #:mprof-system
  (:use #:common-lisp #:asdf))

(in-package #:mprof-system)

(defclass built-module (file-component)
  ()
  (:documentation "A module of ECL that was built by make."))

(defun beside (component)
  (merge-pathnames (make-pathname :name (component-name component) :type "fas")
                   (component-pathname (component-parent component))))

(defun find-module (component)
  "The file of COMPONENT: what MPROF_MODULE in the environment names, or beside this file, or among
ECL's own modules."
  (let ((wish (ext:getenv "MPROF_MODULE")))
    (or (and wish (probe-file wish))
        (probe-file (beside component))
        (probe-file (merge-pathnames (make-pathname :name (component-name component) :type "fas")
                                     (translate-logical-pathname "SYS:")))
        (error "~A.fas is neither beside ~A nor among ECL's modules.~@
                Build mprof with make, or set MPROF_MODULE to where it is."
               (component-name component)
               (namestring (component-pathname (component-parent component)))))))

(defmethod input-files ((operation operation) (component built-module)) '())
(defmethod output-files ((operation operation) (component built-module)) (values '() t))
(defmethod perform ((operation compile-op) (component built-module)) nil)
(defmethod perform ((operation load-op) (component built-module))
  (unless (member "MPROF" *modules* :test #'string=)
    (load (find-module component))))

(defsystem "mprof"
  :description "Which functions allocate Lisp objects, what, and through whom."
  :version "0.1.0"
  :components ((built-module "mprof"))
  :in-order-to ((test-op (test-op "mprof/tests"))))
