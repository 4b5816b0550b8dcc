;;;; forms.lisp -- chains begin with the form that is recorded, whatever called the form.

(in-package #:mprof-tests)

(declaim (notinline nest-even nest-odd inner-work form-with-work))

(defun nest-even (n function)
  "Calls FUNCTION through N functions that call each other, as a REPL in an editor does."
  (if (zerop n)
      (list (funcall function))
      (list (nest-odd (1- n) function))))

(defun nest-odd (n function)
  (if (zerop n)
      (list (funcall function))
      (list (nest-even (1- n) function))))

(defun inner-work () (length (make-pairs 100)))

(defun form-with-work ()
  (mprof:with-profiling () (inner-work) (length (mapcar #'list '(1 2 3)))))

(defun check-begins (text begin &optional profile)
  "Checks that PROFILE has no callers of the form, and that chains of INNER-WORK end with BEGIN."
  (dolist (type '(:flat :function-types :direct :graph :types :sites :gc))
    (dolist (frames '(:lisp :all))
      (let ((report (report-of :type type :frames frames :min-percent nil :chain :all
                               :profile profile)))
        (note (not (or (search "NEST-" report) (search "EVAL" report) (search "cycle" report)))
              (format nil "~A: ~S, ~S begins inside" text type frames) report))))
  (let ((ends '()))
    (mprof:map-sites (lambda (site)
                       (let ((names (mprof:site-functions site)))
                         (when (member "MPROF-TESTS::INNER-WORK" names :test #'string=)
                           (pushnew (first (last names)) ends :test #'string=))))
                     :profile profile)
    (check-is (format nil "~A: where chains end" text) ends (list begin))))

(define-test forms-begin-chains
  (unless *outside*
    (nest-even 15 #'form-with-work)
    (check-begins "a function" "MPROF-TESTS::FORM-WITH-WORK")
    (let ((file (format nil "~A/forms.data" *folder*)))
      (mprof:save file)
      (check-begins "saved" "MPROF-TESTS::FORM-WITH-WORK" (mprof:load-profile file))
      (delete-file file))
    (eval '(nest-even 15 (lambda () (mprof:with-profiling () (inner-work) (list 1)))))
    (check "an interpreted function: not what called it"
           (not (search "NEST-" (report-of :type :graph))))
    (mp:process-join (mp:process-run-function "repl" (lambda () (nest-even 15 #'form-with-work))))
    (check-begins "in a thread" "MPROF-TESTS::FORM-WITH-WORK")
    (nest-even 15 (lambda () (list (mprof:run #'inner-work))))
    (check "RUN: not what called it" (not (search "NEST-" (report-of :type :graph))))
    (check "RUN: nor itself" (not (search "MPROF:" (report-of :type :graph))))
    (nest-even 15 (lambda () (mprof:with-budget (:bytes 100000) (inner-work))))
    (check "WITH-BUDGET: not what called it" (not (search "NEST-" (report-of :type :graph))))))

(define-test forms-inside-of-forms
  (unless *outside*
    (mprof:with-profiling () (nest-even 3 #'form-with-work))
    (check "the outermost form is where chains begin"
           (search "NEST-" (report-of :type :graph :min-percent nil)))))

(define-test forms-and-threads
  (unless *outside*
    (nest-even 15 (lambda ()
                    (mprof:with-profiling ()
                      (mapc #'mp:process-join
                            (loop repeat 3
                                  collect (mp:process-run-function "worker" #'inner-work))))))
    (let ((graph (report-of :type :graph :min-percent nil)))
      (check "threads of the form are there" (search "INNER-WORK" graph))
      (check "and not what called the form" (not (search "NEST-" graph))))))

(define-test by-hand-nothing-is-left-out
  (unless *outside*
    (mprof:start-profiling)
    (nest-even 3 #'form-with-work)
    (mprof:stop-profiling)
    (check "START-PROFILING: chains are whole"
           (search "NEST-" (report-of :type :graph :min-percent nil)))))
;;;; SPDX-License-Identifier: MIT
