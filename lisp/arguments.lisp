;;;; SPDX-License-Identifier: MIT
;;;; arguments.lisp -- checks users' arguments before anything is recorded or printed.
;;;;
;;;; Each function returns the checked value. Checking a valid value allocates no objects.

(in-package #:mprof)

(defun check-threads (threads)
  (check-argument :threads threads (member nil :all :current) ":ALL or :CURRENT"))

(defun check-file (name file)
  (check-argument name file (or string pathname stream) "the name of a file"))

(defun check-name (name)
  (check-argument "a name" name (or string symbol) "a string or a symbol"))

(defun check-profile (profile)
  (check-argument "a profile" profile (or null profile)
                  "what START-PROFILING, CURRENT-PROFILE or LOAD-PROFILE returns"))

(defun check-some-profile (profile)
  (check-argument "a profile" profile profile
                  "what START-PROFILING, CURRENT-PROFILE or LOAD-PROFILE returns"))

(defun check-limit (name value)
  (check-argument name value limit "an integer, 1 or more, or NIL: all"))

(defun check-budget (name value)
  (check-argument name value (or null (integer 0)) "an integer, 0 or more, or NIL: any number"))

(defun check-function (function)
  (check-argument "a function" function (or function symbol (cons (eql setf) (cons symbol null)))
                  "a function, or the name of one"))

;;; Recordings

(defun check-sample (sample)
  (check-argument :sample sample (or (member nil t) (integer 1 #.(ash 64 20)))
                  "bytes, an integer from 1 to 67108864, or T: 524288, or NIL: none is left out"))

(defun check-recording (file threads max-depth sample)
  "Check the arguments of WITH-PROFILING and START-PROFILING."
  (when file
    (check-file :file file))
  (check-threads threads)
  (check-limit :max-depth max-depth)
  (check-sample sample))

(defun check-run (function arguments threads)
  "Check the arguments of RUN."
  (check-function function)
  (check-argument :arguments arguments list "a list")
  (check-threads threads))

;;; Reports

(defun check-type-of-report (type)
  (check-argument
   :type type
   (member :flat :findings :summary :function-types :direct :graph :types :sites :gc :all)
   ":FLAT, :FINDINGS, :SUMMARY, :FUNCTION-TYPES, :DIRECT, :GRAPH, :TYPES, :SITES, :GC or :ALL"))

(defun check-frames (frames)
  (check-argument :frames frames (member :lisp :c :all) ":LISP, :C or :ALL"))

(defun check-sort (sort &optional (type :sites))
  "Check the argument SORT for a report of TYPE."
  (if (member type '(:flat :summary))
      (check-argument :sort sort (member :bytes :objects :kept :peak :with-callees)
                      ":BYTES, :OBJECTS, :KEPT, :PEAK or :WITH-CALLEES")
      (check-argument :sort sort (member :bytes :objects :kept :peak)
                      ":BYTES, :OBJECTS, :KEPT or :PEAK")))

(defun name-of-function (function)
  "Return the name of FUNCTION, or NIL if it has none."
  (if (typep function 'generic-function)
      (clos:generic-function-name function)
      (nth-value 2 (function-lambda-expression function))))

(defun check-focus (focus)
  (check-argument :focus focus (or string symbol (cons symbol list) function)
                  "a function, or the name of one: a symbol, a list like (SETF NAME), or a string")
  (when (and (functionp focus) (null (name-of-function focus)))
    (refuse-argument :focus focus 'symbol "a function that has a name"))
  focus)

(defun check-report (&key (type :flat) (sort :bytes) max (min-percent 0.5) stream profile
                       (frames :lisp) chain focus full-names (skip t))
  "Check the arguments of REPORT."
  (declare (ignore full-names skip))
  (check-type-of-report type)
  (check-sort sort type)
  (check-limit :max max)
  (check-argument :min-percent min-percent (or null (real 0 100)) "from 0 to 100, or NIL: 0")
  (check-argument :stream stream (or stream (member nil t)) "a stream, T, or NIL: a string")
  (check-profile profile)
  (check-frames frames)
  (check-argument :chain chain (or limit (eql :all))
                  "an integer, 1 or more, :ALL, or NIL: as many as usual")
  (check-focus focus))

(defun check-keywords (wish)
  "Check that WISH, the argument :REPORT of WITH-PROFILING, is a list of arguments for REPORT."
  (loop for rest = wish then (cddr rest)
        while rest
        do (check-argument "a list for :REPORT" rest (cons t cons)
                           "made of keywords and values, one after the other")
           (check-argument "a keyword in the list for :REPORT" (first rest)
                           (member :type :sort :max :min-percent :stream :frames :chain :focus
                                   :full-names :skip)
                           "one that REPORT takes, but :PROFILE")))

(defun report-arguments (wish)
  "Return checked arguments for REPORT. WISH is the argument :REPORT of WITH-PROFILING, not NIL."
  (let ((arguments (cond ((eq wish t) '(:type :summary))
                         ((keywordp wish) (list :type wish))
                         (t wish))))
    (check-argument :report arguments list "T, a type of report, or a list of arguments for REPORT")
    (check-keywords arguments)
    (apply #'check-report arguments)
    arguments))
