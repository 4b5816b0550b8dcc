;;;; lisp_run.lisp -- one measured run.  Environment: WORK, the workload; MODE: bare, attached or
;;;; detached; MODULE: mprof.fas; CACHE: where compiled libraries are.  Prints the seconds.

(load "lisp_work.fas")
(defvar *work* (intern (string-upcase (ext:getenv "WORK")) :work))
(defvar *mode* (ext:getenv "MODE"))
(defvar *systems* '((work::ppcre "cl-ppcre") (work::csv "cl-csv") (work::cxml "cxml")))

(let ((system (second (assoc *work* *systems*)))
      (*standard-output* (make-broadcast-stream))
      (*error-output* (make-broadcast-stream)))
  (when system
    (require :asdf)
    (funcall (intern "INITIALIZE-OUTPUT-TRANSLATIONS" :asdf)
             `(:output-translations (t (,(pathname (ext:getenv "CACHE")) :implementation))
                                    :ignore-inherited-configuration))
    (funcall (intern "INITIALIZE-SOURCE-REGISTRY" :asdf)
             '(:source-registry (:also-exclude "cl-asdf")
               (:tree #p"/usr/share/common-lisp/source/") :ignore-inherited-configuration))
    (funcall (intern "LOAD-SYSTEM" :asdf) system))
  (unless (string= *mode* "bare")
    (load (ext:getenv "MODULE"))))

(defun mprof-call (name &rest arguments)
  (apply (intern name :mprof) arguments))

(work::prepare *work*)
(si::gc t)
(cond ((string= *mode* "attached")
       (mprof-call "START-PROFILING" :file "attached.data"))
      ((string= *mode* "detached")
       (mprof-call "START-PROFILING" :file "attached.data")
       (mprof-call "STOP-PROFILING")))
(format t "~,6F~%" (work::seconds *work*))
(finish-output)
(ext:quit 0)
