;;;; chains-run.lisp -- chains.lisp and interpreted-chains.lisp, warm, recorded; then in threads, with
;;;; loading and compiling.  The module is MPROF_MODULE.

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
