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

(defun holder-of (object &optional (most 1))
  "(bytes objects own ways cut more): see module.h."
  (check-in-heap object)
  (exclusively (connect))
  (let ((file nil))
    (unwind-protect
         (undisturbed
          (setf file (%temporary-name))
          (heap-result (if (integerp file)
                           file
                           (%holder object (asking-variables) file most))))
      (when (stringp file)
        (undisturbed (%forget file))))))

;;; A way of a million steps is a few lines: what repeats itself is folded, and of many lines both
;;; ends are shown.

(defconstant +longest-round+ 4 "Steps that are looked for to be repeated, at most.")
(defconstant +least-rounds+ 4 "How often they have to come to be folded.")
(defconstant +lines-of-end+ 30 "Lines that are shown of each end.")

(defun same-step-p (a b)
  (and (string= (first a) (first b)) (string= (second a) (second b))))

(defun rounds-at (steps at length)
  "How many times the LENGTH steps at AT of the vector STEPS come, one after the other."
  (loop for next from (+ at length) below (length steps)
        while (same-step-p (svref steps next) (svref steps (- next length)))
        finally (return (floor (- next at) length))))

(defun round-at (steps at)
  "The number of steps at AT of which most is repeated, and how often they come; or NIL."
  (loop for length from 1 to +longest-round+
        for rounds = (rounds-at steps at length)
        when (>= rounds +least-rounds+)
          return (values length rounds)))

(defun step-line (step)
  (destructuring-bind (what by bytes address) step
    (declare (ignore address))
    (format nil "  ~:[~A: ~;~*~]~A, ~:D byte~:P" (string= by "") by what bytes)))

(defun more-line (steps at length rounds)
  "What stands for all rounds but the first and the last."
  (format nil "  ... ~:D more by ~{~A~^, ~}" (* length (- rounds 2))
          (loop for i from at repeat length
                collect (second (svref steps i)))))

(defun folded-lines (steps)
  "Lines for the vector STEPS."
  (let ((at 0) (lines '()))
    (loop while (< at (length steps))
          do (multiple-value-bind (length rounds) (round-at steps at)
               (flet ((put (from to)
                        (loop for i from from below to
                              do (push (step-line (svref steps i)) lines))))
                 (cond (length
                        (put at (+ at length))
                        (push (more-line steps at length rounds) lines)
                        (incf at (* length rounds))
                        (put (- at length) at))
                       (t
                        (put at (incf at)))))))
    (nreverse lines)))

(defun print-lines (lines stream)
  (let* ((n (length lines)) (left-out (- n (* 2 +lines-of-end+))))
    (loop for line in lines
          for i from 0
          do (cond ((or (<= left-out 1) (< i +lines-of-end+) (>= i (- n +lines-of-end+)))
                    (write-line line stream))
                   ((= i +lines-of-end+)
                    (format stream "  ... ~:D lines left out~%" left-out))))))

(defun print-way (way stream)
  (format stream "~&~A (~A)~%" (first (first way)) (second (first way)))
  (print-lines (folded-lines (coerce (rest way) 'simple-vector)) stream))

(defun print-cut (cut more stream)
  (format stream "~&~:[The fewest references to be cleared:~;There are more ways.~]~%" more)
  (loop for (what by nil address) in cut
        do (format stream "  ~A, ~:[~A~;slot ~A~]~%" what address by)))

(defun print-ways (ways own several cut more stream)
  (when own
    (format stream "~&Only what asks for it (this thread's stacks, the REPL) holds it:~%"))
  (when (null ways)
    (format stream "~&No root leads to it.~%"))
  (loop for way in ways do (print-way way stream))
  (when (and ways several)
    (print-cut cut more stream)))

(defun why (object &key (stream *standard-output*) (paths 1))
  "Print a shortest way of references that keeps OBJECT alive, from a root to it, a line for each
step, and return it.  Steps that are repeated are one line, and of many lines both ends are printed.

PATHS    how many ways, which have no reference in common; T: all, but not more than 256.

Two values, or three if PATHS is not 1.  The way, a list of lists (WHAT BY BYTES ADDRESS): first
the root's title, and which kind of root it is, in which package, library or thread, and NIL twice;
then objects, the last of them OBJECT: type and name, slot of the object before it, size and
address.  A list of ways, if PATHS is not 1.

Whether nothing leads to OBJECT but what asks for it: the stacks of this thread, its handlers
and restarts, and what its REPL remembers in *, **, ***, +, ++, +++, /, //, /// and -.  These do not
count while anything else does.

And the fewest references that must be cleared until no root leads to OBJECT, as many as there are
ways, as lists (WHAT BY BYTES ADDRESS) of what refers and by which slot; NIL: there are more ways
than PATHS.

STREAM   T: *STANDARD-OUTPUT*; NIL: print nothing.

A full collection is made, and a snapshot of the heap as by HEAP-SNAPSHOT, in a file that is
removed.
Signals INVALID-ARGUMENT (fixnums, characters, and what libecl itself has,
as CAR and NIL, are not in the heap), MONITOR-MISSING and SNAPSHOT-FAILED."
  (without-recording
    (check-argument :stream stream (or stream (member nil t)) "a stream, T, or NIL: nothing")
    (check-argument :paths paths (or (integer 1 256) (eql t)) "a number from 1 to 256, or T: all")
    (destructuring-bind (bytes objects own ways cut more)
        (holder-of object (if (eq paths t) 256 paths))
      (declare (ignore bytes objects))
      (let ((several (not (eql paths 1))))
        (when stream
          (print-ways ways own several cut more (if (eq stream t) *standard-output* stream)))
        (if several
            (values ways own cut)
            (values (first ways) own))))))

(defun retained-size (object)
  "How many bytes would be free if OBJECT were not there: its own, with those of all that is reached
by way of it only.  The second value is how many objects these are.

Exact for the moment, after a full collection.  The same roots do not count as for WHY.  Signals
what WHY does."
  (without-recording
    (destructuring-bind (bytes objects own ways cut more) (holder-of object)
      (declare (ignore own ways cut more))
      (values bytes objects))))
