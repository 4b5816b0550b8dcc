;;;; chains-run.lisp -- records chains.lisp and interpreted-chains.lisp, which were called once;
;;;; then in threads, with loading and compiling. MPROF_MODULE names the module.

(load (ext:getenv "MPROF_MODULE"))
(load "chains.fas")
(load "interpreted-chains.lisp")
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (compile 'int-closures))
(all 1)
(int-all 1)
(mprof:start-profiling :file "warm.live")
(all 4)
(int-all 4)
(mprof:stop-profiling)

(mprof:start-profiling :file "threads.live")
(load "chains.fas")
(load "interpreted-chains.lisp")
(int-all 1)
(in-threads 4)
(let ((*standard-output* (make-broadcast-stream)) (*error-output* (make-broadcast-stream)))
  (compile nil '(lambda (x) (list x x))))
(mprof:stop-profiling)
;;;; SPDX-License-Identifier: MIT
