;;;; SPDX-License-Identifier: MIT
;;;; heap.lisp -- snapshots of the heap with all references.

(in-package #:mprof)

(defun snapshot-name (name)
  (cond ((null name) nil)
        ((stringp (check-name name)) name)
        (t (symbol-name name))))

(defmacro withdrawing (form)
  "The value of FORM, which requests a snapshot. Withdraws the request if a throw leaves FORM, as
finalizers can, which run in the collection."
  (let ((returned (gensym "RETURNED")))
    `(let ((,returned nil))
       (unwind-protect (prog1 ,form (setf ,returned t))
         (unless ,returned
           (%heap-left))))))

(defun prepare-snapshot ()
  "Connect to the monitor, and register the names of all functions, so that closures have names."
  (exclusively
    (connect)
    (name-without-memory)))

(defvar *asking* (mp:make-lock :name "MPROF heap" :recursive t)
  "Held while a thread makes a snapshot for itself. Others wait for their turn.")

(defmacro with-snapshot ((file) form)
  "The value of FORM, which makes a snapshot in a temporary file and reads it; or an errno value.
FILE is a variable that is bound to the file's name. The file is removed afterwards."
  `(let ((,file nil))
     (prepare-snapshot)
     (unwind-protect
          (undisturbed
           (mp:with-lock (*asking*)
             (setf ,file (%temporary-name))
             (if (integerp ,file)
                 ,file
                 (withdrawing ,form))))
       (when (stringp ,file)
         (undisturbed (%forget ,file))))))

(defun heap-snapshot (&key name file gc (fork t) (wait t) strings)
  "Write a snapshot of the heap to a file, and return its pathname. The snapshot contains all live
objects with their types, the places where they were allocated, and their references. `mprof heap'
shows it.
  FILE     its name; the file must not exist. NIL: the name of the data file, followed by a
             number and `.heap'.
  NAME     the name of the snapshot, a string or symbol.
  GC       make the snapshot after a full collection, while all threads are stopped.
  FORK     let a copy of the process write the file, so that the program stops only until the
             copy exists. NIL: the program stops after a collection until the file is written.
  WAIT     return when the file is written. NIL: return at once. Then the file is removed if
             writing fails.
  STRINGS  write the first 40 characters of each string, too. They may be secret.
Signals INVALID-ARGUMENT, MONITOR-MISSING and SNAPSHOT-FAILED."
  (when file
    (check-file :file file))
  (let ((called (snapshot-name name))
        (file (and file (native-name file))))
    (prepare-snapshot)
    (let ((result (mp:without-interrupts
                    (withdrawing (%heap called file gc (not fork) wait strings)))))
      (if (integerp result)
          (error 'snapshot-failed :file file :reason (%heap-problem result))
          (pathname result)))))
