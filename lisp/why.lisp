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

;;; A snapshot has types, and no names of objects: these are asked of the objects themselves.

(defun printed-name (name)
  (with-standard-io-syntax
    (let ((*package* (find-package '#:common-lisp-user)) (*print-readably* nil))
      (prin1-to-string name))))

(defun object-of-step (step)
  "The object that STEP of a way leads to, if it is one that may have a name, or a table; or NIL."
  (destructuring-bind (what by bytes address) step
    (declare (ignore by bytes))
    (and address
         (not (search ": " what))
         (string/= what "CONS")
         (%object-at address))))

(defun name-of-object (object)
  "The name of OBJECT, a string; NIL: it has none."
  (typecase object
    (null nil)
    (symbol (printed-name object))
    (package (package-name object))
    (class (printed-name (class-name object)))
    (function (let ((name (name-of-function object)))
                (and name (printed-name name))))))

(defun name-step (step)
  "What STEP leads to, with its name."
  (let* ((what (first step)) (object (object-of-step step)) (name (name-of-object object)))
    (cond ((null name) what)
          ((symbolp object) (format nil "SYMBOL ~A" name))
          (t (format nil "~A ~A" what name)))))

(defun key-of (table step)
  "The key in TABLE of what STEP leads to, a string; NIL: it is not found, or has no short name."
  (let ((address (fourth step)))
    (maphash (lambda (key value)
               (when (and (typep key '(or symbol number character))
                          (%is-at value address))
                 (return-from key-of (printed-name key))))
             table)
    nil))

(defun name-slot (table step)
  "In which slot STEP is; of TABLE, NIL: none, by which key."
  (let ((key (and (hash-table-p table) (eql 0 (search "value" (second step))) (key-of table step))))
    (if key
        (format nil "value of ~A" key)
        (second step))))

(defun name-way (way)
  "WAY with the names of the objects that have one, and of keys."
  (loop for step in way
        for entries = nil then table
        for table = nil then (object-of-step before)
        for before = step
        collect (list* (name-step step) (name-slot entries step) (cddr step))))

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

(defun print-way (way own stream)
  (when own
    (format stream "~&Only what asks for it (this thread's stacks, the REPL) holds it:~%"))
  (cond ((null way)
         (format stream "~&No root leads to it.~%"))
        (t
         (format stream "~&~A (~A)~%" (first (first way)) (second (first way)))
         (print-lines (folded-lines (coerce (rest way) 'simple-vector)) stream))))

(defun why (object &key (stream *standard-output*))
  "Print a shortest way of references that keeps OBJECT alive, from a root to it, a line for each
step, and return it.  Steps that are repeated are one line, and of many lines both ends are printed.

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
      (setf way (name-way way))
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
