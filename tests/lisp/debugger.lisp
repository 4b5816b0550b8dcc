;;;; debugger.lisp -- what the debugger conses is not recorded for the program.

(in-package #:mprof-tests)

(defun cons-in-debugger (condition hook)
  "Replaces the debugger: conses, and invokes the restart CONTINUE, or throws to DEBUGGER."
  (declare (ignore hook))
  (make-pairs 5000)
  (let ((restart (find-restart 'continue condition)))
    (if restart
        (invoke-restart restart)
        (throw 'debugger :left))))

(defun without-handlers (function &rest bindings)
  "Calls FUNCTION in a new thread, in which nobody handles errors. BINDINGS are variables and their
values in turn."
  (mp:process-join
   (mp:process-run-function "without handlers"
                            (lambda ()
                              (progv (loop for (name) on bindings by #'cddr collect name)
                                  (loop for (nil value) on bindings by #'cddr collect value)
                                (catch 'debugger (funcall function)))))))

(defun work-and-break ()
  (make-pairs 10)
  (cerror "Go on." "first")
  (make-pairs 100)
  (error "second"))

(defun conses-with-debugger (function &rest bindings)
  "Returns the recorded conses of FUNCTION, which enters the debugger, with BINDINGS in its thread."
  (conses-of (lambda ()
               (apply #'without-handlers (lambda () (mprof:with-profiling () (funcall function)))
                      bindings))))

(define-test debugger-is-not-recorded
  (check-is "with EXT:*INVOKE-DEBUGGER-HOOK*, as SLIME has it"
            (conses-with-debugger #'work-and-break 'ext:*invoke-debugger-hook* #'cons-in-debugger)
            110)
  (check-is "with *DEBUGGER-HOOK*"
            (conses-with-debugger #'work-and-break '*debugger-hook* #'cons-in-debugger)
            110)
  (check-is "in a form inside of another one"
            (conses-with-debugger (lambda () (mprof:with-profiling () (work-and-break)))
                                  'ext:*invoke-debugger-hook* #'cons-in-debugger)
            110)
  (check-is "off again" (mprof:profiling-p) *outside*))

(defun seen-by-hook (function)
  "Returns what EXT:*INVOKE-DEBUGGER-HOOK* receives in FUNCTION, and whether it is the same later."
  (let ((seen '()))
    (flet ((look (condition hook)
             (push (list (princ-to-string condition) (functionp hook)) seen)
             (throw 'inside nil)))
      (without-handlers (lambda ()
                          (catch 'inside (funcall function))
                          (push (eq ext:*invoke-debugger-hook* #'look) seen))
                        'ext:*invoke-debugger-hook* #'look))
    (reverse seen)))

(define-test debugger-gets-what-it-should
  (check-is "condition and hook"
            (seen-by-hook (lambda () (mprof:with-profiling () (error "the ~A one" "very"))))
            '(("the very one" t) t))
  (check-is "in RUN"
            (seen-by-hook (lambda () (mprof:run (lambda () (error "in RUN")))))
            '(("in RUN" t) t))
  (check-is "in WITH-BUDGET"
            (seen-by-hook (lambda () (mprof:with-budget (:bytes 1000000) (error "in a budget"))))
            '(("in a budget" t) t)))

(define-test debugger-inside-of-the-debugger
  (let ((levels 0))
    (flet ((debugger (condition hook)
             (declare (ignore condition))
             (make-pairs 1000)
             (when (= (incf levels) 2)
               (throw 'debugger nil))
             (let ((ext:*invoke-debugger-hook* hook))
               (error "in the debugger"))))
      (check-is "an error in the debugger lands in the debugger once more"
                (conses-with-debugger #'work-and-break 'ext:*invoke-debugger-hook* #'debugger)
                10))
    (check-is "two levels" levels 2)))

(defun in-another-thread (function)
  (mp:process-join (mp:process-run-function "of the debugger" function)))

(define-test debugger-in-several-threads
  (unless *outside*
    (check-is "threads of the debugger are not recorded either"
              (conses-with-debugger #'work-and-break 'ext:*invoke-debugger-hook*
                                    (lambda (condition hook)
                                      (in-another-thread (lambda () (make-pairs 3000) nil))
                                      (cons-in-debugger condition hook)))
              110)
    (check-is "but forms that other threads begin meanwhile are"
              (conses-with-debugger #'work-and-break 'ext:*invoke-debugger-hook*
                                    (lambda (condition hook)
                                      (in-another-thread
                                       (lambda ()
                                         (mprof:with-profiling () (make-pairs 3000))
                                         (make-pairs 4000)
                                         nil))
                                      (cons-in-debugger condition hook)))
              6110)
    (let ((figures '()))
      (conses-with-debugger #'work-and-break 'ext:*invoke-debugger-hook*
                            (lambda (condition hook)
                              (in-another-thread
                               (lambda () (push (figures #'make-pairs 10) figures) nil))
                              (cons-in-debugger condition hook)))
      (check-is "their figures are right" figures '((160 10) (160 10))))
    (check-is "after all that, too" (figures #'make-pairs 10) '(160 10))))

(define-test measuring-in-the-debugger
  (let ((refused '()))
    (conses-with-debugger (lambda () (error "once")) 'ext:*invoke-debugger-hook*
                          (lambda (condition hook)
                            (dolist (function (list (lambda () (mprof:run #'nothing))
                                                    (lambda () (mprof:with-profiling () 1))
                                                    #'mprof:start-profiling))
                              (push (handler-case (progn (funcall function) nil)
                                      (mprof:recording-failed (c)
                                        (and (search "debugger" (princ-to-string c)) t)))
                                    refused))
                            (cons-in-debugger condition hook)))
    (check-is "what would not be recorded is refused" refused '(t t t)))
  (check-is "off again" (mprof:profiling-p) *outside*))
;;;; SPDX-License-Identifier: MIT
