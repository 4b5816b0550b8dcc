# SPDX-License-Identifier: MIT
# Emacs Lisp files are installed uncompiled.
elispdir = $(datadir)/emacs/site-lisp
# The description for package managers of Emacs is not installed by make.
EXTRA_DIST += emacs/mprof-pkg.el
dist_elisp_DATA = emacs/mprof.el emacs/mprof-lisp.el
