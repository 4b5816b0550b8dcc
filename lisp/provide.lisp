;;;; SPDX-License-Identifier: MIT
;;;; provide.lisp -- marks the module as loaded.

(in-package #:mprof)

(when *load-truename*
  (%folder (namestring (make-pathname :name nil :type nil :version nil
                                      :defaults *load-truename*))))

(provide :mprof)
