;;; mprof.el --- Memory allocation profiles in Emacs -*- lexical-binding: t -*-

;; SPDX-License-Identifier: MIT
;; Version: 1.0.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: tools, c, lisp

;;; Commentary:

;; mprof counts every allocation of a program, with its whole chain of callers; see mprof(1).
;;
;;   M-x mprof-run       run a program under mprof, and show the report when it has ended
;;   M-x mprof-report    show the report of a data file
;;   M-x mprof-annotate  show the lines of a function, with what they allocated
;;
;; A report is a compilation buffer.  RET on a place in the source, (file.c:12), visits the place,
;; as does \\[next-error] from anywhere.  RET on an index of the call graph, [12], goes to the
;; entry of that function.

;;; Code:

(require 'button)
(require 'compile)

(defgroup mprof nil
  "Memory allocation profiles."
  :group 'tools
  :prefix "mprof-")

(defcustom mprof-program "mprof"
  "Name or path of the command mprof."
  :type 'string)

(defcustom mprof-report-options nil
  "Further options of \"mprof report\" as strings, such as \"--sort=kept\"."
  :type '(repeat string))

(defcustom mprof-source-directories nil
  "Directories whose sources \\[mprof-annotate] shows besides `default-directory'."
  :type '(repeat directory))

(defcustom mprof-data-file "mprof.data"
  "Name of the data file that \\[mprof-run] writes, in the program's directory."
  :type 'string)

(defconst mprof--place "(\\(/[^()\n]+\\|[^/() \n][^() \n]*\\):\\([0-9]+\\))"
  "Regular expression that matches a place in the source in a report.")

(defconst mprof--index "\\[[0-9]+\\]"
  "Regular expression that matches an index of the call graph.")

(defvar mprof-history nil
  "The commands that `mprof-run' ran.")

(defvar-local mprof--shown-file nil
  "The data file that the program in this buffer writes.")

(defvar-local mprof--arguments nil
  "The arguments with which mprof printed the text of this buffer.")

;;; The buffer of a report

(defun mprof--go-to-entry (button)
  "Go to the entry of the call graph that has the index BUTTON."
  (let ((index (button-label button))
        (place nil))
    (save-excursion
      (goto-char (point-min))
      (setq place (re-search-forward (concat "^" (regexp-quote index) " ") nil t)))
    (if place
        (goto-char (match-beginning 0))
      (user-error "No entry %s here: all are with --verbose" index))))

(define-button-type 'mprof-entry
  'action #'mprof--go-to-entry
  'follow-link t
  'help-echo "the entry of this function")

(defun mprof--add-buttons ()
  "Turn the indices of the call graph into buttons."
  (save-excursion
    (goto-char (point-min))
    (while (re-search-forward mprof--index nil t)
      (make-text-button (match-beginning 0) (match-end 0) 'type 'mprof-entry))))

(defun mprof-follow ()
  "Go to the entry, or the place in the source, that the text at point names."
  (interactive)
  (if (button-at (point))
      (push-button (point))
    (compile-goto-error)))

(defvar mprof-report-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'mprof-follow)
    (define-key map (kbd "TAB") #'compilation-next-error)
    (define-key map "a" #'mprof-annotate)
    (define-key map "g" #'revert-buffer)
    map)
  "Keys of `mprof-report-mode'.")

(define-compilation-mode mprof-report-mode "mprof"
  "Major mode for reports of mprof.

\\{mprof-report-mode-map}"
  (setq-local compilation-error-regexp-alist (list (list mprof--place 1 2)))
  (setq-local compilation-error-face 'compilation-info)
  (setq-local revert-buffer-function #'mprof--revert)
  (setq-local truncate-lines t))

(defun mprof--insert (arguments)
  "Insert the output of mprof with ARGUMENTS.
If mprof fails, signal an error with its message."
  (let* ((errors (make-temp-file "mprof"))
         (coding-system-for-read 'utf-8)
         (status (unwind-protect
                     (apply #'process-file mprof-program nil (list t errors) nil arguments)
                   (setq errors
                         (with-temp-buffer
                           (insert-file-contents errors nil)
                           (delete-file errors)
                           (string-trim (buffer-string)))))))
    (unless (eql status 0)
      (user-error "%s" (if (string= errors "") (format "mprof: status %s" status) errors)))))

(defun mprof--revert (&rest _)
  "Run mprof again, and replace the text of this buffer by its output."
  (let ((arguments mprof--arguments)
        (place (point))
        (inhibit-read-only t)
        (text nil))
    (let ((directory default-directory))
      (with-temp-buffer
        (setq default-directory directory)
        (mprof--insert arguments)
        (setq text (buffer-string))))
    (erase-buffer)
    (insert text)
    (mprof--add-buttons)
    (set-buffer-modified-p nil)
    (goto-char (min place (point-max)))))

(defun mprof--show (name arguments)
  "Show in the buffer NAME the output of mprof with ARGUMENTS.
Return the buffer."
  (let ((directory default-directory)
        (buffer (get-buffer-create name)))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer))
      (setq default-directory directory)
      (mprof-report-mode)
      (setq mprof--arguments arguments)
      (condition-case problem
          (mprof--revert)
        (error
         (kill-buffer buffer)
         (signal (car problem) (cdr problem))))
      (goto-char (point-min)))
    (setq next-error-last-buffer buffer)
    (display-buffer buffer)
    buffer))

;;; Commands

(defun mprof--file-arguments (file)
  "Return arguments for the data file FILE, which may look like an option."
  (list "--" (file-local-name (expand-file-name file))))

;;;###autoload
(defun mprof-report (file)
  "Show the report of the data file FILE."
  (interactive (list (read-file-name "Data file: " nil nil t mprof-data-file)))
  (mprof--show "*mprof*"
               (append '("report" "--no-pager" "--color=never" "--lines=full")
                       mprof-report-options (mprof--file-arguments file))))

(defun mprof--current-file ()
  "Return the data file of this buffer's report, or the one in this directory."
  (or (car (last mprof--arguments)) (expand-file-name mprof-data-file)))

;;;###autoload
(defun mprof-annotate (function &optional file)
  "Show the lines of FUNCTION with what they allocated, from the data file FILE.
FUNCTION may also be a source file, or FILE:LINE.  Sources are shown that are
below the current directory or `mprof-source-directories'."
  (interactive (list (read-string "Function or source file: " (thing-at-point 'symbol t))))
  (mprof--show "*mprof annotate*"
               (append '("annotate" "--no-pager" "--color=never")
                       (mapcar (lambda (directory)
                                 (concat "--source=" (file-local-name (expand-file-name directory))))
                               mprof-source-directories)
                       (list "--" function)
                       (cdr (mprof--file-arguments (or file (mprof--current-file)))))))

(defun mprof--ended (buffer status)
  "Show the report now that the program in BUFFER has ended with STATUS."
  (with-current-buffer buffer
    (if (file-readable-p mprof--shown-file)
        (mprof-report mprof--shown-file)
      (message "mprof: no report: %s" (string-trim status)))))

;;;###autoload
(defun mprof-run (command)
  "Run COMMAND, a line for the shell that begins with a program, under mprof.
Show its output in a compilation buffer, and when it has ended, show the report
of `mprof-data-file' in the current directory."
  (interactive (list (read-shell-command "Program: " (car mprof-history) 'mprof-history)))
  (let* ((file (expand-file-name mprof-data-file))
         (line (format "%s run -o %s %s" (shell-quote-argument mprof-program)
                       (shell-quote-argument (file-local-name file)) command))
         (buffer (compilation-start line nil (lambda (_) "*mprof run*"))))
    (with-current-buffer buffer
      (setq-local mprof--shown-file file)
      (add-hook 'compilation-finish-functions #'mprof--ended nil t))
    buffer))

(provide 'mprof)
;;; mprof.el ends here
