# Emacs Lisp files are installed uncompiled.
elispdir = $(datadir)/emacs/site-lisp
dist_elisp_DATA = emacs/mprof.el emacs/mprof-lisp.el

# (require :mprof) finds the module only in ECL's own directory, so its path is written into mprof-lisp.el.
if HAVE_ECL
MODULE_NAME_HOOK = install-module-name
endif
install-data-hook: $(MODULE_NAME_HOOK)
install-module-name: install-dist_elispDATA
	sed 's|^(defconst mprof-lisp--module nil$$|(defconst mprof-lisp--module "$(ecldir)/mprof.fas"|' \
	  $(srcdir)/emacs/mprof-lisp.el >$(DESTDIR)$(elispdir)/mprof-lisp.el
