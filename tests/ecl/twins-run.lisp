;;;; twins-run.lisp -- runs twins.lisp, and records it with MPROF_MODULE, if that is set.

(defvar *module* (ext:getenv "MPROF_MODULE"))
(load "twins.fas")
(defun all ()
  (early-a 100) (early-b 200)
  (many-a 10 1) (many-b 20 1) (many-c 30 1) (many-d 40 1) (many-e 50 1)
  (outer-a 10) (outer-b 20)
  (visit 1 30) (visit 'x 40)
  (small-a 1) (small-b 1) (small-b 2)
  (alone 50) (alias 60)
  (base 10) (jumper 20))
(when *module*
  (load *module*)
  (all)
  (funcall (find-symbol "START-PROFILING" "MPROF") :file "inside.live"))
(all)
(when *module* (funcall (find-symbol "STOP-PROFILING" "MPROF")))
;;;; SPDX-License-Identifier: MIT
