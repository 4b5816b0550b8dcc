# The tests that make check leaves to make check-all, with the reason. This is the only list of them.
LONG_TESTS =
# Programs and libraries of the distribution. Each is one more example of what the short tests show of one program.
LONG_TESTS += \
	tests/e2e/cases.sh \
	tests/e2e/chains_programs.sh \
	tests/e2e/ecl_libraries.sh \
	tests/e2e/ecl_products.sh \
	tests/e2e/ecl_replay.sh \
	tests/e2e/ecl_replay_programs.sh \
	tests/e2e/emacs.sh \
	tests/e2e/export_viewers.sh \
	tests/e2e/import_legacy.sh \
	tests/e2e/leaks_real.sh \
	tests/e2e/lisp_frameworks.sh \
	tests/e2e/lisp_nested.sh \
	tests/e2e/lisp_slime.sh \
	tests/e2e/oracle_python.sh \
	tests/e2e/programs_python.sh \
	tests/e2e/programs_special.sh \
	tests/e2e/programs_tools.sh
# What a cons of Lisp costs is counted by callgrind, which runs ECL's start, too. A short test counts what C costs.
LONG_TESTS += tests/e2e/ecl_costs.sh
# A tarball of the programs takes half a minute to make.
LONG_TESTS += tests/e2e/tarball_bin.sh
# Amounts. The work, the memory or the loss that they look for shows only in large numbers.
LONG_TESTS += \
	tests/e2e/deep_recursion.sh \
	tests/e2e/fleet.sh \
	tests/e2e/ecl_settled.sh \
	tests/e2e/ecl_volume.sh \
	tests/e2e/merge.sh \
	tests/e2e/outside.sh \
	tests/e2e/scale.sh \
	tests/e2e/scale_linear.sh \
	tests/e2e/serve_many.sh \
	tests/e2e/suppressions_many.sh \
	tests/e2e/symbol_limit.sh \
	tests/e2e/symbols_memory.sh \
	tests/html/diff.sh \
	tests/html/many.sh
# Each point in time, each instruction, each place and each kind. The short tests try some.
LONG_TESTS += \
	tests/e2e/code_signals.sh \
	tests/e2e/ecl_chains.sh \
	tests/e2e/ecl_chains_start.sh \
	tests/e2e/ecl_heap_graph.sh \
	tests/e2e/ecl_threads.sh \
	tests/e2e/ecl_twins_shapes.sh \
	tests/e2e/heap_packed.sh \
	tests/e2e/irregular.sh \
	tests/e2e/mismatched.sh \
	tests/e2e/process_denied.sh \
	tests/e2e/process_heirs.sh \
	tests/e2e/process_threads.sh \
	tests/e2e/repeated.sh \
	tests/e2e/seccomp.sh \
	tests/e2e/stress.sh \
	tests/e2e/torn_stacks.sh \
	tests/e2e/utf8.sh
# All shell scripts by shellcheck, which takes a minute. The short tests ask the shell for their syntax.
LONG_TESTS += \
	tests/lint/scripts.sh
dist_check_SCRIPTS += $(LONG_TESTS)
# SPDX-License-Identifier: MIT
