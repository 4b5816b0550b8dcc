# For Emacs, which compiles it when it is asked to.
elispdir = $(datadir)/emacs/site-lisp
dist_elisp_DATA = emacs/mprof.el emacs/mprof-lisp.el

# ECL finds the module by (require :mprof) in its own folder only, so mprof-lisp.el is told where it is.
if HAVE_ECL
MODULE_NAME_HOOK = install-module-name
endif
install-data-hook: $(MODULE_NAME_HOOK)
install-module-name: install-dist_elispDATA
	sed 's|^(defconst mprof-lisp--module nil$$|(defconst mprof-lisp--module "$(ecldir)/mprof.fas"|' \
	  $(srcdir)/emacs/mprof-lisp.el >$(DESTDIR)$(elispdir)/mprof-lisp.el
