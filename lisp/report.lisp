;;;; report.lisp -- reports, and what they are made of.

(in-package #:mprof)

(defstruct (site (:conc-name %site-)
                 (:constructor make-site
                     (functions type base-type category objects bytes requested-bytes
                      kept-objects kept-bytes collected-objects collected-bytes
                      &rest survived))
                 (:copier nil)
                 (:predicate nil))
  "What objects of one type were allocated on one chain of callers."
  functions type base-type category objects bytes requested-bytes
  kept-objects kept-bytes collected-objects collected-bytes survived)

(defmacro define-site-reader (slot documentation)
  "Define SITE-<SLOT>."
  (flet ((name (prefix) (intern (format nil "~A~A" prefix slot) '#:mprof)))
    `(defun ,(name "SITE-") (site)
       ,documentation
       (,(name "%SITE-") site))))

(define-site-reader functions
  "Names of the functions on SITE's chain, strings, the innermost first.")
(define-site-reader type
  "The type of SITE's objects, a string: a built-in type or a class.")
(define-site-reader base-type
  "For a class INSTANCE or STRUCTURE; else as SITE-TYPE.")
(define-site-reader category
  "#\\c cons, #\\f float, #\\s structure, vector or string, #\\o other.")
(define-site-reader objects
  "How many objects were allocated at SITE.")
(define-site-reader bytes
  "How many bytes these objects have, as the heap gives them.")
(define-site-reader requested-bytes
  "How many bytes these objects have, as they were asked for.")
(define-site-reader kept-objects
  "How many of SITE's objects survived a collection and are still there.")
(define-site-reader kept-bytes
  "How many bytes these have.")
(define-site-reader collected-objects
  "How many of SITE's objects were collected.")
(define-site-reader collected-bytes
  "How many bytes these had.")
(define-site-reader survived
  "How many of SITE's objects survived one, two, four collections or more: a list of three.")

(defun call-with-site (function fields)
  (funcall function (without-recording (apply #'make-site fields))))

(defun map-sites (function &key profile (sort :bytes) max (frames :lisp))
  "Call FUNCTION with a SITE for each chain on which objects were allocated, and each type of them:
first those with the most bytes, objects or kept bytes, as SORT says (:BYTES, :OBJECTS, :KEPT).

MAX      so many sites at most; NIL: all.
FRAMES   which frames of chains: as for REPORT.
PROFILE  the current one by default.

Returns NIL.  Signals PROFILE-UNREADABLE."
  (check-type max limit)
  (let* ((file (profile-file (find-profile profile)))
         (sites (undisturbed (check-result (%sites file (frames-code frames) (sort-code sort)
                                                   (or max 0))
                                           file))))
    (unwind-protect
         (loop for fields = (undisturbed (%next-site sites))
               while fields
               do (call-with-site function fields))
      (undisturbed (%close-sites sites)))))

(defun print-sites (stream profile sort max min-percent frames)
  "Print a table of sites to STREAM; the other arguments are those of REPORT."
  (format stream "ALLOCATION SITES~2%~12@A ~10@A ~12@A ~10@A  ~A~%"
          "BYTES" "OBJECTS" "KEPT BYTES" "KEPT" "TYPE, CALLERS (INNERMOST FIRST)")
  (let* ((size (ecase sort
                 (:bytes #'site-bytes) (:objects #'site-objects) (:kept #'site-kept-bytes)))
         (sites '())
         (total 0)
         (shown 0))
    (map-sites (lambda (site)
                 (push site sites)
                 (incf total (funcall size site)))
               :profile profile :sort sort :frames frames)
    (dolist (site (setf sites (nreverse sites)))
      (when (or (and max (>= shown max))
                (< (* 100 (funcall size site)) (* (or min-percent 0) total)))
        (return))
      (incf shown)
      (format stream "~12D ~10D ~12D ~10D  ~A~{ < ~A~}~%"
              (site-bytes site) (site-objects site) (site-kept-bytes site)
              (site-kept-objects site) (site-type site) (site-functions site)))
    (when (< shown (length sites))
      (format stream "~D more site~:P left out~%" (- (length sites) shown)))))

(defun report-text (profile type sort max min-percent frames)
  "The report of PROFILE as a string."
  (let ((file (profile-file profile)))
    (check-result (undisturbed (%report file (tables-code type) (frames-code frames)
                                        (sort-code sort) (or max 0)
                                        (or *print-right-margin* 0)
                                        (coerce (or min-percent 0) 'double-float)))
                  file)))

(defun report (&key (type :flat) (sort :bytes) max (min-percent 0.5) (stream *standard-output*)
                 profile (frames :lisp))
  "Print what was recorded to STREAM.  Returns no values.

TYPE     :FLAT    functions that allocated objects themselves (the default);
         :GRAPH   and functions that did so through others, with their callers and callees;
         :TYPES   types and classes of the objects;
         :SITES   the chains of callers on which they were allocated;
         :GC      how many garbage collections they survived;
         :ALL     what was recorded and what could not be, and all of these but :SITES.
SORT     :BYTES, :OBJECTS or :KEPT (bytes that survived a collection and are still there).
MAX      print so many rows of a table at most; NIL: all.
MIN-PERCENT  leave out rows with a smaller share; NIL: none.
PROFILE  the current one by default; it may go on being recorded.
FRAMES   which functions are shown: :LISP, those that have a name in Lisp, and C outside of ECL;
         :C, all of them by their names in C; :ALL, all of them, by whichever name they have.

Nothing of this is recorded.  Signals PROFILE-UNREADABLE."
  (check-type type (member :flat :graph :types :sites :gc :all))
  (check-type max limit)
  (without-recording
    (let ((profile (find-profile profile)))
      (if (eq type :sites)
          (print-sites stream profile sort max min-percent frames)
          (write-string (report-text profile type sort max min-percent frames) stream))
      (fresh-line stream)))
  (values))
