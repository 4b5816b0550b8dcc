;;;; SPDX-License-Identifier: MIT
;;;; report.lisp -- reports, and access to their sites.

(in-package #:mprof)

;;; Chains
;;;
;;; The chains of all sites form one tree, stored in three vectors. Lists of names are created on
;;; demand and share their outer parts.

(deftype numbers () '(simple-array (unsigned-byte 32) (*)))

(defstruct (chains (:conc-name %chains-) (:constructor make-chains (callers functions names))
                   (:copier nil) (:predicate nil))
  "Steps of chains, numbered from 1. CALLERS has each step's caller (0 for none), FUNCTIONS its
function, NAMES each function's name, and LISTS each step's list of names outwards, if it was
created."
  (callers #() :type numbers)
  (functions #() :type numbers)
  (names #() :type simple-vector)
  (lists nil :type (or null simple-vector)))

(defun lists-of (chains)
  (or (%chains-lists chains)
      (setf (%chains-lists chains)
            (make-array (length (%chains-callers chains)) :initial-element nil))))

(defun name-of-step (chains step)
  (svref (%chains-names chains) (aref (%chains-functions chains) step)))

(defun names-from (chains step)
  "The names of the functions from STEP outwards, a list that is created once for each step."
  (let ((callers (%chains-callers chains))
        (lists (lists-of chains))
        (steps '()))
    (loop until (or (zerop step) (svref lists step))
          do (push step steps)
             (setf step (aref callers step)))
    (let ((names (and (plusp step) (svref lists step))))
      (dolist (step steps names)
        (setf names (cons (name-of-step chains step) names)
              (svref lists step) names)))))

(defun some-names-from (chains step most)
  "At most MOST names of functions from STEP outwards, a new list."
  (loop repeat most
        until (zerop step)
        collect (name-of-step chains step)
        do (setf step (aref (%chains-callers chains) step))))

;;; Sites

(defstruct (site (:conc-name %site-)
                 (:constructor make-site
                     (chains step type base-type category objects bytes requested-bytes
                      kept-objects kept-bytes collected-objects collected-bytes
                      &rest survived))
                 (:copier nil)
                 (:predicate nil))
  "Objects of one type that were allocated on one chain of callers."
  chains step type base-type category objects bytes requested-bytes
  kept-objects kept-bytes collected-objects collected-bytes survived)

(defun check-site (site)
  (check-argument "a site" site site "what MAP-SITES calls its function with"))

(defmethod print-object ((site site) stream)
  (print-unreadable-object (site stream :type t)
    (format stream "~:D ~A of ~:D byte~:P by ~{~A~^ < ~}~:[~; < ...~]"
            (%site-objects site) (%site-type site) (%site-bytes site)
            (site-functions site 3) (nthcdr 3 (site-functions site 4)))))

(defmethod describe-object ((site site) stream)
  (format stream "~&~S~%~{  ~(~A~): ~A~%~}" site
          (list "functions" (site-functions site 20)
                "type" (site-type site) "objects" (site-objects site) "bytes" (site-bytes site)
                "kept objects" (site-kept-objects site) "kept bytes" (site-kept-bytes site)
                "collected objects" (site-collected-objects site)
                "collected bytes" (site-collected-bytes site)
                "survived 1, 2, 4 collections" (site-survived site))))

(defmacro define-site-reader (slot documentation)
  "Define the function SITE-<SLOT>."
  (flet ((name (prefix) (intern (format nil "~A~A" prefix slot) '#:mprof)))
    `(defun ,(name "SITE-") (site)
       ,documentation
       (,(name "%SITE-") (check-site site)))))

(defun site-functions (site &optional most)
  "Names of the functions on SITE's chain, strings, the innermost first: the innermost MOST of them,
or the whole chain if MOST is NIL. A list is created on demand. Lists of whole chains share their
tails and must not be modified. So all of them together take no more memory than the tree of the
chains."
  (without-recording
    (check-site site)
    (check-limit "how many functions" most)
    (if most
        (some-names-from (%site-chains site) (%site-step site) most)
        (names-from (%site-chains site) (%site-step site)))))

(define-site-reader type
  "The type of SITE's objects, a string: a built-in type or a class.")
(define-site-reader base-type
  "INSTANCE or STRUCTURE for a class, or else the same as SITE-TYPE.")
(define-site-reader category
  "#\\c cons, #\\f float, #\\s structure, vector or string, #\\o other.")
(define-site-reader objects
  "The number of objects that were allocated at SITE.")
(define-site-reader bytes
  "The number of bytes that the heap allocated for these objects.")
(define-site-reader requested-bytes
  "The number of bytes that were requested for these objects.")
(define-site-reader kept-objects
  "The number of SITE's objects that survived a collection and are still alive.")
(define-site-reader kept-bytes
  "The number of bytes of these objects.")
(define-site-reader collected-objects
  "The number of SITE's objects that were collected.")
(define-site-reader collected-bytes
  "The number of bytes of these objects.")
(define-site-reader survived
  "A list of the numbers of SITE's objects that survived at least one, two and four collections.")

(defun focus-name (focus)
  "The name of FOCUS, an argument of REPORT, as in reports, or NIL."
  (cond ((null focus) nil)
        ((stringp focus) focus)
        ((functionp focus) (focus-name (name-of-function focus)))
        (t (with-standard-io-syntax
             (let ((*package* (find-package '#:common-lisp-user)))
               (prin1-to-string focus))))))

(defun open-sites (profile frames sort most focus)
  (let ((file (profile-file profile)))
    (check-result (undisturbed (%sites file frames sort most focus)) file)))

(defun chains-of (sites)
  (undisturbed (multiple-value-call #'make-chains (%sites-tree sites))))

(defun next-site (sites chains)
  (let ((fields (undisturbed (%next-site sites))))
    (when fields
      (without-recording (apply #'make-site chains fields)))))

(defun map-sites (function &key profile (sort :bytes) max (frames :lisp) focus)
  "Call FUNCTION with a SITE for each chain on which objects were allocated and each of their types.

SORT     the greatest number first: :BYTES, :OBJECTS, :KEPT or :PEAK, as for REPORT.
MAX      maximum number of sites; NIL: all.
FRAMES   which frames of chains: as for REPORT.
FOCUS    only chains through this function: as for REPORT.
PROFILE  the current one by default.

A site remains valid after MAP-SITES has returned. The names of its functions are created when
SITE-FUNCTIONS is called. Returns NIL. Signals PROFILE-UNREADABLE."
  (without-recording
    (check-function function)
    (check-sort sort)
    (check-limit :max max)
    (check-frames frames)
    (check-focus focus)
    (check-profile profile))
  (let ((sites (open-sites (find-profile profile) (frames-code frames) (sort-code sort)
                           (or max 0) (focus-name focus))))
    (unwind-protect
         (loop with chains = (chains-of sites)
               for site = (next-site sites chains)
               while site
               do (call-recorded function (list site)))
      (undisturbed (%close-sites sites)))))

;;; Reports

(defun columns-of (stream)
  "The number of columns of STREAM, or 0 if it is unknown."
  (loop
    (typecase stream
      (synonym-stream (setf stream (symbol-value (synonym-stream-symbol stream))))
      (two-way-stream (setf stream (two-way-stream-output-stream stream)))
      (file-stream (return (%columns stream)))
      (t (return 0)))))

(defun report-text (profile type sort max min-percent frames chain focus full-names skip width)
  "Return the report on PROFILE as a string."
  (let ((file (profile-file profile)))
    (check-result (undisturbed (%report file (tables-code type) (frames-code frames)
                                        (sort-code sort) (or max 0)
                                        width
                                        (coerce (or min-percent 0) 'double-float)
                                        (chain-code chain) (focus-name focus)
                                        (if full-names 1 0) (if skip 0 1)
                                        (part-from *part*) (part-to *part*)
                                        (part-recorder *part*)))
                  file)))

(defun report (&key (type :flat) (sort :bytes) (max (if (eq type :summary) 10)) (min-percent 1/2)
                 (stream *standard-output*) profile (frames :lisp) chain focus full-names (skip t))
  "Print a report on PROFILE to STREAM. Returns no values, or a string.

TYPE     :FLAT    functions that allocated objects themselves or through functions of Common Lisp
                  and ECL, and what was allocated while they ran (the default);
         :FINDINGS  sentences about what is worth a change, each with the chain to its place;
         :SUMMARY  :FINDINGS, :FLAT, then :SITES (as WITH-PROFILING with :REPORT T);
         :FUNCTION-TYPES  the same functions, with the types of the objects;
         :GRAPH   functions, with their callers and callees;
         :TYPES   types and classes of the objects;
         :SITES   the chains of callers on which they were allocated;
         :GC      how many garbage collections they survived;
         :DIRECT  functions that allocated objects themselves, including the runtime's;
         :ALL     what was recorded and what could not be, :TYPES, :DIRECT, :GRAPH and :GC.
SORT     :BYTES, :OBJECTS, :KEPT (bytes that survived a collection and are still alive), :PEAK
         (bytes that were alive at the peak of the process), or, of :FLAT and :SUMMARY,
         :WITH-CALLEES. This sorts functions by the bytes that were allocated while they ran, and
         lists those that allocated nothing themselves, too.
MAX      maximum number of rows of a table; NIL: all. The default is 10 of :SUMMARY, otherwise NIL.
         At most seven findings are printed.
MIN-PERCENT  leave out rows with a smaller share; NIL: print all rows.
STREAM   T: *STANDARD-OUTPUT*; NIL: return the report as a string.
PROFILE  the current one by default. It may still be recorded.
FRAMES   which functions are shown: :LISP, those with a name in Lisp, and C outside of ECL;
         :C, all of them by their names in C; :ALL, all of them, by whichever name they have.
         With :C and :ALL, :FLAT charges each function for itself only.
CHAIN    number of functions shown of each chain, the innermost ones, in :SITES and :GC; :ALL:
         whole chains; NIL: 10 in :SITES, and 1 in :GC.
FOCUS    count only what was allocated while this function ran: a function, or its name, which is
         a symbol, a list (SETF NAME), or a string as in reports. The name of a generic function
         includes its methods.
FULL-NAMES  show names of C++ with all arguments.
SKIP     charge what allocation wrappers in C allocate to their callers (the default).

If *PRINT-RIGHT-MARGIN* or the width of STREAM's terminal is too small, tables have fewer columns.
Printing a report is not recorded. Signals PROFILE-UNREADABLE, and INVALID-ARGUMENT before anything
is printed."
  ;; MIN-PERCENT is no float by default: the code of some ECLs makes those anew, before this.
  (without-recording
    (check-report :type type :sort sort :max max :min-percent min-percent :stream stream
                  :profile profile :frames frames :chain chain :focus focus)
    (let* ((to (if (eq stream t) *standard-output* stream))
           (text (report-text (find-profile profile) type sort max min-percent frames chain focus
                              full-names skip
                              (or *print-right-margin* (if to (columns-of to) 0)))))
      (cond (to
             (fresh-line to)
             (write-string text to)
             (values))
            (t
             text)))))
