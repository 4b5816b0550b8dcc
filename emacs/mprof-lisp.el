;;; mprof-lisp.el --- Profile allocation of forms in SLIME and SLY -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT
;; Version: 1.0.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: tools, lisp

;;; Commentary:

;; In a session of SLIME or SLY with ECL:
;;
;;   M-x mprof-lisp-profile          evaluate a form, by default the one before point, and show what
;;                                   it allocated
;;   M-x mprof-lisp-report           show another table of the last recording
;;   M-x mprof-lisp-toggle           begin or end a recording of what the REPL evaluates
;;
;; Names of functions in the report are buttons that go to their definitions.  The report begins
;; with findings: n and p go to the next and the previous one, v visits the source of the one at
;; point, and RET on its form shows the sites.
;;
;; To load it:
;;
;;   (with-eval-after-load 'slime (require 'mprof-lisp))       ; or 'sly
;;
;; The Lisp side is the module MPROF, see mprof-lisp(7).  It is loaded when it is first needed, by
;; the form `mprof-lisp-load-form'.

;;; Code:

(require 'button)

(declare-function slime-connected-p "ext:slime")
(declare-function slime-eval-async "ext:slime")
(declare-function slime-edit-definition "ext:slime")
(declare-function slime-current-package "ext:slime")
(declare-function slime-repl-buffer "ext:slime-repl")
(declare-function sly-connected-p "ext:sly")
(declare-function sly-eval-async "ext:sly")
(declare-function sly-edit-definition "ext:sly")
(declare-function sly-current-package "ext:sly")

(defgroup mprof-lisp nil
  "Memory allocation profiles of Lisp."
  :group 'tools
  :prefix "mprof-lisp-")

(defcustom mprof-lisp-load-form
  "(handler-case (require :mprof) (error () (require :asdf) (require :mprof)))"
  "Form that loads the module MPROF, if it is not in the Lisp process yet.
ECL finds it in its own folder, or else by ASDF.  Where it is in
neither, this can be (load \"FOLDER/mprof.fas\")."
  :type 'string)

(defvar slime-current-thread)

(defcustom mprof-lisp-type :summary
  "The table that is shown first; see the function MPROF:REPORT."
  :type '(choice (const :summary) (const :findings) (const :flat) (const :function-types) (const :graph) (const :types)
                 (const :sites) (const :gc) (const :direct) (const :all)))

(defconst mprof-lisp--types '("summary" "findings" "flat" "function-types" "graph" "types" "sites" "gc" "direct" "all")
  "The tables that `mprof-lisp-report' can show.")

(defconst mprof-lisp--threads ":current"
  "The recorded threads: the evaluating one, without those that serve Emacs.")

(defconst mprof-lisp--names-form
  "(mprof:map-sites (lambda (site) (format t \"~{~A~%~}\" (mprof:site-functions site))))"
  "Form that prints the names of the functions of a report, one a line.")

(defvar-local mprof-lisp--package nil
  "The package in which the names of this buffer are read.")

(defvar mprof-lisp-history nil
  "The forms that were profiled.")

;;; SLIME and SLY

(defun mprof-lisp--sly-p ()
  "Return non-nil if SLY is connected to a Lisp process, and SLIME is not."
  (cond ((and (featurep 'slime) (slime-connected-p)) nil)
        ((and (featurep 'sly) (sly-connected-p)) t)
        (t (user-error "There is no Lisp: M-x slime or M-x sly"))))

(defun mprof-lisp--current-package ()
  "Return the Lisp package of this buffer."
  (or mprof-lisp--package
      (if (mprof-lisp--sly-p) (sly-current-package) (slime-current-package))))

(defun mprof-lisp--eval (text continue)
  "Evaluate the form in TEXT, and call CONTINUE with its output and its values.
Use a separate buffer, because the current one may be killed meanwhile.
If SLIME has a REPL, its thread evaluates the form, and the REPL's
\\[slime-interrupt] can interrupt it."
  (let ((package (mprof-lisp--current-package))
        (then (lambda (result) (funcall continue (car result) (cadr result)))))
    (with-current-buffer (get-buffer-create " *mprof Lisp*")
      (setq mprof-lisp--package package)
      (if (mprof-lisp--sly-p)
          (sly-eval-async `(slynk:eval-and-grab-output ,text) then package)
        (setq-local slime-current-thread (if (mprof-lisp--repl-p) :repl-thread t))
        (slime-eval-async `(swank:eval-and-grab-output ,text) then package)))))

(defun mprof-lisp--repl-p ()
  "Return non-nil if SLIME has a REPL, whose thread can evaluate forms."
  (and (featurep 'slime) (fboundp 'slime-repl-buffer) (slime-repl-buffer) t))

(defun mprof-lisp--edit-definition (name)
  "Visit the definition of the function NAME."
  (if (mprof-lisp--sly-p)
      (sly-edit-definition name)
    (slime-edit-definition name)))

(defun mprof-lisp--with-module (continue)
  "Load the module if the Lisp process lacks it, and call CONTINUE."
  (mprof-lisp--eval (format "(unless (find-package \"MPROF\") %s)" mprof-lisp-load-form)
                    (lambda (&rest _) (funcall continue))))

;;; The buffer of a report

(defun mprof-lisp--go (button)
  "Visit the definition of the function that BUTTON names."
  (mprof-lisp--edit-definition (button-get button 'mprof-lisp-function)))

(define-button-type 'mprof-lisp-function
  'action #'mprof-lisp--go
  'follow-link t
  'help-echo "the definition of this function")

(defun mprof-lisp--definition (name)
  "Return the symbol under which the function NAME is defined, or nil."
  (cond ((string-match "\\`(METHOD \\((SETF [^ ()]+)\\|[^ ()]+\\) " name) (match-string 1 name))
        ((string-match "\\`.+ in \\([^ ].*\\)\\'" name)      ; INNER in OUTER
         (mprof-lisp--definition (match-string 1 name)))
        ((string-match-p "\\`(SETF [^ ()]+)\\'" name) name)
        ((string-match-p "\\`[^][ ()\"']+\\'" name) name)))

(defun mprof-lisp--add-buttons (names)
  "Turn the names of functions, NAMES, in this buffer into buttons."
  (setq names (sort (delq nil (delete-dups names))
                    (lambda (a b) (> (length a) (length b)))))
  (dolist (name names)
    (let ((function (mprof-lisp--definition name))
          (case-fold-search nil))
      (goto-char (point-min))
      (while (and function
                  (re-search-forward (concat "\\(?:^\\|[ (]\\)\\(" (regexp-quote name)
                                             "\\)\\(?:$\\|[ )]\\)")
                                     nil t))
        (unless (button-at (match-beginning 1))
          (make-text-button (match-beginning 1) (match-end 1) 'type 'mprof-lisp-function
                            'mprof-lisp-function function))
        (goto-char (match-end 1))))))

;;; Findings

(defconst mprof-lisp--finding "^ *[0-9]+\\. "
  "Regular expression that matches the beginning of a finding.")

(defconst mprof-lisp--form "^    \\((mprof:report .*:focus \\(\".*\"\\))\\)$"
  "Regular expression that matches the last line of a finding.
Group 1 is a form to evaluate, group 2 the name of the function.")

(defun mprof-lisp-next-finding (&optional n)
  "Go to the next finding, or the Nth next one."
  (interactive "p")
  (end-of-line)
  (unless (re-search-forward mprof-lisp--finding nil t n)
    (user-error "No more findings"))
  (beginning-of-line))

(defun mprof-lisp-previous-finding (&optional n)
  "Go to the beginning of this finding, or the Nth previous one."
  (interactive "p")
  (unless (re-search-backward mprof-lisp--finding nil t n)
    (user-error "No finding before this one")))

(defun mprof-lisp--function-of-finding ()
  "Return a list of the function that the finding at point is about, and its line.
The line is nil if it is not known."
  (save-excursion
    (end-of-line)
    (unless (re-search-backward mprof-lisp--finding nil t)
      (user-error "No finding here"))
    (let ((begin (point)))
      (unless (re-search-forward mprof-lisp--form nil t)
        (user-error "No finding here"))
      (let ((name (read (match-string 2))))
        (list name
              (and (re-search-backward
                    (concat (regexp-quote name) "[ \n]+([^():\n]+:\\([0-9]+\\))") begin t)
                   (string-to-number (match-string 1))))))))

(defun mprof-lisp-visit ()
  "Visit the source of what the finding at point is about."
  (interactive)
  (let* ((place (mprof-lisp--function-of-finding))
         (function (mprof-lisp--definition (car place)))
         (line (cadr place))
         (here (current-buffer)))
    (unless function
      (user-error "No definition of %s" (car place)))
    (mprof-lisp--edit-definition function)
    (when (and line (not (eq (current-buffer) here))
               (< (line-number-at-pos) line))
      (forward-line (- line (line-number-at-pos))))))

(defun mprof-lisp--show-sites (button)
  "Evaluate the form in BUTTON, and show what it prints."
  (let ((package mprof-lisp--package)
        (form (button-label button)))
    (mprof-lisp--eval
     form
     (lambda (text _)
       (mprof-lisp--eval
        mprof-lisp--names-form
        (lambda (names _)
          (mprof-lisp--fill text (split-string names "\n" t) package :sites
                            (concat form "\n\n"))))))))

(define-button-type 'mprof-lisp-form
  'action #'mprof-lisp--show-sites
  'follow-link t
  'help-echo "show the sites")

(defun mprof-lisp--add-forms ()
  "Turn the forms of findings in this buffer into buttons."
  (goto-char (point-min))
  (while (re-search-forward mprof-lisp--form nil t)
    (make-text-button (match-beginning 1) (match-end 1) 'type 'mprof-lisp-form)))

(defvar mprof-lisp-report-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap button-buffer-map special-mode-map))
    (define-key map "t" #'mprof-lisp-report)
    (define-key map "n" #'mprof-lisp-next-finding)
    (define-key map "p" #'mprof-lisp-previous-finding)
    (define-key map "v" #'mprof-lisp-visit)
    map)
  "Keys of `mprof-lisp-report-mode'.")

(define-derived-mode mprof-lisp-report-mode special-mode "mprof"
  "Major mode for reports of what Lisp allocated.

\\{mprof-lisp-report-mode-map}"
  (setq truncate-lines t))

(defun mprof-lisp--fill (text names package type intro)
  "Show TEXT, which has the functions NAMES, to be read in PACKAGE.
TEXT is the table TYPE.  INTRO is inserted before it."
  (with-current-buffer (get-buffer-create "*mprof Lisp*")
    (let ((inhibit-read-only t))
      (erase-buffer)
      (mprof-lisp-report-mode)
      (setq mprof-lisp--package package)
      (setq-local revert-buffer-function (lambda (&rest _) (mprof-lisp-report type)))
      (insert intro text)
      (mprof-lisp--add-forms)
      (mprof-lisp--add-buttons names)
      (goto-char (point-min)))
    (display-buffer (current-buffer))))

;;; Commands

(defun mprof-lisp-report (type &optional intro)
  "Show the table TYPE, a keyword, of the last recording.
INTRO is a text that is inserted before the table."
  (interactive (list (intern (concat ":" (completing-read "Table: " mprof-lisp--types nil t)))))
  (let ((package (mprof-lisp--current-package)))
    (mprof-lisp--eval
     (format "(let ((*print-right-margin* %d)) (mprof:report :type %s))"
             (window-width) type)
     (lambda (text _)
       (mprof-lisp--eval
        mprof-lisp--names-form
        (lambda (names _)
          (mprof-lisp--fill text (split-string names "\n" t) package type (or intro ""))))))))

(defun mprof-lisp--form-before-point ()
  "Return the text of the form that ends before point, or nil."
  (let ((end (point))
        (begin (ignore-errors (save-excursion (backward-sexp) (point)))))
    (and begin (< begin end) (buffer-substring-no-properties begin end))))

;;;###autoload
(defun mprof-lisp-profile (form)
  "Evaluate FORM, a text, and show what it allocated.
By default FORM is the form before point.  With a prefix argument, FORM is
read from the minibuffer."
  (interactive
   (list (let ((before (mprof-lisp--form-before-point)))
           (if (or current-prefix-arg (not before))
               (read-string "Profile: " before 'mprof-lisp-history)
             before))))
  (message "Profiling...")
  (mprof-lisp--with-module
   (lambda ()
     (mprof-lisp--eval
      (format "(mprof:with-profiling (:threads %s) %s\n)" mprof-lisp--threads form)
      (lambda (printed values)
        (message "Profiling... done")
        (mprof-lisp-report mprof-lisp-type (mprof-lisp--outcome form printed values)))))))

(defun mprof-lisp--outcome (form printed values)
  "Return lines with FORM, its output PRINTED, and its VALUES."
  (concat form "\n"
          printed (if (or (string= printed "") (string-suffix-p "\n" printed)) "" "\n")
          "=> " values "\n\n"))

;;;###autoload
(defun mprof-lisp-toggle ()
  "Begin to record what SLIME's REPL allocates, or end that and show the report.
Only the REPL's thread is recorded.  If SLIME has no REPL, all threads are
recorded."
  (interactive)
  (mprof-lisp--with-module
   (lambda ()
     (mprof-lisp--eval
      (format "(if (mprof:profiling-p)
                   (mprof:stop-profiling)
                   (progn (mprof:start-profiling :threads %s) (princ 1)))"
              (if (mprof-lisp--repl-p) ":current" ":all"))
      (lambda (printed _)
        (if (string= printed "1")
            (message "Recording; M-x mprof-lisp-toggle ends it")
          (mprof-lisp-report mprof-lisp-type)))))))

(provide 'mprof-lisp)
;;; mprof-lisp.el ends here
