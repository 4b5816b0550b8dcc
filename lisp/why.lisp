;;;; why.lisp -- who holds an object, and what would go with it.

(in-package #:mprof)

(defun check-in-heap (object)
  (unless (and (not (typep object '(or fixnum character null))) (%in-heap-p object))
    (refuse-argument "an object" object t "one that is in the heap")))

(defun heap-result (result)
  "RESULT of %HOLDER, a list, or an error."
  (cond ((integerp result)
         (error 'snapshot-failed :reason (%heap-problem result)))
        ((stringp (car result))
         (error 'snapshot-failed :reason (format nil "~A (~A)" (cdr result) (car result))))
        (t result)))

(defun holder-of (object)
  "(bytes objects own way): see module.h."
  (check-in-heap object)
  (exclusively (connect))
  (let ((file nil))
    (unwind-protect
         (undisturbed
          (setf file (%temporary-name))
          (heap-result (if (integerp file)
                           file
                           (%holder object (asking-variables) file))))
      (when (stringp file)
        (undisturbed (%forget file))))))

(defun print-way (way own stream)
  (when own
    (format stream "~&Only what asks for it (this thread's stacks, the REPL) holds it:~%"))
  (unless way
    (format stream "~&No root leads to it.~%"))
  (loop for (what by bytes) in way
        for first = t then nil
        do (if first
               (format stream "~&~A (~A)~%" what by)
               (format stream "  ~:[~A: ~;~*~]~A, ~D bytes~%" (string= by "") by what bytes))))

(defun why (object &key (stream *standard-output*))
  "Print a shortest way of references that keeps OBJECT alive, from a root to it, a line for each
step, and return it.

Two values.  The way, a list of lists (WHAT BY BYTES ADDRESS): first the root's title, and which
kind of root it is, in which package, library or thread, and NIL twice; then objects, the last of
them OBJECT: type, slot of the object before it, size and address.

And whether nothing leads to OBJECT but what asks for it: the stacks of this thread, its handlers
and restarts, and what its REPL remembers in *, **, ***, +, ++, +++, /, //, /// and -.  These do not
count while anything else does.

STREAM   T: *STANDARD-OUTPUT*; NIL: print nothing.

A full collection is made, and a snapshot of the heap as by HEAP-SNAPSHOT, in a file that is
removed.
Signals INVALID-ARGUMENT (fixnums, characters, and what libecl itself has,
as CAR and NIL, are not in the heap), MONITOR-MISSING and SNAPSHOT-FAILED."
  (without-recording
    (check-argument :stream stream (or stream (member nil t)) "a stream, T, or NIL: nothing")
    (destructuring-bind (bytes objects own way) (holder-of object)
      (declare (ignore bytes objects))
      (when stream
        (print-way way own (if (eq stream t) *standard-output* stream)))
      (values way own))))

(defun retained-size (object)
  "How many bytes would be free if OBJECT were not there: its own, with those of all that is reached
by way of it only.  The second value is how many objects these are.

Exact for the moment, after a full collection.  The same roots do not count as for WHY.  Signals
what WHY does."
  (without-recording
    (destructuring-bind (bytes objects own way) (holder-of object)
      (declare (ignore own way))
      (values bytes objects))))
