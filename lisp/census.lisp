;;;; SPDX-License-Identifier: MIT
;;;; census.lisp -- counts the objects of the heap, and compares them with an earlier count.

(in-package #:mprof)

(defstruct (heap-mark (:conc-name %mark-) (:constructor make-mark (state objects bytes time))
                      (:copier nil) (:predicate nil))
  "The objects of the heap at one point in time, counted by type, package, site and root. What
belongs to a mark is not in Lisp's heap."
  state                                 ; foreign data
  (objects 0) (bytes 0)
  (time 0))                             ; universal time

(defmethod print-object ((mark heap-mark) stream)
  (multiple-value-bind (second minute hour) (decode-universal-time (%mark-time mark))
    (print-unreadable-object (mark stream :type t)
      (format stream "~:D object~:P, ~:D byte~:P at ~2,'0D:~2,'0D:~2,'0D" (%mark-objects mark)
              (%mark-bytes mark) hour minute second))))

(defun names-for-c (names)
  "NAMES as one string for %CENSUS."
  (format nil "~{~A~C~}" (loop for name in names
                               collect name collect (code-char 1))))

(defvar *standard-names*
  (coerce (names-for-c (let ((names '()))
                         (do-external-symbols (symbol '#:common-lisp names)
                           (push (symbol-name symbol) names))))
          'simple-base-string)
  "The names of COMMON-LISP's symbols, for %CENSUS.")

(defun forget-state (state)
  "Free what belongs to STATE, which is garbage: its finalizer. The mark has none, because it may
become garbage during a call that compares with its state."
  (undisturbed (%forget-state state)))

(defvar *mark* nil "The mark of the last call of HEAP, or NIL.")

;;; Arguments

(defun class-names (class)
  "The names of CLASS and of all classes below it, as in reports."
  (let ((classes '()))
    (labels ((add (class)
               (unless (member class classes)
                 (push class classes)
                 (mapc #'add (clos:class-direct-subclasses class)))))
      (add class))
    (loop for class in (nreverse classes)
          when (class-name class)
            collect (focus-name (class-name class)))))

(defun type-names (type)
  "The names of the types that TYPE, an argument of HEAP, selects, as in reports."
  (let ((class (typecase type
                 (class type)
                 (symbol (find-class type nil)))))
    (cond ((stringp type) (list type))
          (class (class-names class))
          (t (refuse-argument :type type '(or class string)
                              "a class, its name, or a type as HEAP prints it, a string")))))

(defun root-name (root)
  (check-argument :root root (or string symbol) "a variable, or a root as HEAP prints it, a string")
  (focus-name root))

(defun package-title (package)
  "The name of PACKAGE, a package designator."
  (package-name (or (and (typep package '(or string symbol character package))
                         (find-package package))
                    (refuse-argument :package package 'package "a package, or the name of one"))))

(defun mark-state (since)
  "The state of the mark that SINCE, an argument of HEAP, selects, or NIL."
  (check-argument :since since (or heap-mark (member nil t))
                  "a mark that HEAP returned, T: its last call, or NIL: nothing")
  (let ((mark (if (eq since t) *mark* since)))
    (and mark (%mark-state mark))))

;;; Values

(defun keyword-of (key)
  (intern (substitute #\- #\_ (string-upcase key)) '#:keyword))

(defun plists-of (keys rows)
  "A property list for each of ROWS, lists of values. KEYS are strings."
  (let ((keywords (mapcar #'keyword-of keys)))
    (loop for row in rows
          collect (mapcan #'list keywords row))))

(defun census-plist (objects bytes heap tables)
  (list* :objects objects :bytes bytes :heap heap
         (loop for (name keys . rows) in tables
               collect (keyword-of name)
               collect (plists-of keys rows))))

(defun census-result (result root)
  "Return RESULT of %CENSUS if it is a list, or else signal its error."
  (when (and root (failed-p result) (unknown-error-p result))
    (refuse-argument :root root 'string "a root as HEAP prints it, a group of roots or a kind"))
  (heap-result result))

(defun heap (&key type root package (since t) (sort :retained) (max 20)
               (stream *standard-output*))
  "Count the objects of the heap after a full collection, and print the figures or return them.

Without TYPE and ROOT, the tables are:
types     the number of objects of each type or class, their bytes, and the bytes that they retain:
          what would be free without them. Bytes include data of vectors and hash tables, and slots;
packages  the same for the types of each package, and the bytes that only variables, functions and
          property lists of the package hold;
sites     the functions that allocated the objects, if they were recorded;
roots     the bytes that each root retains: variables, functions, stacks, threads ...

TYPE     only objects of this type: a class or its name, with the classes below it, or a type as the
         tables print it, a string. A string without blanks selects all types that begin with it and
         a blank: \"HASH-TABLE\", \"CLOSURE\". The tables are TYPES without retained bytes; SET, all
         bytes that are held by these objects only; SLOTS, what their slots retain; HOLDERS, from
         which roots shortest ways lead to how many of them; PATH, such a way to one of them, from
         the first of these roots, as WHY shows it; REFERRERS; and LARGEST. What only asks for them,
         the stacks of this thread and variables of the REPL, does not count as for WHY.
ROOT     only what this root holds: a symbol or a root as the tables print it, a string.
PACKAGE  only types and roots of this package.
SINCE    shows the change, too: T, since the last call of HEAP; or since the call that returned this
         mark; NIL: no change.
SORT     the largest first: :RETAINED, or :GROWTH, of retained bytes or, if those did not change, of
         bytes.
MAX      maximum number of rows of each table; NIL: all.
STREAM   T: *STANDARD-OUTPUT*; NIL: print nothing, but return the figures.

Returns a mark, for SINCE. If STREAM is NIL, returns two values:
1. A property list: :OBJECTS, :BYTES and :HEAP, the number of objects, their bytes, and the bytes of
   the heap with free memory; then the printed tables by name, as :TYPES. A table is a list of rows,
   which are property lists such as (:OBJECTS 3 :OBJECTS-CHANGE 1 :BYTES 240 ... :TYPE \"SESSION\").
   A figure that is not known is NIL: a change at the first call, for example.
2. The mark.

Nothing is written that remains, and no program is started: a copy of the process writes a snapshot
of the heap to a temporary file, which is read and removed. Other threads wait for the copy only, a
few milliseconds. The answer takes memory of malloc, about 50 bytes for each object, but hardly any
of Lisp's heap. Signals INVALID-ARGUMENT, MONITOR-MISSING and SNAPSHOT-FAILED."
  (without-recording
    (check-limit :max max)
    (check-argument :sort sort (member :retained :growth) ":RETAINED or :GROWTH")
    (check-argument :stream stream (or stream (member nil t)) "a stream, T, or NIL: nothing")
    (when (and type root)
      (refuse-argument :root root 'null "given without :TYPE"))
    (let ((types (and type (names-for-c (type-names type))))
          (root (and root (root-name root)))
          (package (and package (package-title package)))
          (state (mark-state since))
          (to (if (eq stream t) *standard-output* stream)))
      (destructuring-bind (objects bytes heap text new . tables)
          (census-result (with-snapshot (file)
                           (%census file types *standard-names* root package
                                    (eq sort :growth) (or max 0)
                                    (or *print-right-margin* (if to (columns-of to) 0))
                                    state (asking-variables)))
                         root)
        (let ((mark (make-mark new objects bytes (get-universal-time))))
          (ext:set-finalizer new #'forget-state)
          (setf *mark* mark)
          (cond (to
                 (fresh-line to)
                 (write-string text to)
                 mark)
                (t
                 (values (census-plist objects bytes heap tables) mark))))))))
