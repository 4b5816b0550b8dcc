# Unit tests: a program each, of its own source and those named here.
UNIT_TESTS = \
	tests/unit/runtime/test_alternatives \
	tests/unit/output/test_breakdown \
	tests/unit/profile/test_chain \
	tests/unit/base/test_columns \
	tests/unit/profile/test_counts \
	tests/unit/base/test_cursor \
	tests/unit/graph/test_cycles \
	tests/unit/run/test_data_file \
	tests/unit/symbols/test_demangle \
	tests/unit/base/test_error \
	tests/unit/output/test_head \
	tests/unit/run/test_launch \
	tests/unit/profile/test_lisp_names \
	tests/unit/lisp-bridge/test_lisp_tables \
	tests/unit/runtime/test_name \
	tests/unit/profile/test_profile \
	tests/unit/read/test_reader_live \
	tests/unit/read/test_reader_live_damage \
	tests/unit/read/test_reader_live_lisp \
	tests/unit/graph/test_reduce \
	tests/unit/graph/test_reduce_random \
	tests/unit/output/test_report_lisp \
	tests/unit/api/test_report_text \
	tests/unit/graph/test_scc \
	tests/unit/read/test_seal \
	tests/unit/read/test_seal_hostile \
	tests/unit/symbols/test_symbols \
	tests/unit/runtime/test_store_rows \
	tests/unit/symbols/test_symbols_files \
	tests/unit/symbols/test_symbols_lookup \
	tests/unit/symbols/test_symbols_types \
	tests/unit/output/test_table_bins \
	tests/unit/output/test_table_direct \
	tests/unit/output/test_table_graph \
	tests/unit/output/test_table_leaks \
	tests/unit/c-bridge/test_target \
	tests/unit/profile/test_view
if HAVE_RULES
UNIT_TESTS += tests/unit/runtime/test_rule
endif
if HAVE_ECL
UNIT_TESTS += tests/unit/lisp-bridge/test_ecl_layout
endif
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

EXTRA_DIST += \
	tests/data/live-1.data \
	tests/data/sealed-1.data \
	tests/data/sealed-2.data \
	tests/golden/cycle-graph.txt \
	tests/golden/example-direct.txt \
	tests/golden/example-graph.txt \
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
	tests/golden/others-graph.txt

SYMBOLS_CPPFLAGS = $(LIBDW_CFLAGS) -DPROGRAMS='"$(abs_builddir)/tests/programs"'

tests_unit_runtime_test_alternatives_SOURCES = tests/unit/runtime/test_alternatives.c runtime/language/alternatives.c
tests_unit_runtime_test_alternatives_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_runtime_test_alternatives_CFLAGS = $(UNIT_CFLAGS)
tests_unit_runtime_test_alternatives_LDADD = $(UNIT_LIBS)

tests_unit_output_test_breakdown_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_breakdown_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_breakdown_LDADD = $(UNIT_LIBS)

tests_unit_profile_test_chain_SOURCES = tests/unit/profile/test_chain.c \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_profile_test_chain_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_test_chain_CFLAGS = $(UNIT_CFLAGS)
tests_unit_profile_test_chain_LDADD = $(UNIT_LIBS)
tests_unit_profile_test_counts_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_test_counts_CFLAGS = $(UNIT_CFLAGS)
tests_unit_profile_test_counts_LDADD = $(UNIT_LIBS)

tests_unit_base_test_columns_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_columns_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_columns_LDADD = $(UNIT_LIBS)

tests_unit_base_test_cursor_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_cursor_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_cursor_LDADD = $(UNIT_LIBS)

tests_unit_graph_test_cycles_SOURCES = tests/unit/graph/test_cycles.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_graph_test_cycles_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_graph_test_cycles_CFLAGS = $(UNIT_CFLAGS)
tests_unit_graph_test_cycles_LDADD = $(UNIT_LIBS)

tests_unit_run_test_data_file_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_run_test_data_file_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_test_data_file_LDADD = $(UNIT_LIBS)

tests_unit_symbols_test_demangle_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_symbols_test_demangle_CFLAGS = $(UNIT_CFLAGS)
tests_unit_symbols_test_demangle_LDADD = $(UNIT_LIBS)

tests_unit_base_test_error_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_base_test_error_CFLAGS = $(UNIT_CFLAGS)
tests_unit_base_test_error_LDADD = $(UNIT_LIBS)

tests_unit_output_test_head_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_head_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_head_LDADD = $(UNIT_LIBS)

tests_unit_run_test_launch_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_run_test_launch_CFLAGS = $(UNIT_CFLAGS)
tests_unit_run_test_launch_LDADD = $(UNIT_LIBS)

tests_unit_profile_test_profile_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_test_profile_CFLAGS = $(UNIT_CFLAGS)
tests_unit_profile_test_profile_LDADD = $(UNIT_LIBS)

tests_unit_profile_test_lisp_names_SOURCES = tests/unit/profile/test_lisp_names.c
tests_unit_profile_test_lisp_names_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_test_lisp_names_CFLAGS = $(UNIT_CFLAGS)
tests_unit_profile_test_lisp_names_LDADD = $(UNIT_LIBS)

tests_unit_read_test_reader_live_SOURCES = tests/unit/read/test_reader_live.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/reader_live_fixture.c tests/unit/reader_live_fixture.h
tests_unit_read_test_reader_live_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_read_test_reader_live_CFLAGS = $(UNIT_CFLAGS)
tests_unit_read_test_reader_live_LDADD = $(UNIT_LIBS)

tests_unit_read_test_reader_live_damage_SOURCES = tests/unit/read/test_reader_live_damage.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/reader_live_fixture.c tests/unit/reader_live_fixture.h
tests_unit_read_test_reader_live_damage_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_read_test_reader_live_damage_CFLAGS = $(UNIT_CFLAGS)
tests_unit_read_test_reader_live_damage_LDADD = $(UNIT_LIBS)

tests_unit_read_test_reader_live_lisp_SOURCES = tests/unit/read/test_reader_live_lisp.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/live_lisp.c \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/reader_live_fixture.c tests/unit/reader_live_fixture.h
tests_unit_read_test_reader_live_lisp_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_read_test_reader_live_lisp_CFLAGS = $(UNIT_CFLAGS)
tests_unit_read_test_reader_live_lisp_LDADD = $(UNIT_LIBS)

tests_unit_graph_test_reduce_SOURCES = tests/unit/graph/test_reduce.c \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_graph_test_reduce_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_graph_test_reduce_CFLAGS = $(UNIT_CFLAGS)
tests_unit_graph_test_reduce_LDADD = $(UNIT_LIBS)

tests_unit_graph_test_reduce_random_SOURCES = tests/unit/graph/test_reduce_random.c \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_graph_test_reduce_random_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_graph_test_reduce_random_CFLAGS = $(UNIT_CFLAGS)
tests_unit_graph_test_reduce_random_LDADD = $(UNIT_LIBS)

tests_unit_output_test_report_lisp_SOURCES = tests/unit/output/test_report_lisp.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/lisp_profile.c tests/unit/lisp_profile.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_output_test_report_lisp_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_report_lisp_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_report_lisp_LDADD = $(UNIT_LIBS)

tests_unit_api_test_report_text_SOURCES = tests/unit/api/test_report_text.c \
	tests/unit/lisp_profile.c tests/unit/lisp_profile.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_api_test_report_text_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_api_test_report_text_CFLAGS = $(UNIT_CFLAGS)
tests_unit_api_test_report_text_LDADD = $(UNIT_LIBS)

# The monitor's modules, compiled here as the library compiles them.
tests_unit_runtime_test_rule_SOURCES = tests/unit/runtime/test_rule.c \
	tests/unit/elf_image.h \
	runtime/unwind/dwarf_bytes.h \
	runtime/unwind/eh_frame.c \
	runtime/unwind/rule.c
tests_unit_runtime_test_rule_CPPFLAGS = $(UNIT_CPPFLAGS) $(LIBDW_CFLAGS)
tests_unit_runtime_test_rule_CFLAGS = $(UNIT_CFLAGS)
tests_unit_runtime_test_rule_LDADD = $(UNIT_LIBS) -ldl

tests_unit_runtime_test_name_SOURCES = tests/unit/runtime/test_name.c
tests_unit_runtime_test_name_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_runtime_test_name_CFLAGS = $(UNIT_CFLAGS) -pthread
tests_unit_runtime_test_name_LDADD = libmonitor.la $(UNIT_LIBS) -ldl

tests_unit_runtime_test_store_rows_SOURCES = tests/unit/runtime/test_store_rows.c \
	runtime/system/place.c \
	runtime/store/store_past.c \
	runtime/store/store_rows.c
tests_unit_runtime_test_store_rows_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_runtime_test_store_rows_CFLAGS = $(UNIT_CFLAGS)
tests_unit_runtime_test_store_rows_LDADD = $(UNIT_LIBS)

tests_unit_graph_test_scc_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_graph_test_scc_CFLAGS = $(UNIT_CFLAGS)
tests_unit_graph_test_scc_LDADD = $(UNIT_LIBS)

tests_unit_read_test_seal_SOURCES = tests/unit/read/test_seal.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/live_lisp.c \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/seal_fixture.c tests/unit/seal_fixture.h
tests_unit_read_test_seal_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_read_test_seal_CFLAGS = $(UNIT_CFLAGS)
tests_unit_read_test_seal_LDADD = $(UNIT_LIBS)

tests_unit_read_test_seal_hostile_SOURCES = tests/unit/read/test_seal_hostile.c \
	tests/unit/live_builder.c tests/unit/live_builder.h \
	tests/unit/live_lisp.c \
	tests/unit/profile_checks.c tests/unit/profile_checks.h \
	tests/unit/seal_fixture.c tests/unit/seal_fixture.h
tests_unit_read_test_seal_hostile_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_read_test_seal_hostile_CFLAGS = $(UNIT_CFLAGS)
tests_unit_read_test_seal_hostile_LDADD = $(UNIT_LIBS)

tests_unit_symbols_test_symbols_SOURCES = tests/unit/symbols/test_symbols.c \
	tests/unit/symbols_fixture.c tests/unit/symbols_fixture.h
tests_unit_symbols_test_symbols_CPPFLAGS = $(UNIT_CPPFLAGS) $(SYMBOLS_CPPFLAGS)
tests_unit_symbols_test_symbols_CFLAGS = $(UNIT_CFLAGS)
tests_unit_symbols_test_symbols_LDADD = $(UNIT_LIBS)

tests_unit_symbols_test_symbols_files_SOURCES = tests/unit/symbols/test_symbols_files.c \
	tests/unit/symbols_fixture.c tests/unit/symbols_fixture.h
tests_unit_symbols_test_symbols_files_CPPFLAGS = $(UNIT_CPPFLAGS) $(SYMBOLS_CPPFLAGS)
tests_unit_symbols_test_symbols_files_CFLAGS = $(UNIT_CFLAGS)
tests_unit_symbols_test_symbols_files_LDADD = $(UNIT_LIBS)

tests_unit_symbols_test_symbols_lookup_CPPFLAGS = $(UNIT_CPPFLAGS) $(LIBDW_CFLAGS)
tests_unit_symbols_test_symbols_lookup_CFLAGS = $(UNIT_CFLAGS)
tests_unit_symbols_test_symbols_lookup_LDADD = $(UNIT_LIBS)

tests_unit_symbols_test_symbols_types_SOURCES = tests/unit/symbols/test_symbols_types.c \
	tests/unit/symbols_fixture.c tests/unit/symbols_fixture.h
tests_unit_symbols_test_symbols_types_CPPFLAGS = $(UNIT_CPPFLAGS) $(SYMBOLS_CPPFLAGS)
tests_unit_symbols_test_symbols_types_CFLAGS = $(UNIT_CFLAGS)
tests_unit_symbols_test_symbols_types_LDADD = $(UNIT_LIBS)

tests_unit_output_test_table_bins_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_table_bins_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_table_bins_LDADD = $(UNIT_LIBS)

tests_unit_output_test_table_direct_SOURCES = tests/unit/output/test_table_direct.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_output_test_table_direct_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_table_direct_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_table_direct_LDADD = $(UNIT_LIBS)

tests_unit_output_test_table_graph_SOURCES = tests/unit/output/test_table_graph.c \
	tests/unit/golden.c tests/unit/golden.h \
	tests/unit/profile_builder.c tests/unit/profile_builder.h
tests_unit_output_test_table_graph_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_table_graph_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_table_graph_LDADD = $(UNIT_LIBS)

tests_unit_output_test_table_leaks_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_output_test_table_leaks_CFLAGS = $(UNIT_CFLAGS)
tests_unit_output_test_table_leaks_LDADD = $(UNIT_LIBS)

tests_unit_lisp_bridge_test_lisp_tables_SOURCES = tests/unit/lisp-bridge/test_lisp_tables.c \
	lisp-bridge/tables.c lisp-bridge/tables.h
tests_unit_lisp_bridge_test_lisp_tables_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_lisp_bridge_test_lisp_tables_CFLAGS = $(UNIT_CFLAGS) -pthread
tests_unit_lisp_bridge_test_lisp_tables_LDADD = $(UNIT_LIBS)

tests_unit_c_bridge_test_target_SOURCES = tests/unit/c-bridge/test_target.c c-bridge/target.c c-bridge/target.h
tests_unit_c_bridge_test_target_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_c_bridge_test_target_CFLAGS = $(UNIT_CFLAGS)
tests_unit_c_bridge_test_target_LDADD = $(UNIT_LIBS)

tests_unit_profile_test_view_SOURCES = tests/unit/profile/test_view.c \
	tests/unit/profile_builder.c tests/unit/profile_builder.h \
	tests/unit/profile_checks.c tests/unit/profile_checks.h
tests_unit_profile_test_view_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_profile_test_view_CFLAGS = $(UNIT_CFLAGS)
tests_unit_profile_test_view_LDADD = $(UNIT_LIBS)

# Two sources that say the same of different headers.
tests_unit_lisp_bridge_test_ecl_layout_SOURCES = tests/unit/lisp-bridge/test_ecl_layout.c \
	tests/unit/lisp-bridge/ecl_layout.def tests/unit/lisp-bridge/ecl_layout.h \
	tests/unit/lisp-bridge/ecl_layout_ours.c tests/unit/lisp-bridge/ecl_layout_theirs.c
tests_unit_lisp_bridge_test_ecl_layout_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_lisp_bridge_test_ecl_layout_CFLAGS = $(UNIT_CFLAGS)
tests_unit_lisp_bridge_test_ecl_layout_LDADD = $(UNIT_LIBS)
