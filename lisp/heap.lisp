;;;; heap.lisp -- snapshots of the heap with all references.

(in-package #:mprof)

(defun snapshot-name (name)
  (cond ((null name) nil)
        ((stringp (check-name name)) name)
        (t (symbol-name name))))

(defun heap-snapshot (&key name file gc (fork t) (wait t) strings)
  "Write which objects of the heap are alive, of what types, where they were allocated, and what
refers to them, into a file that `mprof heap' shows; return its pathname.

FILE is its name, and must not exist; NIL: that of the data file, with a number and `.heap' behind
it.  NAME, a string or symbol, is what the snapshot is called.  GC: after a full collection, while
all threads are stopped.  FORK: a copy of the process writes the file, and the program stops only
until there is one; NIL: the program stops after a collection until the file is written.  WAIT:
return when it is; NIL: at once, and then the file is not there any more if it could not be written.
STRINGS: the file also contains the first 40 characters of each string, which may be secret.

Signals INVALID-ARGUMENT, MONITOR-MISSING and SNAPSHOT-FAILED."
  (when file
    (check-file :file file))
  (let ((called (snapshot-name name))
        (file (and file (native-name file))))
    (exclusively (connect))
    (let ((result (mp:without-interrupts (%heap called file gc (not fork) wait strings))))
      (if (integerp result)
          (error 'snapshot-failed :file file :reason (%heap-problem result))
          (pathname result)))))
