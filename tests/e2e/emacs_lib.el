;;; emacs_lib.el --- functions that the sessions of emacs.sh share  -*- lexical-binding: t -*-

(defun say (name value)
  "Print VALUE as the result NAME."
  (princ (format "%s: %s\n" name value)))

(defun wait-for (condition)
  "Wait until the function CONDITION returns true."
  (let ((left 600))
    (while (and (> left 0) (not (funcall condition)))
      (accept-process-output nil 0.1)
      (setq left (1- left)))
    (unless (> left 0) (error "It took too long"))))

;;; emacs_lib.el ends here
;; SPDX-License-Identifier: MIT
