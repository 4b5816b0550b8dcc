;;; emacs_repl.el --- mprof-lisp.el with SLIME or SLY; called by emacs.sh  -*- lexical-binding: t -*-

(defconst client (getenv "CLIENT") "The package that connects to Lisp: slime or sly.")

(defun client (name)
  "Return the client's function NAME."
  (intern (concat client "-" name)))

(require (intern client))
(require 'mprof-lisp)
(setq mprof-lisp-load-form (format "(load %S)" (getenv "MODULE")))
(defconst repl (and (equal client "slime") (locate-library "slime-repl"))
  "Whether the client has a REPL.")
(funcall (client "setup") (and repl '(slime-repl)))
(funcall (client "connect") "127.0.0.1" (string-to-number (getenv "PORT")))
(wait-for (client "connected-p"))

;; The Lisp process first compiles the server's part of the REPL. mprof is not loaded yet.
(wait-for (lambda () (or (not repl) (not (funcall (client "connected-p"))) (mprof-lisp--repl-p))))
(unless (funcall (client "connected-p"))
  (say "without mprof" "the Lisp ended the connection")
  (kill-emacs 0))

(dolist (name '("(SETF F)" "(METHOD (SETF F) (T T))" "(METHOD F :AROUND (INTEGER))" "INNER in OUTER"
                "LAMBDA #2 in (SETF F)" "LAMBDA of a.lisp"))
  (say (concat "definition of " name) (mprof-lisp--definition name)))

(defun report ()
  "Return the buffer of the report if it has text, otherwise nil."
  (let ((buffer (get-buffer "*mprof Lisp*")))
    (and buffer (with-current-buffer buffer (> (buffer-size) 0)) buffer)))

(with-temp-buffer
  (lisp-mode)
  (insert "(progn (princ (mp:process-name mp:*current-process*)) (length (work 100)))")
  (call-interactively #'mprof-lisp-profile))
(wait-for #'report)
(with-current-buffer (report)
  (say "mode" major-mode)
  (goto-char (point-min))
  (re-search-forward "WORK$")
  (say "row" (replace-regexp-in-string
              " +" " " (buffer-substring (line-beginning-position) (line-end-position))))
  (goto-char (match-beginning 0))
  (say "button" (button-label (button-at (point))))
  (push-button (point)))
(wait-for (lambda () (get-buffer "work.lisp")))
(with-current-buffer "work.lisp"
  (wait-for (lambda () (> (point) 1)))
  (say "definition" (buffer-substring (line-beginning-position) (line-end-position))))
(with-current-buffer (report)
  (goto-char (point-min))
  (forward-line)
  (say "printed" (buffer-substring (point) (line-end-position)))
  (forward-line)
  (say "values" (buffer-substring (point) (line-end-position))))
(kill-buffer "*mprof Lisp*")
(with-temp-buffer
  (lisp-mode)
  (insert "(floor (sum 100000))")
  (call-interactively #'mprof-lisp-profile))
(wait-for #'report)
(with-current-buffer (report)
  (goto-char (point-min))
  (call-interactively (key-binding "n"))
  (say "finding" (string-trim (buffer-substring (point) (line-end-position))))
  (save-window-excursion
    (switch-to-buffer (current-buffer))
    (call-interactively (key-binding "v"))
    (say "finding visited" (format "%s: %s" (buffer-name)
                                   (progn (end-of-line)
                                          (beginning-of-defun)
                                          (and (looking-at "(defun \\([a-z]+\\)") (match-string 1)))))))
(with-current-buffer (report)
  (goto-char (point-min))
  (search-forward ":focus")
  (push-button (point)))
(wait-for (lambda () (with-current-buffer (report)
                       (goto-char (point-min))
                       (looking-at "(mprof:report :type :sites"))))
(with-current-buffer (report)
  (say "finding sites" (and (search-forward "TABLE 6" nil t) (search-forward "SUM" nil t) t)))
(kill-buffer "*mprof Lisp*")
(mprof-lisp-report :sites)
(wait-for #'report)
(with-current-buffer (report)
  (say "sites" (and (search-forward "DOUBLE-FLOAT" nil t) t)))
(funcall (client "disconnect-all"))
;; SPDX-License-Identifier: MIT
