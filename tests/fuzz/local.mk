# Fuzz targets have their own objects, made with sanitizers by the compiler that configure chose, so the reporter is
# compiled a second time. make check-fuzz runs each target over the inputs in tests/fuzz/corpus, make fuzz searches for
# others. make check links the targets with the ordinary objects (smoke_*) and runs these over the same inputs.
FUZZ_COMPILE = -std=gnu11 $(FUZZ_CFLAGS)
FUZZ_DEFINES = $(REPORTER_DEFINES) -DLARGE_SIZE=0
FUZZ_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_DEFINES)
FUZZ_LIBS = tests/fuzz/libfuzzed.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) $(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS) $(SQLITE_LIBS) $(NCURSESW_LIBS) -lm

EXTRA_LIBRARIES = tests/fuzz/libfuzzed.a
tests_fuzz_libfuzzed_a_SOURCES = $(libreporter_la_SOURCES) tests/fuzz/fuzz.h tests/fuzz/show.c
if !HAVE_LIBFUZZER
tests_fuzz_libfuzzed_a_SOURCES += tests/fuzz/driver.c
endif
tests_fuzz_libfuzzed_a_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_libfuzzed_a_CFLAGS = $(FUZZ_COMPILE)

FUZZ_TARGETS = \
	tests/fuzz/fuzz_arguments \
	tests/fuzz/fuzz_elf \
	tests/fuzz/fuzz_import \
	tests/fuzz/fuzz_heap \
	tests/fuzz/fuzz_live \
	tests/fuzz/fuzz_names \
	tests/fuzz/fuzz_question \
	tests/fuzz/fuzz_sealed \
	tests/fuzz/fuzz_stored
if HAVE_RULES
FUZZ_TARGETS += tests/fuzz/fuzz_rule
endif
if HAVE_ECL
FUZZ_TARGETS += tests/fuzz/fuzz_fas
endif
EXTRA_PROGRAMS += $(FUZZ_TARGETS)

check_LIBRARIES += tests/fuzz/libsmoke.a
tests_fuzz_libsmoke_a_SOURCES = tests/fuzz/show.c tests/fuzz/driver.c tests/fuzz/fuzz.h $(FUZZ_TARGETS:=.c)
tests_fuzz_libsmoke_a_CPPFLAGS = $(AM_CPPFLAGS) $(FUZZ_DEFINES)
tests_fuzz_libsmoke_a_CFLAGS = -std=gnu11 $(SAN_CFLAGS)

SMOKE_TARGETS = $(FUZZ_TARGETS:tests/fuzz/fuzz_%=tests/fuzz/smoke_%)
$(SMOKE_TARGETS): tests/fuzz/smoke_%: tests/fuzz/libsmoke.a libreporter.la libmprof.la
	$(AM_V_CCLD)$(LINK) $(SAN_CFLAGS) tests/fuzz/libsmoke_a-fuzz_$*.$(OBJEXT) $(SMOKE_OBJECTS) \
		tests/fuzz/libsmoke_a-show.$(OBJEXT) tests/fuzz/libsmoke_a-driver.$(OBJEXT) $(REPORTER_LIBS)
tests/fuzz/smoke_fas: SMOKE_OBJECTS = $(FUZZ_FAS_USES:lisp-bridge/%.c=lisp-bridge/libmprof_la-%.lo) libmonitor.la
tests/fuzz/smoke_rule: SMOKE_OBJECTS = $(FUZZ_RULE_USES:runtime/unwind/%.c=runtime/unwind/libmonitor_la-%.lo)
tests/fuzz/smoke.log: $(SMOKE_TARGETS)

FUZZ_FAS_USES = lisp-bridge/fas.c lisp-bridge/fas_file.c lisp-bridge/twins.c
tests_fuzz_fuzz_fas_SOURCES = tests/fuzz/fuzz_fas.c $(FUZZ_FAS_USES)
tests_fuzz_fuzz_fas_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_fas_CFLAGS = $(FUZZ_COMPILE)
tests_fuzz_fuzz_fas_LDADD = $(FUZZ_LIBS) libmonitor.la

FUZZ_RULE_USES = runtime/unwind/cfi_value.c runtime/unwind/eh_frame.c runtime/unwind/rule.c
tests_fuzz_fuzz_rule_SOURCES = tests/fuzz/fuzz_rule.c $(FUZZ_RULE_USES)
tests_fuzz_fuzz_rule_CPPFLAGS = $(FUZZ_CPPFLAGS)
tests_fuzz_fuzz_rule_CFLAGS = $(FUZZ_COMPILE)

# Everything for the targets is compiled by this compiler.
$(FUZZ_TARGETS) tests/fuzz/libfuzzed.a: CC = $(FUZZ_CC)
tests/fuzz/%.$(OBJEXT): AM_CPPFLAGS += $(FUZZ_DEFINES)
tests/fuzz/%.$(OBJEXT): AM_CFLAGS = $(FUZZ_COMPILE)
$(FUZZ_TARGETS): LDADD = $(FUZZ_LIBS)
$(FUZZ_TARGETS): AM_LDFLAGS += $(FUZZ_LDFLAGS)
$(FUZZ_TARGETS): tests/fuzz/libfuzzed.a

EXTRA_DIST += tests/fuzz/corpus tests/fuzz/driver.c
dist_check_SCRIPTS += tests/fuzz/corpus.sh tests/fuzz/run.sh tests/fuzz/smoke.sh
TESTS += tests/fuzz/smoke.sh
CLEANFILES += tests/fuzz/how $(SMOKE_TARGETS) $(EXTRA_PROGRAMS) $(EXTRA_LIBRARIES)

tests/fuzz/how: Makefile
	@$(MKDIR_P) tests/fuzz
	@echo '$(FUZZ_CC) $(FUZZ_CFLAGS) $(FUZZ_LDFLAGS)' >$@

.PHONY: fuzz check-fuzz
check-fuzz: $(FUZZ_TARGETS) tests/fuzz/how
	$(MAKE) check TESTS=tests/fuzz/corpus.sh check_PROGRAMS= check_LTLIBRARIES= check_LIBRARIES=
fuzz: $(FUZZ_TARGETS)
	@$(SHELL) $(srcdir)/tests/fuzz/run.sh $(abs_srcdir) $(FUZZ_TARGETS)

clean-local:
	rm -rf tests/fuzz/found

# Otherwise make would make this directory of corpus.sh, by a rule of its own.
tests/fuzz/corpus: ;
# SPDX-License-Identifier: MIT
