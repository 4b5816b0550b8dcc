# SPDX-License-Identifier: MIT
# Completions, in the directories where the shells search for them; configure.ac has that of fish.
bashcompdir = $(datadir)/bash-completion/completions
zshcompdir = $(datadir)/zsh/site-functions
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
