# For Emacs, which compiles it when it is asked to.
elispdir = $(datadir)/emacs/site-lisp
dist_elisp_DATA = emacs/mprof.el emacs/mprof-lisp.el
