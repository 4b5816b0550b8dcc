# make release: what a release publishes, in release/.
EXTRA_DIST += packaging/release.sh

.PHONY: release
release:
	@$(SHELL) $(srcdir)/packaging/release.sh $(VERSION)
# SPDX-License-Identifier: MIT
