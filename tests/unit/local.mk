# Unit tests: each is a program with a source of the same name, linked with the reporter and the tests' own library.
# Tests of the monitor link it, or compile the tested file with replacements for other files.
UNIT_TESTS = \
	tests/unit/api/test_api \
	tests/unit/base/test_arena \
	tests/unit/base/test_columns \
	tests/unit/base/test_cursor \
	tests/unit/base/test_file_at \
	tests/unit/base/test_globs \
	tests/unit/base/test_map \
	tests/unit/base/test_open_file \
	tests/unit/base/test_pattern \
	tests/unit/base/test_progress \
	tests/unit/base/test_short_names \
	tests/unit/base/test_text \
	tests/unit/base/test_write_file \
	tests/unit/c-bridge/test_target \
	tests/unit/diff/test_changes \
	tests/unit/draw/test_flame \
	tests/unit/draw/test_plot \
	tests/unit/export/test_blocks \
	tests/unit/file/test_archive \
	tests/unit/file/test_data_file \
	tests/unit/file/test_reader_live \
	tests/unit/file/test_reader_live_counters \
	tests/unit/file/test_reader_live_damage \
	tests/unit/file/test_reader_live_lisp \
	tests/unit/file/test_reader_live_marks \
	tests/unit/file/test_reader_live_trees \
	tests/unit/file/test_seal \
	tests/unit/file/test_seal_hostile \
	tests/unit/findings/test_findings \
	tests/unit/graph/test_chain \
	tests/unit/graph/test_cycles \
	tests/unit/graph/test_reduce \
	tests/unit/graph/test_reduce_random \
	tests/unit/graph/test_scc \
	tests/unit/graph/test_tree \
	tests/unit/heap/test_heap \
	tests/unit/heap/test_heap_references \
	tests/unit/heap/test_heap_series \
	tests/unit/heap/test_heap_tree \
	tests/unit/html/test_html \
	tests/unit/import/test_heaptrack_events \
	tests/unit/language/test_alternatives \
	tests/unit/language/test_name \
	tests/unit/lisp-bridge/test_lisp_tables \
	tests/unit/process/test_look_cells \
	tests/unit/process/test_observe \
	tests/unit/process/test_series \
	tests/unit/profile/test_counts \
	tests/unit/profile/test_estimate \
	tests/unit/profile/test_identity \
	tests/unit/profile/test_profile \
	tests/unit/profile/test_timeline \
	tests/unit/record/test_block_filter \
	tests/unit/record/test_cct \
	tests/unit/record/test_counter \
	tests/unit/record/test_counter_cell \
	tests/unit/record/test_counter_killed \
	tests/unit/record/test_former \
	tests/unit/record/test_id_table \
	tests/unit/record/test_lifetime \
	tests/unit/record/test_ranges \
	tests/unit/record/test_resized \
	tests/unit/record/test_sample \
	tests/unit/record/test_shadow \
	tests/unit/replay/test_log \
	tests/unit/replay/test_replay \
	tests/unit/run/test_launch \
	tests/unit/run/test_listener \
	tests/unit/screen/test_keys \
	tests/unit/screen/test_tally \
	tests/unit/serve/test_question \
	tests/unit/snapshot/test_snapshot_stream \
	tests/unit/store/test_store_rows \
	tests/unit/symbols/test_demangle \
	tests/unit/symbols/test_spans \
	tests/unit/symbols/test_symbols \
	tests/unit/symbols/test_symbols_code \
	tests/unit/symbols/test_symbols_files \
	tests/unit/symbols/test_symbols_types \
	tests/unit/symbols/test_symbols_who \
	tests/unit/symbols/test_texts \
	tests/unit/table/test_breakdown \
	tests/unit/table/test_head \
	tests/unit/table/test_json_table \
	tests/unit/table/test_report_lisp \
	tests/unit/table/test_summary \
	tests/unit/table/test_table \
	tests/unit/table/test_table_bins \
	tests/unit/table/test_table_direct \
	tests/unit/table/test_table_graph \
	tests/unit/table/test_table_leaks \
	tests/unit/unite/test_match \
	tests/unit/unite/test_merge \
	tests/unit/verdict/test_leaks \
	tests/unit/verdict/test_limits_file \
	tests/unit/verdict/test_suggest \
	tests/unit/verdict/test_suppress \
	tests/unit/verdict/test_verdict \
	tests/unit/view/test_lisp_names \
	tests/unit/view/test_moment_names \
	tests/unit/view/test_skip \
	tests/unit/view/test_view \
	tests/unit/view/test_wrappers
if HAVE_RULES
UNIT_TESTS += tests/unit/unwind/test_chain_known tests/unit/unwind/test_rule
endif
if HAVE_ECL
UNIT_TESTS += tests/unit/lisp-bridge/test_ecl_layout tests/unit/lisp-bridge/test_entries \
	tests/unit/lisp-bridge/test_marks
endif
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

EXTRA_DIST += \
	tests/data/1.0 \
	tests/data/names.txt \
	tests/data/sealed-widgets.data \
	tests/data/sealed-lisp.data \
	tests/data/sealed-objects.data \
	tests/data/sealed-merged.data \
	tests/data/sealed-time.data \
	tests/data/sealed-sampled.data \
	tests/golden/cycle-graph.txt \
	tests/golden/example-direct.txt \
	tests/golden/example-graph.txt \
	tests/golden/example-head.txt \
	tests/golden/figure5-graph.txt \
	tests/golden/figure6-graph.txt \
	tests/golden/four-direct.txt \
	tests/golden/large-cycle-graph.txt \
	tests/golden/largest-direct.txt \
	tests/golden/largest-graph.txt \
	tests/golden/lisp-and-c.txt \
	tests/golden/lisp-functions.txt \
	tests/golden/lisp-kept.txt \
	tests/golden/lisp-report.txt \
	tests/golden/lisp-survival-chains.txt \
	tests/golden/lisp-survival.txt \
	tests/golden/missing-head.txt \
	tests/golden/others-graph.txt

check_LIBRARIES += tests/unit/libsupport.a
tests_unit_libsupport_a_SOURCES = \
	tests/unit/elf_image.h \
	tests/unit/folder.c tests/unit/folder.h \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/lisp_profile.c tests/unit/lisp_profile.h \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/live_lisp.c \
	tests/unit/made_table.c tests/unit/made_table.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/reader_live_fixture.c tests/unit/reader_live_fixture.h \
	tests/unit/seal_fixture.c tests/unit/seal_fixture.h \
	tests/unit/symbols_fixture.c tests/unit/symbols_fixture.h \
	tests/unit/graph/way.h tests/unit/heap_made.h tests/unit/heap_records.h \
	tests/unit/main.c tests/unit/tap.c tests/unit/tap.h

UNIT_DEFINES = $(CHECK_CFLAGS) $(LIBDW_CFLAGS) -DPROGRAMS='"$(abs_builddir)/tests/programs"'
UNIT_CPPFLAGS = $(AM_CPPFLAGS) $(UNIT_DEFINES)
UNIT_CFLAGS = $(AM_CFLAGS) $(SAN_CFLAGS) -pthread
UNIT_LIBS = tests/unit/libsupport.a $(REPORTER_LIBS) $(CHECK_LIBS)
tests/unit/%.$(OBJEXT): AM_CPPFLAGS += $(UNIT_DEFINES)
tests/unit/%.$(OBJEXT): AM_CFLAGS += $(SAN_CFLAGS) -pthread
$(UNIT_TESTS): LDADD = $(UNIT_LIBS)
$(UNIT_TESTS): AM_LDFLAGS += $(SAN_CFLAGS) -pthread
$(UNIT_TESTS): tests/unit/libsupport.a libreporter.la

# make check-units: builds only what the unit tests and the inputs in tests/fuzz/corpus need, and runs them.
.PHONY: check-units
check-units:
	$(MAKE) $(BUILT_SOURCES) tests/programs/symbols_c tests/programs/symbols_cxx tests/programs/symbols_twin
	$(MAKE) check-TESTS TESTS="$(LINTS_TOO) $(UNIT_TESTS) tests/fuzz/smoke.sh" check_PROGRAMS="$(UNIT_TESTS)" check_LTLIBRARIES= \
		check_DATA=

# Tests of the monitor link it, too.
check_LIBRARIES += tests/unit/librecording.a
tests_unit_librecording_a_SOURCES = tests/unit/record/recording.c tests/unit/record/recording.h
MONITOR_LIBS = tests/unit/librecording.a libmonitor.la $(UNIT_LIBS) -ldl
MONITOR_TESTS = \
	tests/unit/language/test_alternatives \
	tests/unit/language/test_name \
	tests/unit/record/test_block_filter \
	tests/unit/record/test_cct \
	tests/unit/record/test_counter \
	tests/unit/record/test_counter_cell \
	tests/unit/record/test_counter_killed \
	tests/unit/record/test_former \
	tests/unit/record/test_id_table \
	tests/unit/record/test_lifetime \
	tests/unit/record/test_ranges \
	tests/unit/record/test_resized \
	tests/unit/record/test_sample \
	tests/unit/record/test_shadow \
	tests/unit/unwind/test_chain_known \
	tests/unit/unwind/test_rule
$(MONITOR_TESTS): LDADD = $(MONITOR_LIBS)
$(MONITOR_TESTS): tests/unit/librecording.a libmonitor.la
# It reads its callers' frames.
tests_unit_unwind_test_chain_known_CFLAGS = $(UNIT_CFLAGS) -fno-optimize-sibling-calls -fno-sanitize=address
tests_unit_snapshot_test_snapshot_stream_LDADD = $(MONITOR_LIBS) -lz

tests_unit_store_test_store_rows_SOURCES = tests/unit/store/test_store_rows.c \
	runtime/system/place.c \
	runtime/store/store_past.c \
	runtime/store/store_rows.c
tests_unit_store_test_store_rows_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_store_test_store_rows_CFLAGS = $(UNIT_CFLAGS)

tests_unit_lisp_bridge_test_lisp_tables_SOURCES = tests/unit/lisp-bridge/test_lisp_tables.c \
	lisp-bridge/hash_tables.c lisp-bridge/hash_tables.h
tests_unit_lisp_bridge_test_lisp_tables_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_lisp_bridge_test_lisp_tables_CFLAGS = $(UNIT_CFLAGS)

tests_unit_c_bridge_test_target_SOURCES = tests/unit/c-bridge/test_target.c c-bridge/target.c c-bridge/target.h
tests_unit_c_bridge_test_target_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_c_bridge_test_target_CFLAGS = $(UNIT_CFLAGS)

tests_unit_lisp_bridge_test_marks_SOURCES = tests/unit/lisp-bridge/test_marks.c \
	lisp-bridge/libgc.c lisp-bridge/libgc.h
tests_unit_lisp_bridge_test_marks_LDADD = $(MONITOR_LIBS) -lgc

tests_unit_lisp_bridge_test_entries_SOURCES = tests/unit/lisp-bridge/test_entries.c \
	lisp-bridge/entries.c lisp-bridge/entries.h
tests_unit_lisp_bridge_test_entries_LDADD = $(MONITOR_LIBS)

# Two sources that print the same facts from different headers.
tests_unit_lisp_bridge_test_ecl_layout_SOURCES = tests/unit/lisp-bridge/test_ecl_layout.c \
	tests/unit/lisp-bridge/ecl_layout.def tests/unit/lisp-bridge/ecl_layout.h \
	tests/unit/lisp-bridge/ecl_layout_ours.c tests/unit/lisp-bridge/ecl_layout_theirs.c \
	lisp-bridge/member_places.c lisp-bridge/member_places.h
# SPDX-License-Identifier: MIT
