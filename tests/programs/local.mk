# What test_symbols looks names up in: always with debug information and optimised.
SYMBOLS_PROGRAM_FLAGS = -g -O2 -fno-ipa-icf -fno-lto
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

# Programs that the end-to-end tests profile.  Their chains must be what the source says: each
# function keeps its frame, and no call of the malloc family is optimised away.
PROGRAM_FLAGS = -g -fno-builtin -fno-optimize-sibling-calls
PROGRAM_CFLAGS = $(AM_CFLAGS) $(PROGRAM_FLAGS)
PROGRAM_CXXFLAGS = $(AM_CXXFLAGS) $(PROGRAM_FLAGS)
EXTRA_DIST += tests/programs/program.h

check_PROGRAMS += \
	examples/widgets \
	tests/programs/abyss \
	tests/programs/api \
	tests/programs/asked \
	tests/programs/control \
	tests/programs/cycles \
	tests/programs/deep \
	tests/programs/early \
	tests/programs/family \
	tests/programs/figure6 \
	tests/programs/foreign \
	tests/programs/forker \
	tests/programs/generated \
	tests/programs/generations \
	tests/programs/irregular \
	tests/programs/killme \
	tests/programs/left \
	tests/programs/many_modules \
	tests/programs/nested \
	tests/programs/late \
	tests/programs/objects \
	tests/programs/odd_names \
	tests/programs/own_unwind \
	tests/programs/peak \
	tests/programs/pools \
	tests/programs/pushed \
	tests/programs/peak_threads \
	tests/programs/random_calls \
	tests/programs/realloc \
	tests/programs/recordings \
	tests/programs/reload \
	tests/programs/rising \
	tests/programs/semantics \
	tests/programs/static_prog \
	tests/programs/stress \
	tests/programs/temp \
	tests/programs/threads \
	tests/programs/together \
	tests/programs/torture \
	tests/programs/trees \
	tests/programs/trim

examples_widgets_SOURCES = examples/widgets.c
examples_widgets_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_abyss_SOURCES = tests/programs/abyss.c
tests_programs_abyss_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_api_SOURCES = tests/programs/api.c
tests_programs_api_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_asked_SOURCES = tests/programs/asked.c
tests_programs_asked_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_cycles_SOURCES = tests/programs/cycles.c
tests_programs_cycles_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_trees_SOURCES = tests/programs/trees.c
tests_programs_trees_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_trim_SOURCES = tests/programs/trim.c
tests_programs_trim_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_deep_SOURCES = tests/programs/deep.c
tests_programs_deep_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_early_SOURCES = tests/programs/early.c
tests_programs_early_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_family_SOURCES = tests/programs/family.cc
tests_programs_family_CXXFLAGS = $(PROGRAM_CXXFLAGS) -std=gnu++17
tests_programs_figure6_SOURCES = tests/programs/figure6.c
tests_programs_figure6_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_foreign_SOURCES = tests/programs/foreign.c
tests_programs_foreign_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_forker_SOURCES = tests/programs/forker.c
tests_programs_forker_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_control_SOURCES = tests/programs/control.c
tests_programs_control_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_many_modules_SOURCES = tests/programs/many_modules.c
tests_programs_many_modules_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_nested_SOURCES = tests/programs/nested.c tests/programs/library.h
tests_programs_nested_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_left_SOURCES = tests/programs/left.c tests/programs/library.h
tests_programs_left_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_generated_SOURCES = tests/programs/generated.c
tests_programs_generated_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_generated_LDADD = -ldl
tests_programs_generations_SOURCES = tests/programs/generations.c
tests_programs_generations_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_irregular_SOURCES = tests/programs/irregular.c
tests_programs_irregular_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_irregular_LDFLAGS = -Wl,-z,lazy
tests_programs_killme_SOURCES = tests/programs/killme.c
tests_programs_killme_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_late_SOURCES = tests/programs/late.c
tests_programs_late_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_objects_SOURCES = tests/programs/objects.c
tests_programs_objects_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_odd_names_SOURCES = tests/programs/odd_names.c
tests_programs_odd_names_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_own_unwind_SOURCES = tests/programs/own_unwind.c
tests_programs_own_unwind_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_peak_SOURCES = tests/programs/peak.c
tests_programs_peak_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_pools_SOURCES = tests/programs/pools.c
tests_programs_pools_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_pushed_SOURCES = tests/programs/pushed.c
tests_programs_pushed_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_peak_threads_SOURCES = tests/programs/peak_threads.c
tests_programs_peak_threads_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_realloc_SOURCES = tests/programs/realloc.c
tests_programs_realloc_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_recordings_SOURCES = tests/programs/recordings.c
tests_programs_recordings_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_reload_SOURCES = tests/programs/reload.c
tests_programs_reload_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_random_calls_SOURCES = tests/programs/random_calls.c
tests_programs_random_calls_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_rising_SOURCES = tests/programs/rising.c
tests_programs_rising_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_semantics_SOURCES = tests/programs/semantics.c
tests_programs_semantics_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_static_prog_SOURCES = tests/programs/static_prog.c
tests_programs_static_prog_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_static_prog_LDFLAGS = -all-static
tests_programs_stress_SOURCES = tests/programs/stress.c
tests_programs_stress_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_temp_SOURCES = tests/programs/temp.c
tests_programs_temp_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_threads_SOURCES = tests/programs/threads.c
tests_programs_threads_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_together_SOURCES = tests/programs/together.c
tests_programs_together_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_torture_SOURCES = tests/programs/torture.cc
tests_programs_torture_CXXFLAGS = $(PROGRAM_CXXFLAGS) -std=gnu++17 -pthread

# Two plug-ins of one source, for reload.
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

# Preloaded behind libmprof.so, for temporary: a log of what reaches the allocator.
check_LTLIBRARIES += tests/programs/event_log.la
tests_programs_event_log_la_SOURCES = tests/programs/event_log.c
tests_programs_event_log_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_event_log_la_LDFLAGS = -module -avoid-version -rpath /nowhere

# Preloaded into mprof: files that become shorter while they are read.
check_LTLIBRARIES += tests/programs/shrink.la
tests_programs_shrink_la_SOURCES = tests/programs/shrink.c
tests_programs_shrink_la_CPPFLAGS = $(AM_CPPFLAGS) $(LIBDW_CFLAGS)
tests_programs_shrink_la_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_shrink_la_LDFLAGS = $(PLUG_LDFLAGS)

EXTRA_DIST += tests/programs/lambdas.cc

# An allocator for stress.

# Events: programs of tests/e2e/process_*.sh, code_*.sh and allocator_*.sh.
EXTRA_DIST += tests/programs/books.h
check_PROGRAMS += \
	tests/programs/allocator_abuse \
	tests/programs/books_read \
	tests/programs/code_signals \
	tests/programs/process_denied \
	tests/programs/process_ends \
	tests/programs/process_heirs \
	tests/programs/process_threads \
	tests/programs/process_victim \
	tests/programs/sandboxed
tests_programs_books_read_SOURCES = tests/programs/books_read.c
tests_programs_books_read_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_sandboxed_SOURCES = tests/programs/sandboxed.c
tests_programs_sandboxed_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_process_denied_SOURCES = tests/programs/process_denied.c
tests_programs_process_denied_CFLAGS = $(PROGRAM_CFLAGS)
tests_programs_process_ends_SOURCES = tests/programs/process_ends.cc
tests_programs_process_ends_CXXFLAGS = $(PROGRAM_CXXFLAGS) -std=gnu++17 -pthread
tests_programs_process_heirs_SOURCES = tests/programs/process_heirs.c
tests_programs_process_heirs_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_process_threads_SOURCES = tests/programs/process_threads.c
tests_programs_process_threads_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_process_victim_SOURCES = tests/programs/process_victim.c
tests_programs_process_victim_CFLAGS = $(PROGRAM_CFLAGS) -pthread
tests_programs_code_signals_SOURCES = tests/programs/code_signals.c
tests_programs_code_signals_CFLAGS = $(PROGRAM_CFLAGS) -pthread
check_LTLIBRARIES += tests/programs/bump.la
tests_programs_bump_la_SOURCES = tests/programs/bump.c
tests_programs_bump_la_CFLAGS = $(AM_CFLAGS) -fno-builtin
tests_programs_bump_la_LDFLAGS = $(PLUG_LDFLAGS)
tests_programs_allocator_abuse_SOURCES = tests/programs/allocator_abuse.c
tests_programs_allocator_abuse_CFLAGS = $(PROGRAM_CFLAGS) -Wno-use-after-free -Wno-free-nonheap-object
