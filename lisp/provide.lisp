;;;; provide.lisp -- the module is complete.

(provide :mprof)
