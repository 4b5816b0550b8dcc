;;;; inlined-run.lisp -- runs inlined.lisp, and records it with MPROF_MODULE, if that is set.

(defvar *module* (ext:getenv "MPROF_MODULE"))
(load "inlined.fas")
(defun all ()
  (mk-user 10)
  (two-user 20)
  (names-user 30)
  (local-user 40)
  (other-local-user 50)
  (visit 1 60)
  (equal-user-a 70)
  (equal-user-b 80)
  (same-user 90)
  (apart-user 100))
(when *module*
  (load *module*)
  (all)
  (funcall (find-symbol "START-PROFILING" "MPROF") :file "inside.live"))
(all)
(when *module* (funcall (find-symbol "STOP-PROFILING" "MPROF")))
;;;; SPDX-License-Identifier: MIT
