;; -*- no-byte-compile: t -*-
;; SPDX-License-Identifier: MIT
(define-package "mprof" "1.0.0" "Memory allocation profiles" '((emacs "27.1")))
