# make lint: rules that no compiler checks. All but scripts.sh are a part of make check.
LINTS = \
	tests/lint/dist.sh \
	tests/lint/exports.sh \
	tests/lint/files.sh \
	tests/lint/hardening.sh \
	tests/lint/identity.sh \
	tests/lint/imports.sh \
	tests/lint/includes.sh \
	tests/lint/jumps.sh \
	tests/lint/lisp.sh \
	tests/lint/opens.sh \
	tests/lint/packaging.sh \
	tests/lint/rooms.sh \
	tests/lint/spdx.sh \
	tests/lint/version.sh
dist_check_SCRIPTS += $(LINTS)
EXTRA_DIST += tests/lint/exports.txt tests/lint/imports.txt tests/lint/opens.txt tests/lint/rooms.txt
TESTS += $(LINTS)

.PHONY: lint
lint: all
	@$(MAKE) check-TESTS TESTS='$(LINTS) tests/lint/scripts.sh'
	@srcdir=$(srcdir) $(SHELL) $(srcdir)/tests/lint/rooms.sh picture
# SPDX-License-Identifier: MIT
