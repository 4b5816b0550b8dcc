;;; emacs.el --- uses mprof.el like a user; called by emacs.sh  -*- lexical-binding: t -*-

(defun place ()
  "Return the file, the line number and the line of point."
  (format "%s:%d %s" (file-name-nondirectory (or (buffer-file-name) (buffer-name)))
          (line-number-at-pos)
          (string-trim (buffer-substring (line-beginning-position) (line-end-position)))))

(defun shown ()
  "Return the place of point in the selected window."
  (with-current-buffer (window-buffer (selected-window)) (place)))

(require 'mprof)

(defvar start default-directory
  "The directory of the data file.")
(setq mprof-program (getenv "MPROF_COMMAND"))

(mprof-report "data")
(set-buffer "*mprof*")
(say "mode" major-mode)
(switch-to-buffer "*mprof*")
(next-error 1 t)
(say "first" (shown))
(next-error)
(say "second" (shown))
(switch-to-buffer "*mprof*")
(goto-char (point-min))
(re-search-forward "\\[[0-9]+\\] +make_widget$")
(goto-char (match-beginning 0))
(mprof-follow)
(say "entry" (replace-regexp-in-string " +" " " (place)))
(let ((before (buffer-string)))
  (revert-buffer)
  (say "again" (string= before (buffer-string))))
(defun annotated ()
  "Return the first line of the annotation, and whether it has lines of source."
  (with-current-buffer "*mprof annotate*"
    (goto-char (point-min))
    (list (buffer-substring (line-beginning-position) (line-end-position))
          (and (search-forward "malloc(" nil t) t))))

(mprof-annotate "make_widget")
(say "annotate" (annotated))
(let ((mprof-source-directories (list (file-name-directory (getenv "WIDGETS")))))
  (mprof-annotate "make_widget")
  (say "annotate elsewhere" (annotated)))
(set-buffer "*scratch*")
(say "error" (condition-case problem (mprof-report "nothing") (error (cadr problem))))
(say "left" (buffer-live-p (get-buffer "*mprof*")))
(switch-to-buffer "*scratch*")
(make-directory (expand-file-name "run" start))
(setq default-directory (expand-file-name "run/" start))
(kill-buffer (get-buffer-create "*mprof*"))
(mprof-run (getenv "WIDGETS"))
(wait-for (lambda () (get-buffer "*mprof*")))
(say "run" (with-current-buffer "*mprof*" (goto-char (point-min))
                                (and (search-forward "make_red_widget" nil t) t)))
;; SPDX-License-Identifier: MIT
