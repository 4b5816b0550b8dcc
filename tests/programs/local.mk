# Programs in which test_symbols looks up names: always optimised and with debug information.
SYMBOLS_PROGRAM_FLAGS = -g -O2 -fno-ipa-icf
check_PROGRAMS += \
	tests/programs/symbols_c \
	tests/programs/symbols_cxx \
	tests/programs/symbols_twin
tests_programs_symbols_c_SOURCES = \
	tests/programs/symbols.h \
	tests/programs/symbols_c.c \
	tests/programs/symbols_c_two.c
tests_programs_symbols_c_CFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_c_LDFLAGS = -Wl,--build-id
tests_programs_symbols_cxx_SOURCES = tests/programs/symbols.h tests/programs/symbols_cxx.cc
tests_programs_symbols_cxx_CXXFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_cxx_LDFLAGS = -Wl,--build-id
tests_programs_symbols_twin_SOURCES = tests/programs/symbols.h tests/programs/symbols_twin.c
tests_programs_symbols_twin_CFLAGS = $(SYMBOLS_PROGRAM_FLAGS)
tests_programs_symbols_twin_LDFLAGS = -Wl,--build-id

# Programs that the end-to-end tests profile; each has one source of the same name. Their chains must match the
# source, so each function keeps its frame, and no call of the malloc family is optimised away.
PROGRAM_FLAGS = -g -fno-builtin -fno-optimize-sibling-calls -pthread
PROGRAM_CFLAGS = $(AM_CFLAGS) $(PROGRAM_FLAGS)
PROGRAMS_C = \
	examples/widgets \
	tests/programs/abyss \
	tests/programs/allocator_abuse \
	tests/programs/api \
	tests/programs/asked \
	tests/programs/bits \
	tests/programs/books_read \
	tests/programs/call_lines \
	tests/programs/checkpoints \
	tests/programs/code_signals \
	tests/programs/contexts \
	tests/programs/control \
	tests/programs/costs \
	tests/programs/leak_cases \
	tests/programs/leak_places \
	tests/programs/cycles \
	tests/programs/deep \
	tests/programs/early \
	tests/programs/expect \
	tests/programs/expect_check \
	tests/programs/failing \
	tests/programs/figure6 \
	tests/programs/findings \
	tests/programs/foreign \
	tests/programs/forker \
	tests/programs/generated \
	tests/programs/generations \
	tests/programs/handover \
	tests/programs/hostile_header \
	tests/programs/irregular \
	tests/programs/killme \
	tests/programs/late \
	tests/programs/left \
	tests/programs/lifetimes \
	tests/programs/live_blocks \
	tests/programs/loader_held \
	tests/programs/locked \
	tests/programs/many_modules \
	tests/programs/meter \
	tests/programs/moments \
	tests/programs/moments_threads \
	tests/programs/nested \
	tests/programs/no_clock \
	tests/programs/objects \
	tests/programs/pairs \
	tests/programs/one_place \
	tests/programs/odd_names \
	tests/programs/own_unwind \
	tests/programs/overruns \
	tests/programs/peak \
	tests/programs/peak_threads \
	tests/programs/plunge \
	tests/programs/pools \
	tests/programs/process_denied \
	tests/programs/held \
	tests/programs/hills \
	tests/programs/keeper \
	tests/programs/process_heirs \
	tests/programs/process_threads \
	tests/programs/process_victim \
	tests/programs/pushed \
	tests/programs/random_calls \
	tests/programs/realloc \
	tests/programs/recordings \
	tests/programs/reload \
	tests/programs/rising \
	tests/programs/sampled \
	tests/programs/sandboxed \
	tests/programs/seized \
	tests/programs/semantics \
	tests/programs/signals \
	tests/programs/stages \
	tests/programs/static_prog \
	tests/programs/stress \
	tests/programs/temp \
	tests/programs/threads \
	tests/programs/together \
	tests/programs/torn_stacks \
	tests/programs/trees \
	tests/programs/trim \
	tests/programs/truncated \
	tests/programs/two_stacks \
	tests/programs/unreached
PROGRAMS_CXX = \
	tests/programs/family \
	tests/programs/leak_threads \
	tests/programs/options_used \
	tests/programs/process_ends \
	tests/programs/torture
check_PROGRAMS += $(PROGRAMS_C) $(PROGRAMS_CXX)
EXTRA_DIST += \
	tests/programs/books.h \
	tests/programs/books_paths.h \
	tests/programs/call_lines.h \
	tests/programs/changed.c \
	tests/programs/first_call.c \
	tests/programs/heap.go \
	tests/programs/lambdas.cc \
	tests/programs/library.h \
	tests/programs/many_chains.h \
	tests/programs/no_memory.h \
	tests/programs/program.h \
	tests/programs/split.c \
	tests/programs/wrapping.c
tests_programs_family_SOURCES = tests/programs/family.cc
tests_programs_leak_threads_SOURCES = tests/programs/leak_threads.cc
tests_programs_options_used_SOURCES = tests/programs/options_used.cc
tests_programs_process_ends_SOURCES = tests/programs/process_ends.cc
tests_programs_torture_SOURCES = tests/programs/torture.cc
tests_programs_expect_check_LDADD = $(CHECK_LIBS)
tests_programs_generated_LDADD = -ldl
tests_programs_irregular_LDFLAGS = -Wl,-z,lazy
tests_programs_static_prog_LDFLAGS = -all-static
tests/programs/%.$(OBJEXT) examples/%.$(OBJEXT): AM_CFLAGS += $(PROGRAM_FLAGS)
# After the user's CFLAGS.
tests/programs/%.$(OBJEXT) examples/%.$(OBJEXT): CFLAGS += -fno-lto
tests/programs/%.$(OBJEXT): CXXFLAGS += -fno-lto
tests/programs/expect_check.$(OBJEXT): AM_CPPFLAGS += $(CHECK_CFLAGS)
tests/programs/allocator_abuse.$(OBJEXT): AM_CFLAGS += -Wno-use-after-free -Wno-free-nonheap-object
tests/programs/%.$(OBJEXT): AM_CXXFLAGS += $(PROGRAM_FLAGS) -std=gnu++17

# Two plug-ins made from one source, for reload.
check_LTLIBRARIES += tests/programs/plug_a.la tests/programs/plug_b.la
PLUG_LDFLAGS = -module -avoid-version -rpath /nowhere -Wl,--build-id
tests_programs_plug_a_la_SOURCES = tests/programs/plug.c
tests_programs_plug_a_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DPLUG_LEAF=plug_alpha -DPLUG_MIDDLE=plug_alpha_middle -DPLUG_PAD=200
tests_programs_plug_a_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_plug_a_la_LDFLAGS = $(PLUG_LDFLAGS)
tests_programs_plug_b_la_SOURCES = tests/programs/plug.c
tests_programs_plug_b_la_CPPFLAGS = $(AM_CPPFLAGS) \
	-DPLUG_LEAF=plug_bravo -DPLUG_MIDDLE=plug_bravo_middle -DPLUG_PAD=1208
tests_programs_plug_b_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_plug_b_la_LDFLAGS = $(PLUG_LDFLAGS)

# Preloaded, for programs whose allocations depend on the clock.
check_LTLIBRARIES += tests/programs/fixed_time.la
tests_programs_fixed_time_la_SOURCES = tests/programs/fixed_time.c
tests_programs_fixed_time_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_fixed_time_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# Preloaded behind libmprof.so, for temporary and lifetimes: logs the calls that reach the allocator.
check_LTLIBRARIES += tests/programs/event_log.la
tests_programs_event_log_la_SOURCES = tests/programs/event_log.c
tests_programs_event_log_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_event_log_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# Preloaded behind libmprof.so, for sampling: a recording begins during an allocation.
check_LTLIBRARIES += tests/programs/within.la
tests_programs_within_la_SOURCES = tests/programs/within.c
tests_programs_within_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_within_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# Preloaded into mprof: truncates files while they are read.
check_LTLIBRARIES += tests/programs/shrink.la
tests_programs_shrink_la_SOURCES = tests/programs/shrink.c
tests_programs_shrink_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
tests_programs_shrink_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_shrink_la_LDFLAGS = $(PLUG_LDFLAGS)

# An allocator that never frees, for allocator_abuse.
check_LTLIBRARIES += tests/programs/bump.la
tests_programs_bump_la_SOURCES = tests/programs/bump.c
tests_programs_bump_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_bump_la_LDFLAGS = $(PLUG_LDFLAGS)

# Preloaded into mprof by failing: lets allocations fail.
check_LTLIBRARIES += tests/programs/no_memory.la
tests_programs_no_memory_la_SOURCES = tests/programs/no_memory.c
tests_programs_no_memory_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_no_memory_la_LDFLAGS = $(PLUG_LDFLAGS)

# Preloaded into mprof: replaces each renamed file by a link.
check_LTLIBRARIES += tests/programs/link_after.la
tests_programs_link_after_la_SOURCES = tests/programs/link_after.c
tests_programs_link_after_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_link_after_la_LDFLAGS = $(PLUG_LDFLAGS)

# Preloaded into mprof: sends a signal while it writes to a database.
check_LTLIBRARIES += tests/programs/signal_at_open.la
tests_programs_signal_at_open_la_SOURCES = tests/programs/signal_at_open.c
tests_programs_signal_at_open_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_signal_at_open_la_LDFLAGS = $(PLUG_LDFLAGS)
# SPDX-License-Identifier: MIT
