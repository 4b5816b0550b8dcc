;;;; words.lisp -- counts the words of a text in a hash table: the example of README.md.
;;;;
;;;;     $ ecl --load lisp/mprof.fas
;;;;     > (load (compile-file "examples/words.lisp"))
;;;;     > (mprof:with-profiling (:report t) (hash-table-count (count-words *text*)))
;;;;
;;;; The file is compiled, because code that is pasted into a REPL is interpreted, and the
;;;; interpreter itself allocates.

(defvar *text*
  (format nil "~{~R~^ ~}" (loop for i from 1 to 1000 collect i))
  "The numbers from one to a thousand, in words.")

(defun words (text)
  "Returns the words of TEXT, as strings without blanks."
  (loop with end = (length text)
        for start = 0 then (1+ stop)
        for stop = (or (position #\Space text :start (min start end)) end)
        when (< start stop)
          collect (subseq text start stop)
        while (< stop end)))

(defun count-words (text)
  "Returns a hash table with how often each word is in TEXT. The keys are in lower case."
  (let ((table (make-hash-table :test #'equal)))
    (dolist (word (words text) table)
      (incf (gethash (string-downcase word) table 0)))))
;;;; SPDX-License-Identifier: MIT
