;;;; build.lisp -- builds mprof.fas from the sources: ecl --norc --shell build.lisp -- ARGUMENT...
;;;;
;;;; Arguments: the directory of the sources; the compiler's options as one string; then the
;;;; libraries and objects to link with the Lisp code. Object files and mprof.fas are written to
;;;; lisp/ in the current directory.
;;;;
;;;; Each compiled file is also loaded as source, so that later files can use its macros and
;;;; structures. ffi.lisp cannot be interpreted, so only its macros are evaluated.

(require :cmp)

(defvar *arguments* (rest (member "--" (ext:command-args) :test #'string=)))

(defvar *sources*
  '("package" "conditions" "ffi" "profile" "arguments" "names" "recording" "report" "measure"
    "heap" "why" "provide"))

(defun fail (format &rest arguments)
  (format *error-output* "build.lisp: ~?~%" format arguments)
  (ext:quit 1))

(defun compile-source (name folder)
  "Compile the source NAME in FOLDER. Return the object file."
  (let ((source (concatenate 'string folder "/" name ".lisp"))
        (object (concatenate 'string "lisp/" name ".o")))
    (multiple-value-bind (output warnings failure)
        (compile-file source :output-file object :system-p t)
      (unless (and output (not warnings) (not failure))
        (fail "~A: there were warnings" source)))
    (if (string= name "ffi")
        (load-macros source)
        (unless (string= name "provide")
          (load source)))
    object))

(defun load-macros (source)
  "Evaluate the macro definitions in SOURCE."
  (with-open-file (stream source)
    (let ((*package* *package*))
      (loop for form = (read stream nil stream)
            until (eq form stream)
            when (member (first form) '(in-package defmacro))
              do (eval form)))))

(defun write-test (file)
  "Write to FILE a form that returns whether it is evaluated by an ECL like this one."
  (let ((key '(list (lisp-implementation-version) (ext:lisp-implementation-vcs-id)
               (mapcar (lambda (feature) (not (member feature *features*)))
                       '(:threads :unicode :boehm-gc)))))
    (with-open-file (stream file :direction :output :if-exists :supersede)
      (with-standard-io-syntax
        (prin1 `(equal ,key ',(eval key)) stream)))))

(destructuring-bind (folder options &rest libraries) *arguments*
  (setf c::*user-cc-flags* options
        *compile-verbose* nil
        c:*suppress-compiler-messages* 'c:compiler-note)
  (ensure-directories-exist "lisp/")
  (let ((objects (loop for name in *sources* collect (compile-source name folder))))
    (c:build-fasl "lisp/mprof.fas" :lisp-files objects :ld-flags libraries)
    (write-test "lisp/mprof.ecl")))

(ext:quit (if (probe-file "lisp/mprof.fas") 0 1))
