;;;; reports.lisp -- reports, and profiles that are saved and loaded.

(in-package #:mprof-tests)

(define-test reports
  (mprof:with-profiling (:reset t)
    (make-points 1000)
    (make-pairs 5000))
  (dolist (type '(:flat :graph :sites))
    (check (format nil "~S has the functions" type)
           (search "MPROF-TESTS::MAKE-PAIRS" (report-of :type type :min-percent nil))))
  (check ":TYPES has the classes"
         (line-with "MPROF-TESTS::POINT" (report-of :type :types :min-percent nil)))
  (check ":GC says what survived" (search "TABLE 5" (report-of :type :gc)))
  (check ":ALL has a head" (eql (search "MPROF:" (report-of :type :all)) 0))
  (check-signals "another type" error (report-of :type :other))
  (check-is "it returns nothing"
            (multiple-value-list (mprof:report :stream (make-broadcast-stream))) '()))

(define-test where-it-is-printed
  (check "*STANDARD-OUTPUT*, when it is asked for"
         (search "TABLE 7" (with-output-to-string (*standard-output*)
                             (mprof:with-profiling (:report t) (make-pairs 100)))))
  (let* ((text (with-output-to-string (*standard-output*)
                 (mprof:with-profiling (:report t) (make-pairs 100))))
         (places (mapcar (lambda (title) (search title text)) '("FINDINGS" "TABLE 7" "TABLE 6"))))
    (check "findings, functions, then sites" (and (notany #'null places) (apply #'< places))))
  (check "a type, in :REPORT"
         (search "TABLE 1" (with-output-to-string (*standard-output*)
                             (mprof:with-profiling (:report :types) (make-pairs 100)))))
  (check "arguments, in :REPORT"
         (search "TABLE 4" (with-output-to-string (*standard-output*)
                             (mprof:with-profiling (:report '(:type :graph :max 3))
                               (make-pairs 100)))))
  (check-is "nothing, else"
            (with-output-to-string (*standard-output*)
              (mprof:with-profiling () (make-pairs 100))
              (mprof:start-profiling)
              (mprof:stop-profiling))
            "")
  (check-is "the body's values, with a report"
            (let ((*standard-output* (make-broadcast-stream)))
              (multiple-value-list (mprof:with-profiling (:report t) (values 1 2))))
            '(1 2)))

(declaim (notinline outermost between))
(defun between (n) (make-pairs n) nil)
(defun outermost (n) (between n) (make-points 5) nil)

(define-test with-callees
  (mprof:with-profiling (:reset t) (outermost 1000))
  (flet ((order (&rest arguments)
           (let* ((report (apply #'report-of :min-percent nil :max nil arguments))
                  (names '("OUTERMOST" "BETWEEN" "MAKE-PAIRS" "MAKE-POINTS")))
             (sort (remove nil names
                           :key (lambda (name)
                                  (line-with (format nil "MPROF-TESTS::~A" name) report)))
                   #'< :key (lambda (name) (search (format nil "::~A~%" name) report))))))
    (unless *outside*
      (check-is ":WITH-CALLEES: callers before those that allocate"
                (order :sort :with-callees) '("OUTERMOST" "BETWEEN" "MAKE-PAIRS" "MAKE-POINTS"))
      (check-is "by bytes: only those" (order) '("MAKE-PAIRS" "MAKE-POINTS")))
    (check-is "what it allocated itself, and all of it"
              (subseq (single-spaced (line-with "MPROF-TESTS::BETWEEN"
                                                (report-of :sort :with-callees :min-percent nil)))
                      0 9)
              " 0 0 0 16")))

(define-test findings-of-a-form
  (mprof:with-profiling (:reset t) (make-floats 100000))
  (unless *outside*
    (let ((text (report-of :type :findings)))
      (check "a sentence with the function" (search "MPROF-TESTS::MAKE-FLOATS" text))
      (check "a form shows more, no command"
             (and (search "(mprof:report :type :sites :focus \"MPROF-TESTS::MAKE-FLOATS\")" text)
                  (not (search "mprof report" text)))))))

(define-test choices
  (mprof:with-profiling (:reset t)
    (make-points 1000)
    (make-pairs 100))
  (flet ((rows (&rest arguments)
           (count #\Newline (apply #'report-of :type :types arguments))))
    (check ":MAX" (< (rows :max 1 :min-percent nil) (rows :min-percent nil)))
    (check ":MIN-PERCENT" (<= (rows :min-percent 40) (rows :min-percent 0))))
  (let ((previous most-positive-fixnum) (sorted t) (n 0))
    (mprof:map-sites (lambda (site)
                       (incf n)
                       (when (> (mprof:site-objects site) previous)
                         (setf sorted nil))
                       (setf previous (mprof:site-objects site)))
                     :sort :objects)
    (check ":SORT :OBJECTS" (and sorted (> n 1)))))

(define-test sites
  (mprof:with-profiling (:reset t) (make-pairs 1000))
  (let ((site nil))
    (check-is "MAP-SITES returns NIL"
              (mprof:map-sites (lambda (s)
                                 (when (equal (first (mprof:site-functions s))
                                              "MPROF-TESTS::MAKE-PAIRS")
                                   (setf site s))))
              nil)
    (check "the site of MAKE-PAIRS" site)
    (check-is "its type" (mprof:site-type site) "CONS")
    (check-is "its category" (mprof:site-category site) #\c)
    (check "its bytes are those of its objects"
           (= (mprof:site-bytes site) (* 16 (mprof:site-objects site))
              (mprof:site-requested-bytes site)))
    (check-is "three ages" (length (mprof:site-survived site)) 3))
  (check-is "a function that leaves MAP-SITES" (block out
                                                 (mprof:map-sites (lambda (site)
                                                                    (declare (ignore site))
                                                                    (return-from out 1))))
            1))

(define-test own-consing-is-not-recorded
  (mprof:with-profiling ()
    (let ((nowhere (make-broadcast-stream)) (before 0) (after 0))
      (setf before (mprof:total-objects))
      (mprof:report :stream nowhere)
      (mprof:report :type :sites :stream nowhere)
      (mprof:current-profile)
      (setf after (mprof:total-objects))
      (check-is "reports" (- after before) 0))))

(define-test rows-that-are-left-out
  (mprof:with-profiling (:reset t)
    (make-pairs 5000)
    (make-floats 10)
    (let ((all (single-spaced (report-of :type :sites :min-percent 0))))
      (check "sites: all" (search "FLOAT MPROF-TESTS::MAKE-FLOATS" all))
      (check "sites: and no more" (not (search "left out" all))))
    (unless *outside*
      (let ((large (report-of :type :sites :min-percent 20)))
        (check "sites: those with a share"
               (search "CONS MPROF-TESTS::MAKE-PAIRS" (single-spaced large)))
        (check "sites: not the others" (not (search "MAKE-FLOATS" large)))
        (check "sites: which is said" (search "left out" large)))))
  (check-signals "no rows" type-error (report-of :max 0))
  (check-signals "less than none" type-error (report-of :max -1))
  (check-signals "no sites" type-error (mprof:map-sites #'identity :max 0)))

(declaim (notinline first-half second-half both-halves))
(defun first-half () (length (make-pairs 300)))
(defun second-half () (length (copy-list (make-pairs 100))))
(defun both-halves () (+ (first-half) (second-half)))

(define-test charged-functions
  (unless *outside*
    (mprof:with-profiling () (both-halves))
    (flet ((line (name &rest arguments)
             (single-spaced (or (line-with name (apply #'report-of arguments)) ""))))
      (check "COPY-LIST is charged to its caller, which is shown with its callees"
             (search "1600 (20) 100 0 3200 (40) MPROF-TESTS::SECOND-HALF"
                     (line "SECOND-HALF")))
      (check "a function that only calls is not in the table"
             (not (search "BOTH-HALVES" (report-of))))
      (check "nor is COPY-LIST" (not (search "COPY-LIST" (report-of :min-percent nil))))
      (check "with all frames each function is charged for itself"
             (search " ecl_cons" (report-of :min-percent nil :frames :all)))
      (check "the table of 1988 is there" (search " COPY-LIST" (report-of :type :direct)))
      (check "by type, too"
             (search "1600 (20) 100 0 CONS MPROF-TESTS::SECOND-HALF"
                     (line "SECOND-HALF" :type :function-types))))))

(defclass thing () ((part :initarg :part)))
(defgeneric take-apart (thing))
(defmethod take-apart ((thing thing)) (list (make-instance 'thing :part 1) 2))

(define-test charged-methods
  (unless *outside*
    (mprof:with-profiling () (take-apart (make-instance 'thing :part 3)))
    (let ((report (report-of :min-percent nil)))
      (check "methods of the program are charged" (search "(METHOD MPROF-TESTS::TAKE-APART" report))
      (check "those of CLOS are not" (not (search "(METHOD MAKE-INSTANCE" report))))))

(define-test charged-top-level-forms
  (unless *outside*
    (eval '(mprof:with-profiling () (copy-list '(1 2 3))))
    (check "what a REPL's form has a function make is the form's"
           (search "top-level form" (report-of)))))

(define-test in-focus
  (mprof:with-profiling (:reset t) (both-halves))
  (flet ((objects (focus)
           (let ((sum 0))
             (mprof:map-sites (lambda (site) (incf sum (mprof:site-objects site))) :focus focus)
             sum)))
    (unless *outside*
      (check-is "a symbol" (objects 'first-half) 300)
      (check-is "a string" (objects "MPROF-TESTS::SECOND-HALF") 200)
      (check-is "outer functions" (objects 'both-halves) 500)
      (check "says so" (search "Only what was allocated through MPROF-TESTS::FIRST-HALF: 4,800 of"
                               (report-of :focus 'first-half))))
    (check "in reports"
           (not (search "SECOND-HALF" (report-of :focus 'first-half :min-percent nil)))))
  (check-signals "a function that is on no chain" mprof:no-such-function
    (report-of :focus 'not-on-a-chain))
  (let ((report (princ-to-string (check-signals "a name without its package" mprof:no-such-function
                                   (report-of :focus "make-pairs")))))
    (check "it offers the function of a package"
           (search "'make-pairs' is on no chain, but MPROF-TESTS::MAKE-PAIRS is" report))))

(defvar *kept-tables* '())

(define-test skipped-wrappers
  (mprof:with-profiling (:reset t)
    (setf *kept-tables* (loop repeat 10 collect (make-hash-table))))
  (flet ((has-wrapper (&rest arguments)
           (search (format nil " ecl_alloc~%")
                   (apply #'report-of :type :direct :frames :all :min-percent nil arguments))))
    (unless *outside*
      (check "what ecl_alloc allocates is its callers'" (not (has-wrapper)))
      (check "unless it is to be shown" (has-wrapper :skip nil)))
    (check "names may be whole" (stringp (report-of :full-names t)))))

(define-test chains-of-sites
  (unless *outside*
    (mprof:with-profiling () (both-halves))
    (check "the innermost functions"
           (search "MAKE-PAIRS < MPROF-TESTS::FIRST-HALF < ..." (report-of :type :sites :chain 2)))
    (check "all of them"
           (search "MAKE-PAIRS < MPROF-TESTS::FIRST-HALF < MPROF-TESTS::BOTH-HALVES"
                   (report-of :type :sites :chain :all)))
    (check "what differs further out is one row"
           (search "6400 (80) 400 0 0 CONS MPROF-TESTS::MAKE-PAIRS < ..."
                   (single-spaced (report-of :type :sites :chain 1))))))

(define-test as-a-string
  (mprof:with-profiling () (make-pairs 10))
  (unless *outside*
    (check-is ":STREAM NIL is a string" (mprof:report :stream nil)
              (with-output-to-string (*standard-output*) (mprof:report :stream t))))
  (check-is "nothing is printed then"
            (with-output-to-string (*standard-output*) (mprof:report :stream nil)) ""))

(define-test survival-by-what
  (unless *outside*
    (let ((kept nil))
      (mprof:with-profiling ()
        (setf kept (list (make-pairs 100) (make-floats 9998)))
        (ext:gc t)
        (let ((by-bytes (report-of :type :gc :max 1 :min-percent 0))
              (by-objects (report-of :type :gc :max 1 :min-percent 0 :sort :objects)))
          (check "by bytes that survived" (search "MAKE-PAIRS" by-bytes))
          (check "only those" (not (search "MAKE-FLOATS" by-bytes)))
          (check "by objects" (search "MAKE-FLOATS" by-objects))
          (check "only those, too" (not (search "MAKE-PAIRS" by-objects)))))
      kept)))

(define-test saved-and-loaded
  (mprof:with-profiling (:reset t) (make-pairs 1234))
  (let* ((there (format nil "~A/saved ~D%.data" *folder* (random 1000000)))
         (file (mprof:save there))
         (objects (objects-of "MPROF-TESTS::MAKE-PAIRS" "CONS"))
         (loaded (mprof:load-profile file)))
    (check "the file is there" (probe-file file))
    (check "loaded again, it reports the same"
           (string= (report-of :profile loaded :type :types)
                    (report-of :profile (mprof:load-profile file) :type :types)))
    (check "the functions are there" (search "MAKE-PAIRS" (report-of :profile loaded)))
    (check "the sums are there" (>= (mprof:total-objects loaded) objects 1234))
    (mprof:discard loaded)
    (check "a loaded one is not discarded" (probe-file file))
    (delete-file file))
  (check-signals "no such file" mprof:profile-unreadable (mprof:load-profile "/does/not/exist"))
  (check-signals "no data file" mprof:profile-unreadable (mprof:load-profile "/dev/null"))
  (check "a place where nothing can be written"
         (search "cannot be saved in /does/not/exist/x.data"
                 (princ-to-string (check-signals "it is an error" mprof:save-failed
                                    (mprof:save "/does/not/exist/x.data"))))))

(define-test saved-while-recording
  (let ((file (format nil "~A/mprof-while.data" *folder*)))
    (flet ((ending (profile)
             (line-with "when this snapshot was made" (report-of :type :all :profile profile))))
      (mprof:with-profiling ()
        (make-pairs 100)
        (mprof:save file)
        (check "the copy says that it is one" (ending (mprof:load-profile file)))
        (check-is "the recording is none" (ending (mprof:current-profile)) nil))
      (unless *outside*
        (mprof:save file)
        (check-is "nor is a copy made afterwards" (ending (mprof:load-profile file)) nil)))
    (delete-file file)))

(define-test saving-over-the-recording
  (unless *outside*
    (let ((file (format nil "~A/mprof-over.data" *folder*)))
      (mprof:with-profiling (:file file)
        (make-pairs 100)
        (check-signals "it is refused" mprof:save-failed (mprof:save file))
        (make-pairs 1000))
      (check "and nothing is lost" (<= 1100 (mprof:total-objects (mprof:load-profile file)) 2000))
      (delete-file file))))

(define-test files
  (unless *outside*
    (let* ((profile (mprof:with-profiling () (make-pairs 10) (mprof:current-profile)))
           (file (mprof:profile-file profile)))
      (check "a temporary file" (probe-file file))
      (mprof:discard profile)
      (check-is "discarded" (probe-file file) nil)
      (check "it cannot be reported then"
             (search "was discarded"
                     (princ-to-string (check-signals "it is an error" mprof:profile-discarded
                                        (report-of :profile profile))))))
    (let ((file (format nil "~A/100% mine.data" *folder*)))
      (mprof:with-profiling (:file file) (make-pairs 10))
      (check-is ":FILE" (mprof:profile-file (mprof:current-profile)) file)
      (check "stays" (progn (mprof:discard (mprof:current-profile)) (probe-file file)))
      (delete-file file))
    (check-signals "a folder that is not there" mprof:recording-failed
      (mprof:with-profiling (:file "/does/not/exist/x.data") nil))
    (check-is "after that nothing is recorded" (mprof:profiling-p) nil)
    (check-is "and recording works" (figures #'make-pairs 10) '(160 10))))
;;;; SPDX-License-Identifier: MIT
