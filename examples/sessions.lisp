;;;; sessions.lisp -- a server that forgets nothing: each user's session stays in a cache for good;
;;;; the example of README.md, "What holds the memory".
;;;;
;;;;     $ ecl --norc --eval '(compile-file "examples/sessions.lisp")' --eval '(ext:quit 0)'
;;;;     $ mprof run -o srv.data -- ecl --norc --load lisp/mprof.fas --load examples/sessions.fas
;;;;     > (serve 0 5000)
;;;;     > (mprof:heap-snapshot :gc t)
;;;;     > (serve 5000 25000)
;;;;     > (mprof:heap-snapshot :gc t)
;;;;     $ mprof heap srv.data.1.heap srv.data.2.heap

(defstruct session user data)

(defvar *cache* (make-hash-table :test 'equal))

(defun find-session (user)
  (or (gethash user *cache*)
      (setf (gethash user *cache*)
            (make-session :user user :data (make-array 50 :initial-element 0)))))

(defun serve (first last)
  (loop for i from first below last
        do (find-session (format nil "user-~d" i))))
