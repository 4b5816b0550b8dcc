;;;; SPDX-License-Identifier: MIT
;;;; why.lisp -- finds out what keeps an object alive and how much it retains.

(in-package #:mprof)

(defun check-in-heap (object)
  (unless (and (not (typep object '(or fixnum character null))) (%in-heap-p object))
    (refuse-argument "an object" object t "one that is in the heap")))

(defun heap-result (result)
  "Return RESULT of %HOLDER if it is a list, or else signal its error."
  (cond ((integerp result)
         (error 'snapshot-failed :reason (%heap-problem result)))
        ((stringp (car result))
         (error 'snapshot-failed :reason (format nil "~A (~A)" (cdr result) (car result))))
        (t result)))

(defun holder-of (object &optional (most 1))
  "Return (bytes objects own ways cut more) for OBJECT, see lisp_module.h."
  (check-in-heap object)
  (heap-result (with-snapshot (file) (%holder object (asking-variables) file most))))

;;; Even a way of a million steps is printed in a few lines. Repeated steps are folded, and of many
;;; lines only both ends are printed.

(defconstant +longest-round+ 4 "Maximum number of steps in a sequence that is folded.")
(defconstant +least-rounds+ 4 "Minimum number of repetitions of a sequence that is folded.")
(defconstant +lines-of-end+ 30 "Number of lines that are shown of each end.")

(defun same-step-p (a b)
  (and (string= (first a) (first b)) (string= (second a) (second b))))

(defun rounds-at (steps at length)
  "How many times the LENGTH steps at index AT of the vector STEPS occur in a row."
  (loop for next from (+ at length) below (length steps)
        while (same-step-p (svref steps next) (svref steps (- next length)))
        finally (return (floor (- next at) length))))

(defun round-at (steps at)
  "The number of steps at index AT of STEPS that are repeated, and how often they occur; or NIL."
  (loop for length from 1 to +longest-round+
        for rounds = (rounds-at steps at length)
        when (>= rounds +least-rounds+)
          return (values length rounds)))

(defun step-line (step)
  (destructuring-bind (what by bytes address) step
    (declare (ignore address))
    (format nil "  ~:[~A: ~;~*~]~A, ~:D byte~:P" (string= by "") by what bytes)))

(defun more-line (steps at length rounds)
  "The line that replaces all repetitions except the first and the last."
  (format nil "  ... ~:D more by ~{~A~^, ~}" (* length (- rounds 2))
          (loop for i from at repeat length
                collect (second (svref steps i)))))

(defun folded-lines (steps)
  "The lines for the vector STEPS, with repeated steps folded."
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
  "Print a shortest way of references that keeps OBJECT alive, from a root to OBJECT, and return it.
Each step is a line. Repeated steps are folded, and of many lines only both ends are printed.

PATHS    maximum number of ways, which have no reference in common; T: all, but at most 256.
STREAM   T: *STANDARD-OUTPUT*; NIL: print nothing.

Returns two values, or three if PATHS is not 1:
1. The way, a list of lists (WHAT BY BYTES ADDRESS). The first one describes the root: its title;
   its kind, with its package, library or thread; NIL; NIL. The others describe objects, the last of
   which is OBJECT: type and name; slot of the object before it; size; address. If PATHS is not 1,
   the value is a list of ways.
2. Whether only the caller of WHY refers to OBJECT: the stacks of this thread, its handlers and
   restarts, and its REPL's variables *, **, ***, +, ++, +++, /, //, /// and -. These do not count
   while any other reference exists.
3. The fewest references that must be cleared until no root leads to OBJECT, as many as there are
   ways, as lists (WHAT BY BYTES ADDRESS) of the referring object and its slot. NIL if there are
   more ways than PATHS.

WHY makes a full collection and a snapshot of the heap as HEAP-SNAPSHOT does, in a file that it
removes. Signals INVALID-ARGUMENT, MONITOR-MISSING and SNAPSHOT-FAILED. Fixnums, characters, and
libecl's own objects such as CAR and NIL are not in the heap and so are invalid arguments."
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
  "Return the number of bytes that would be freed if OBJECT did not exist: its own, and those of all
objects that are reached only through it. The second value is the number of these objects. They are
exact for the time after a full collection, which is made. The same roots as for WHY are ignored.
Signals the same conditions as WHY."
  (without-recording
    (destructuring-bind (bytes objects own ways cut more) (holder-of object)
      (declare (ignore own ways cut more))
      (values bytes objects))))
