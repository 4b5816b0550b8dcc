# Completions, in the directories where the shells search for them.
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
fishcompdir = $(datadir)/fish/vendor_completions.d
dist_zshcomp_DATA = completions/_mprof
dist_fishcomp_DATA = completions/mprof.fish
EXTRA_DIST += completions/mprof.bash
install-data-local: install-bash-completion
uninstall-local: uninstall-bash-completion
.PHONY: install-bash-completion uninstall-bash-completion
install-bash-completion:
	$(MKDIR_P) "$(DESTDIR)$(bashcompdir)"
	$(INSTALL_DATA) "$(srcdir)/completions/mprof.bash" "$(DESTDIR)$(bashcompdir)/mprof"
uninstall-bash-completion:
	rm -f "$(DESTDIR)$(bashcompdir)/mprof"
