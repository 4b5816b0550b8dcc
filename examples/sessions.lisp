;;;; sessions.lisp -- a server that keeps expired sessions: the example of doc/retained.md.
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

(defvar *ended* 0)

(defun end-session (session)
  (when (session-user session)
    (incf *ended*)))

(defun open-session (user)
  (let ((session (make-session :user user :data (make-array 50 :initial-element 0))))
    ;; The fault: the finalizer refers to the session for whose end it waits.
    (ext:set-finalizer session (lambda (dead) (declare (ignore dead)) (end-session session)))
    session))

(defun find-session (user)
  (or (gethash user *cache*)
      (setf (gethash user *cache*) (open-session user))))

(defun expire ()
  "Forgets all sessions."
  (clrhash *cache*))

(defun serve (first last)
  (loop for i from first below last
        do (find-session (format nil "user-~d" i))
        when (zerop (mod i 1000))
          do (expire)))
;;;; SPDX-License-Identifier: MIT
