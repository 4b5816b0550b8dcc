# Programs that the tests of recording ECL profile.
EXTRA_DIST += \
	tests/ecl/chains.lisp \
	tests/ecl/chains-run.lisp \
	tests/ecl/interpreted-chains.lisp \
	tests/ecl/libraries.lisp \
	tests/ecl/live.lisp \
	tests/ecl/odd-names.lisp \
	tests/ecl/printed-names.lisp \
	tests/ecl/names.lisp \
	tests/ecl/names-run.lisp \
	tests/ecl/types.lisp \
	tests/ecl/volume.lisp
if HAVE_ECL
check_PROGRAMS += tests/ecl/embed
tests_ecl_embed_SOURCES = tests/ecl/embed.c
tests_ecl_embed_CFLAGS = -g -fno-optimize-sibling-calls
tests_ecl_embed_LDADD = -lecl
endif
clean-local: clean-ecl-cache
.PHONY: clean-ecl-cache
clean-ecl-cache:
	rm -rf tests/ecl/cache
