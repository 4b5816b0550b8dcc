;;;; support.lisp -- functions of the test tests/e2e/lisp_lines.sh.

(require :cmp)
(defvar *compile-file* #'compile-file)

(defmacro unlocked (&body body)
  "BODY may redefine functions of locked packages."
  `(handler-bind ((package-error #'continue)) ,@body))

(defun file-text (file)
  (with-open-file (stream file :external-format :latin-1)
    (let ((text (make-string (file-length stream))))
      (subseq text 0 (read-sequence text stream)))))

(defun without-numbers (line)
  "LINE with L#NAME and LC#NAME for the names of C functions. Some ECLs number those of all files."
  (with-output-to-string (out)
    (loop with at = 0
          while (< at (length line))
          do (let* ((name (and (char= (char line at) #\L)
                               (or (= at 0) (not (alphanumericp (char line (1- at)))))
                               (if (eql (mismatch "LC" line :start2 at) 2) (+ at 2) (1+ at))))
                    (end (and name (position-if-not #'digit-char-p line :start name))))
               (cond ((and end (> end name)
                           (or (alpha-char-p (char line end)) (char= (char line end) #\_)))
                      (write-string line out :start at :end name)
                      (write-char #\# out)
                      (setf at end))
                     (t
                      (write-char (char line at) out)
                      (incf at)))))))

(defun lines-of (file)
  "The lines of FILE except directives and its date."
  (with-open-file (stream file :external-format :latin-1)
    (loop for line = (read-line stream nil)
          while line
          unless (or (eql (mismatch "#line " line) 6) (search "Date:" line))
            collect (without-numbers line))))

(defun without-addresses (text)
  (loop for at = (search " 0x" text)
        while at
        do (setf text (concatenate 'string (subseq text 0 at)
                                   (subseq text (or (position-if-not #'alphanumericp text
                                                                     :start (1+ at))
                                                    (length text))))))
  text)

(defun results (function file keys)
  "All that FUNCTION, which is a COMPILE-FILE, does with FILE, as a property list."
  (let* ((made '("made.c" "made.h" "made.data")) (*readtable* (copy-readtable nil))
         (readtable *readtable*) (*macroexpand-hook* *macroexpand-hook*)
         (paren (get-macro-character #\()) (values nil) (output nil))
    (mapc (lambda (name) (when (probe-file name) (delete-file name))) made)
    (setf (get 'expansions 'number) 0)
    (setf output (with-output-to-string (*standard-output*)
                   (let ((*error-output* *standard-output*))
                     (setf values (multiple-value-list
                                   (handler-case
                                       (apply function file :output-file "made.fas"
                                              :c-file "made.c" :h-file "made.h"
                                              :data-file "made.data" keys)
                                     (error (condition) (princ-to-string condition))))))))
    (list :values values
          :output (without-addresses output)
          :readtable (list (eq readtable *readtable*) (eq paren (get-macro-character #\())
                           (loop for char across "[]!~"
                                 collect (and (get-macro-character char) t)))
          :hook (list (eq *macroexpand-hook* 'funcall) (get 'expansions 'number))
          :files (loop for name in made
                       when (probe-file name)
                         collect (lines-of name)))))

(defun compare (file &rest keys)
  "Print whether both functions COMPILE-FILE do the same with FILE."
  (let* ((one (results #'cl:compile-file file keys))
         (two (results #'mprof:compile-file file keys))
         (different (loop for (key value) on one by #'cddr
                          unless (equal value (getf two key))
                            collect key)))
    (if different
        (format t "~&~A ~S differs in ~S:~%~{~S~%~S~%~}" file keys different
                (loop for key in different
                      unless (eq key :files)
                        collect (getf one key) and collect (getf two key)))
        (format t "~&same: ~A ~S~%" file keys))))

(defun print-counts (file)
  "Print the bytes and objects of (kinds 100) in FILE, compiled in both ways."
  (loop for (name function) in (list (list "without" #'cl:compile-file)
                                     (list "with lines" #'mprof:compile-file))
        do (load (funcall function file))
           (format t "~&~A: ~A~%" name
                   (subseq (multiple-value-list (mprof:run (fdefinition 'kinds) :arguments '(100)))
                           0 2))))

(defun on-chains (&rest functions)
  "Those of FUNCTIONS that are on chains of the current profile."
  (let ((found '()))
    (mprof:map-sites (lambda (site)
                       (setf found (append (mprof:site-functions site) found))))
    (remove-if-not (lambda (name) (find name found :test #'equal)) functions)))
