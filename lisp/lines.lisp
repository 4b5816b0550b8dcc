;;;; SPDX-License-Identifier: MIT
;;;; lines.lisp -- compiles files so that their code knows the lines of its Lisp forms.
;;;;
;;;; ECL's compiler writes C, and gcc's debug information names lines of that C. Here the compiler
;;;; also writes #line directives, so that the debug information names lines of the Lisp file:
;;;;
;;;; 1. While the compiler reads a top-level form, reader macros note where each list begins.
;;;; 2. *MACROEXPAND-HOOK* notes that what a macro made of a form belongs to the place of this form.
;;;; 3. The compiler remembers of which form it makes a line of C. The line of this form is written
;;;;    before it, or that of the innermost form around it with a known place.
;;;;
;;;; No other file uses what the compiler does not export. Its functions are wrapped. The wrappers
;;;; only pass calls on, except in a thread that is in COMPILE-WITH-LINES. They remain, because
;;;; other threads may be in the compiler when they could be removed.

(in-package #:mprof)

(defstruct notes
  "What is known of the file that is compiled. Places are numbers of bytes from its beginning."
  (lines t)                             ; whether lines are wanted
  (options '())                         ; for the C compiler, strings
  (stream nil)                          ; from which the file is read, or NIL before its first list
  (places (make-hash-table :test 'eq))  ; of lists, by cons; or :SEVERAL
  (rests (make-hash-table :test 'eq))   ; of lists, by their second cons, which macros pass on
  (read (make-hash-table :test 'eq))    ; first conses of lists that were read, not made by a macro
  (forms (make-hash-table))             ; top-level forms, (first list . end), by *FORM-POSITION*
  (first nil)                           ; place of the first list of the form that is being read
  (readtable nil)                       ; function that undoes NOTE-LISTS, or NIL
  (compiling nil)                       ; whether the compiler works on a top-level form
  (starts nil)                          ; vector of the places at which lines begin
  (file "")                             ; name of the file, as in a string of C
  (line 1)                              ; number of its first line
  (directives 0)                        ; how many were written
  (complete nil))                       ; whether all that is wanted was done

(defvar *notes* nil "The notes on the file that this thread compiles, or NIL.")
(defvar *around* nil "The place of the innermost form with a known one that is being written.")

;;; The compiler

(defun compiler-symbol (name)
  "The compiler's own symbol called NAME, or NIL."
  (and (find-package "C") (find-symbol name "C")))

(defvar *current-form* nil "The compiler's variable for the form that is compiled or written.")
(defvar *form-position* nil "The compiler's variable for where it began to read a top-level form.")
(defvar *c-stream* nil "The compiler's variable for the stream to which it writes C.")

(defvar *writers* nil "The compiler's variable for the functions that write forms as C.")

(defvar *wrappers* (make-hash-table :test 'eq)
  "The wrappers that are in use. The key is the name of a function, or of a kind of the compiler's
forms.")

(defparameter *wrapped*
  '(("T1EXPR" . around-top-level) ("WT-NL" . around-line) ("T3LOCAL-FUN" . around-function)
    ("SAFE-RUN-PROGRAM" . around-program))
  "The compiler's functions that are wrapped. Each is passed to the function beside it, as a
function, with a list of its arguments.")

(defun find-compiler ()
  "Load the compiler. Return NIL, or what it lacks."
  (ignore-errors (require :cmp))
  (flet ((name (variable)
           (or (compiler-symbol variable)
               (return-from find-compiler variable))))
    (setf *current-form* (name "*CURRENT-FORM*")
          *form-position* (name "*COMPILE-FILE-POSITION*")
          *c-stream* (name "*COMPILER-OUTPUT1*")
          *writers* (name "*C2-DISPATCH-TABLE*"))
    (if (and (boundp *writers*) (hash-table-p (symbol-value *writers*)))
        (find-if-not (lambda (name) (fboundp (name name)))
                     (mapcar #'car *wrapped*))
        (symbol-name *writers*))))

(defun wrapper (name function around)
  "A function that passes FUNCTION and its own arguments to AROUND while a file is compiled with
lines."
  (setf (gethash name *wrappers*)
        (lambda (&rest arguments)
          (if *notes*
              (funcall around function arguments)
              (apply function arguments)))))

(defun wrap-compiler ()
  "Wrap those of the compiler's functions that are not wrapped."
  (loop for (name . around) in *wrapped*
        for symbol = (compiler-symbol name)
        unless (eq (fdefinition symbol) (gethash symbol *wrappers*))
          do (setf (fdefinition symbol) (wrapper symbol (fdefinition symbol) around)))
  (let ((writers (symbol-value *writers*)))
    (loop for kind in (loop for kind being the hash-keys of writers collect kind)
          for writer = (gethash kind writers)
          unless (eq writer (gethash kind *wrappers*))
            do (setf (gethash kind writers) (wrapper kind writer 'around-form)))))

;;; Places in the file

(defun c-string (text)
  "TEXT as it is written within quotes in C."
  (with-output-to-string (out)
    (loop for char across text
          do (when (find char "\"\\")
               (write-char #\\ out))
             (write-char char out))))

(defun name-of-source (stream)
  "The name by which the compiler records the file of STREAM, if that is a whole one."
  (let ((recorded (car ext:*source-location*)))
    (namestring (if (and recorded (eql (search "/" (namestring recorded)) 0))
                    recorded
                    (truename stream)))))

(defun line-starts (stream)
  "The places at which lines of the file begin that STREAM reads, up to what cannot be decoded."
  (let ((starts (list 0)))
    (ignore-errors
     (with-open-file (file (pathname stream) :external-format (stream-external-format stream))
       (loop while (read-line file nil)
             do (push (file-position file) starts))))
    (coerce (nreverse starts) 'simple-vector)))

(defun file-stream-p (notes stream)
  "Return whether STREAM is that from which the compiler reads its file."
  (cond ((notes-stream notes)
         (eq stream (notes-stream notes)))
        ((and (typep stream 'file-stream) *compile-file-truename*
              (equal (truename stream) *compile-file-truename*))
         (setf (notes-file notes) (c-string (name-of-source stream))
               (notes-starts notes) (line-starts stream)
               (notes-stream notes) stream))))

(defun line-at (notes place)
  (let ((starts (notes-starts notes)) (low 0))
    (loop with high = (length starts)
          while (> (- high low) 1)
          do (let ((middle (ash (+ low high) -1)))
               (if (<= (svref starts middle) place)
                   (setf low middle)
                   (setf high middle))))
    (+ low (notes-line notes))))

(defun place-of (notes form)
  "The place of FORM, or NIL."
  (when (consp form)
    (let ((place (or (gethash form (notes-places notes))
                     (and (consp (cdr form)) (gethash (cdr form) (notes-rests notes)))
                     (place-of-part notes form))))
      (and (integerp place) place))))

(defun place-of-part (notes form)
  "The place of the list of which FORM, which was not read, is made. A reader macro makes #'X of a
list X, and the compiler makes (FLET ((NAME . REST)) #'NAME) of (LAMBDA . REST)."
  (let ((second (and (consp (cdr form)) (second form))))
    (cond ((not (consp second)) nil)
          ((null (cddr form)) (gethash second (notes-places notes)))
          ((and (eq (first form) 'flet) (consp (first second)) (null (rest second)))
           (gethash (cdr (first second)) (notes-rests notes))))))

(defun inherit (notes form place)
  "Note that the conses of FORM that were not read belong to PLACE."
  (let ((places (notes-places notes)) (rests (notes-rests notes)) (todo (list form)))
    (loop while todo
          do (loop for x = (pop todo) then (cdr x)
                   while (and (consp x) (not (gethash x (notes-read notes))))
                   do (let ((old (gethash x places)))
                        (when (or (eql old place) (eq old :several))
                          (return))
                        ;; a constant list of a macro is in several expansions
                        (setf (gethash x places) (if old :several place))
                        (when (and (consp (cdr x)) (not (gethash (cdr x) rests)))
                          (setf (gethash (cdr x) rests) place))
                        (push (car x) todo))))))

(defun note-list (function stream char)
  "Read a list, or what ` makes of it, with FUNCTION, and note its place."
  (let* ((notes *notes*)
         (place (and notes
                     (not (notes-compiling notes))
                     (file-stream-p notes stream)
                     (1- (file-position stream)))))
    (when (and place (null (notes-first notes)))
      (setf (notes-first notes) place))
    (let* ((values (multiple-value-list (funcall function stream char)))
           (form (first values)))
      (when (and place (consp form))
        (when (char/= char #\()
          (inherit notes form place))
        (setf (gethash form (notes-places notes)) place
              (gethash form (notes-read notes)) t)
        (when (consp (cdr form))
          (setf (gethash (cdr form) (notes-rests notes)) place)))
      (values-list values))))

;;; Threads may share a readtable. Its reader macros serve all that compile files, and are removed
;;; when none of them reads any more.

(defvar *noting* '() "Lists (readtable uses . replaced), one for each that has the reader macros.")
(defvar *noting-lock* (mp:make-lock :name "mprof lines" :recursive t))

(defun replace-readers (readtable)
  "Set the reader macros of READTABLE. Return what RESTORE-READERS needs."
  (loop for char across "(`"
        for (function quiet) = (multiple-value-list (get-macro-character char readtable))
        when function
          collect (let* ((function function)
                         (reader (lambda (stream char) (note-list function stream char))))
                    (set-macro-character char reader quiet readtable)
                    (list char reader function quiet))))

(defun restore-readers (readtable replaced)
  (loop for (char reader function quiet) in replaced
        when (eq (get-macro-character char readtable) reader)
          do (set-macro-character char function quiet readtable)))

(defun use-readers (readtable)
  (mp:with-lock (*noting-lock*)
    (let ((noting (assoc readtable *noting*)))
      (if noting
          (incf (second noting))
          (push (list* readtable 1 (replace-readers readtable)) *noting*)))))

(defun leave-readers (readtable)
  (mp:with-lock (*noting-lock*)
    (let ((noting (assoc readtable *noting*)))
      (when (zerop (decf (second noting)))
        (setf *noting* (remove noting *noting*))
        (restore-readers readtable (cddr noting))))))

(defun note-lists (notes)
  "Note the lists that are read by *READTABLE*, which is replaced if it cannot be changed."
  (when (notes-lines notes)
    (let ((given *readtable*))
      (unless (ignore-errors (use-readers *readtable*) t)
        (setf *readtable* (copy-readtable))
        (use-readers *readtable*))
      (let ((used *readtable*))
        (setf (notes-readtable notes)
              (lambda ()
                (leave-readers used)
                (when (eq *readtable* used)
                  (setf *readtable* given))))))))

(defun note-no-lists (notes)
  "Undo NOTE-LISTS."
  (when (notes-readtable notes)
    (funcall (shiftf (notes-readtable notes) nil))))

(defun call-with-inheritance (notes function)
  "Call FUNCTION while places are passed on to what macros return. If it sets *MACROEXPAND-HOOK*, it
remains set."
  (let* ((given *macroexpand-hook*)
         (hook (lambda (expander form environment)
                 (let ((new (funcall given expander form environment))
                       (place (place-of notes form)))
                   (when (and place (consp new) (not (eq new form)))
                     (inherit notes new place))
                   new)))
         (after hook))
    (unwind-protect
         (let ((*macroexpand-hook* hook))
           (unwind-protect (funcall function)
             (setf after *macroexpand-hook*)))
      (unless (eq after hook)
        (setf *macroexpand-hook* after)))))

;;; Around the compiler's functions

(defun around-top-level (function arguments)
  "Around the work on a top-level form. Files and forms that are compiled meanwhile have no lines."
  (let ((notes *notes*))
    (when (notes-compiling notes)
      (return-from around-top-level (apply function arguments)))
    (note-no-lists notes)
    (when (notes-first notes)
      (setf (gethash (symbol-value *form-position*) (notes-forms notes))
            (cons (shiftf (notes-first notes) nil) (file-position (notes-stream notes)))))
    (setf (notes-compiling notes) t)
    (multiple-value-prog1
        (unwind-protect
             (call-with-inheritance notes (lambda () (apply function arguments)))
          (setf (notes-compiling notes) nil))
      (note-lists notes))))

(defun place-now (notes)
  "The place of the form that is being written, or of the innermost one around it that was read with
the current top-level form: forms of macros were read elsewhere. Else that of the top-level form."
  (let ((form (gethash (symbol-value *form-position*) (notes-forms notes))))
    (flet ((inside (place)
             (and place (<= (car form) place) (< place (cdr form)) place)))
      (if form
          (or (inside (place-of notes (symbol-value *current-form*)))
              (inside *around*)
              (car form))
          *around*))))                  ; constants such as NIL belong to no top-level form

(defun around-form (function arguments)
  "Around the writing of a form."
  (let ((*around* (if (notes-compiling *notes*) *around* (place-now *notes*))))
    (apply function arguments)))

(defun place-of-function (notes function)
  "The place of the definition of FUNCTION, which is the compiler's description of it, or NIL."
  (flet ((get-from (object reader)
           (funcall (compiler-symbol reader) object)))
    (let* ((form (get-from (get-from function "FUN-LAMBDA") "C1FORM-FORM"))
           (name (get-from function "FUN-NAME"))
           (definitions (and (consp form) (member (first form) '(flet labels))
                             (consp (rest form)) (listp (second form))
                             (second form))))
      (or (place-of notes (find-if (lambda (definition)
                                     (and (consp definition) (equal (first definition) name)))
                                   definitions))
          (place-of notes form)))))

(defun around-function (function arguments)
  "Around the writing of a function, which begins in the line of its definition."
  (let ((*around* (ignore-errors (place-of-function *notes* (first arguments)))))
    (apply function arguments)))

(defun around-line (function arguments)
  "Around the writing of a line of C. What belongs to no form is in no line of the file."
  (let* ((notes *notes*))
    (unless (notes-compiling notes)
      (let ((place (place-now notes)) (stream (symbol-value *c-stream*)))
        (cond (place
               (incf (notes-directives notes))
               (format stream "~%#line ~D \"~A\"" (line-at notes place) (notes-file notes)))
              ((plusp (notes-directives notes))
               (format stream "~%#line 1 \"~A.c\"" (notes-file notes)))))))
  (apply function arguments))

(defun complete-lines (file)
  "Repeat directives in FILE, which is C, so that all lines after one are in its line."
  (let* ((format #+unicode :latin-1 #-unicode :default)
         (lines (with-open-file (in file :external-format format)
                  (loop for line = (read-line in nil) while line collect line))))
    (with-open-file (out file :direction :output :if-exists :supersede :external-format format)
      (loop with directive = nil
            for before = "" then line
            for line in lines
            do (cond ((eql (mismatch "#line " line) 6)
                      (setf directive line))
                     ((and directive
                           (not (eq before directive))
                           (string/= line "")
                           (char/= (char line 0) #\#)
                           (not (eql (mismatch "\\" before :from-end t) 0)))
                      (write-line directive out)))
               (write-line line out)))))

(defun around-program (function arguments)
  "Around the run of a program with a list of arguments. Only the C compiler has an argument -c."
  (destructuring-bind (program given &rest rest) arguments
    (let* ((notes *notes*)
           (file (and (not (notes-compiling notes)) (second (member "-c" given :test #'equal)))))
      (when file
        (setf (notes-complete notes) (or (null (notes-stream notes))    ; the file has no list
                                         (plusp (notes-directives notes))))
        (when (plusp (notes-directives notes))
          (complete-lines file)))
      (apply function program
             (if file (append given (notes-options notes)) given)
             rest))))

;;; Compiling

(defvar *compile-file* nil
  "ECL's function COMPILE-FILE while another one is in its place, see ENABLE-LINES. Else NIL.")

(defun compile-plainly (file arguments)
  (apply (or *compile-file* #'cl:compile-file) file arguments))

(defun options (lines tail-calls)
  "Options of the C compiler that keep each call in its line, and callers on the stack."
  (append (and lines '("-g" "-fno-ipa-icf" "-fno-crossjumping" "-fno-tree-tail-merge"))
          (and tail-calls '("-fno-optimize-sibling-calls" "-fno-partial-inlining"))))

(defun line-of-offset (file offset)
  "The line of the character at OFFSET of FILE."
  (with-open-file (in file)
    (loop repeat offset
          for char = (read-char in nil)
          while char
          count (char= char #\Newline) into lines
          finally (return (1+ lines)))))

(defun first-line (source-truename source-offset)
  "The line of the source at which a file begins whose text is from there, as that which Slime
compiles for one function."
  (or (and source-truename source-offset
           (ignore-errors (line-of-offset source-truename source-offset)))
      1))

(defun compile-with-lines (file lines tail-calls arguments)
  "Apply ECL's COMPILE-FILE to FILE and ARGUMENTS as COMPILE-FILE below describes."
  (let ((missing (find-compiler)))
    (when missing
      (give-warning "~A is compiled without lines and with tail calls, because this ECL's ~
                     compiler has no ~A that mprof knows" file missing)
      (return-from compile-with-lines (compile-plainly file arguments))))
  (wrap-compiler)
  (let* ((*notes* (make-notes :lines lines
                              :options (options lines tail-calls)
                              :line (first-line (getf arguments :source-truename)
                                                (getf arguments :source-offset))))
         (*around* nil)
         (*readtable* *readtable*))
    (note-lists *notes*)
    (let ((values (multiple-value-list (unwind-protect (compile-plainly file arguments)
                                         (note-no-lists *notes*)))))
      (when (and (first values) (not (notes-complete *notes*)))
        (give-warning "~A was compiled without lines, because this ECL's compiler does not write ~
                       C as mprof knows it" file))
      (values-list values))))

(defun without-keys (arguments &rest keys)
  (loop for (key value) on arguments by #'cddr
        unless (member key keys)
          collect key and collect value))

(defun compile-file (file &rest arguments &key (lines t) tail-calls &allow-other-keys)
  "Compile FILE as COMMON-LISP:COMPILE-FILE does, so that reports show lines of it instead of the
lines at which functions begin, and each line that allocates is a site of its own. Returns the same
values, and passes other ARGUMENTS on.

LINES       write the lines of forms into the debug information of the code. The code does the same
            and is as fast.
TAIL-CALLS  keep the callers of functions that are called last on the stack, so that they are on
            chains. Then functions that call each other endlessly in this way overflow the stack.

If ECL's compiler is not as expected, signals MPROF-WARNING and compiles FILE without both."
  (let ((rest (without-keys arguments :lines :tail-calls)))
    (if (or lines tail-calls)
        (compile-with-lines file lines tail-calls rest)
        (compile-plainly file rest))))

(defun set-compile-file (function)
  (handler-bind ((package-error #'continue))    ; COMMON-LISP is locked
    (setf (fdefinition 'cl:compile-file) function)))

(defun enable-lines (&key (lines t) tail-calls)
  "Make COMMON-LISP:COMPILE-FILE compile all files as COMPILE-FILE does, with these LINES and
TAIL-CALLS, also for ASDF and Slime, until DISABLE-LINES is called. ASDF must be told to compile
again what it has compiled without: (asdf:load-system NAME :force t). Returns no values."
  (disable-lines)
  (find-compiler)                       ; loads ECL's COMPILE-FILE
  (setf *compile-file* #'cl:compile-file)
  (set-compile-file (lambda (file &rest arguments)
                      (apply #'compile-file file :lines lines :tail-calls tail-calls arguments)))
  (values))

(defun disable-lines ()
  "Undo ENABLE-LINES. Returns no values."
  (when *compile-file*
    (set-compile-file (shiftf *compile-file* nil)))
  (values))
