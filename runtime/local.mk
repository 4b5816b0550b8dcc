# SPDX-License-Identifier: MIT
# The monitor is a convenience library, which each bridge links as a whole.
noinst_LTLIBRARIES += libmonitor.la
libmonitor_la_SOURCES = \
	runtime/allocations.c runtime/allocations.h \
	runtime/api.c runtime/stack_use.c \
	runtime/compiler.h \
	runtime/decimal.h \
	runtime/format.h \
	runtime/heap_format.h \
	runtime/mapping_calls.c runtime/mapping_calls.h \
	runtime/monitor.c runtime/monitor.h \
	runtime/runner_message.h \
	runtime/sanitizer.h \
	runtime/heap_every.h \
	runtime/signal_name.h \
	runtime/sizeclass.h \
	runtime/template.h \
	runtime/utf8.h \
	runtime/writer.h \
	runtime/heap/heap_record.c runtime/heap/heap_record.h \
	runtime/heap/heap_quick.h \
	runtime/heap/heap_snapshot.c runtime/heap/heap_snapshot.h \
	runtime/heap/heap_sweep.c runtime/heap/heap_sweep.h \
	runtime/heap/object_table.c runtime/heap/object_table.h \
	runtime/language/alternatives.c runtime/language/alternatives.h \
	runtime/language/language.c runtime/language/language.h \
	runtime/language/name.c runtime/language/name.h \
	runtime/language/name_copies.c runtime/language/name_copies.h \
	runtime/language/name_table.c runtime/language/name_table.h \
	runtime/record/block_filter.c runtime/record/block_filter.h \
	runtime/record/block_table.c runtime/record/block_table.h \
	runtime/record/block_trim.c runtime/record/block_trim.h \
	runtime/record/cct.c runtime/record/cct.h \
	runtime/record/cct_slots.h \
	runtime/record/counter.c runtime/record/counter.h \
	runtime/record/counter_cell.c runtime/record/counter_cell.h \
	runtime/record/mappers.c runtime/record/mappers.h \
	runtime/record/ranges.c runtime/record/ranges.h \
	runtime/record/fold.c runtime/record/fold.h \
	runtime/record/former.c runtime/record/former.h \
	runtime/record/resized.c runtime/record/resized.h \
	runtime/record/lifetime.c runtime/record/lifetime.h \
	runtime/record/id_table.c runtime/record/id_table.h \
	runtime/record/events.c runtime/record/events.h \
	runtime/record/operators.c runtime/record/operators.h \
	runtime/record/text_log.c runtime/record/text_log.h \
	runtime/record/pool.c runtime/record/pool.h \
	runtime/record/recorder.c runtime/record/recorder.h \
	runtime/record/sample.c runtime/record/sample.h \
	runtime/record/sentinel.c runtime/record/sentinel.h \
	runtime/record/sample_rate.c runtime/record/sample_rate.h \
	runtime/record/shadow.c runtime/record/shadow.h \
	runtime/record/trace.c runtime/record/trace.h \
	runtime/scan/scan.c runtime/scan/scan.h \
	runtime/scan/scan_absent.c runtime/scan/scan_absent.h \
	runtime/scan/scan_blocks.c runtime/scan/scan_blocks.h \
	runtime/scan/scan_collected.c runtime/scan/scan_collected.h \
	runtime/scan/scan_descriptors.c runtime/scan/scan_descriptors.h \
	runtime/scan/scan_mapped.c runtime/scan/scan_mapped.h \
	runtime/scan/scan_maps.c runtime/scan/scan_maps.h \
	runtime/scan/scan_memory.c runtime/scan/scan_memory.h \
	runtime/scan/scan_pointers.c runtime/scan/scan_pointers.h \
	runtime/scan/scan_roots.c runtime/scan/scan_roots.h \
	runtime/scan/scan_threads.c runtime/scan/scan_threads.h \
	runtime/session/activation.c runtime/session/activation.h \
	runtime/session/callback.c runtime/session/callback.h \
	runtime/session/faults.c runtime/session/faults.h \
	runtime/session/call_filter.c runtime/session/call_filter.h \
	runtime/session/control.c runtime/session/control.h \
	runtime/session/hook_mode.h \
	runtime/session/nested.c runtime/session/nested.h \
	runtime/session/session.c runtime/session/session.h \
	runtime/session/session_allocator.c \
	runtime/session/session_figures.c \
	runtime/session/session_leaks.c runtime/session/session_leaks.h \
	runtime/session/session_marks.c runtime/session/session_marks.h \
	runtime/session/session_control.c runtime/session/session_control.h \
	runtime/session/session_checkpoint.c runtime/session/session_checkpoint.h \
	runtime/session/session_file.c runtime/session/session_file.h \
	runtime/session/session_process.c \
	runtime/session/session_sandbox.c \
	runtime/session/session_state.h \
	runtime/session/session_snapshot.c runtime/session/session_snapshot.h \
	runtime/snapshot/crc.c runtime/snapshot/crc.h \
	runtime/snapshot/snapshot_copy.c runtime/snapshot/snapshot_copy.h \
	runtime/snapshot/snapshot_file.c runtime/snapshot/snapshot_file.h \
	runtime/snapshot/snapshot_series.c runtime/snapshot/snapshot_series.h \
	runtime/snapshot/snapshot_stream.c runtime/snapshot/snapshot_stream.h \
	runtime/store/claim.c runtime/store/claim.h \
	runtime/store/store.c runtime/store/store.h \
	runtime/store/store_past.c runtime/store/store_past.h \
	runtime/store/store_rows.c runtime/store/store_rows.h \
	runtime/system/diag.c runtime/system/diag.h \
	runtime/system/dynamic.c runtime/system/dynamic.h \
	runtime/system/elf_file.c runtime/system/elf_file.h \
	runtime/system/fault.c runtime/system/fault.h \
	runtime/system/gate.c runtime/system/gate.h \
	runtime/system/gate_page.c runtime/system/gate_page.h \
	runtime/system/hash.h \
	runtime/system/imports.c runtime/system/imports.h \
	runtime/system/kernel.c runtime/system/kernel.h \
	runtime/system/handed.c runtime/system/handed.h \
	runtime/system/mapped.c runtime/system/mapped.h \
	runtime/system/options.c runtime/system/options.h \
	runtime/system/place.c runtime/system/place.h \
	runtime/system/program.c runtime/system/program.h \
	runtime/system/runner.c runtime/system/runner.h \
	runtime/system/sandbox.c runtime/system/sandbox.h \
	runtime/system/sandbox_shut.c runtime/system/sandbox_shut.h \
	runtime/system/sys.c runtime/system/sys.h runtime/system/sys_call.h \
	runtime/system/sys_map.c \
	runtime/system/sys_process.c runtime/system/sys_process.h \
	runtime/system/thread.c runtime/system/thread.h \
	runtime/unwind/chain.h \
	runtime/unwind/chain_grow.c runtime/unwind/chain_grow.h \
	runtime/unwind/chain_known.h \
	runtime/unwind/chain_unmemoised.c \
	runtime/unwind/chain_check.c runtime/unwind/chain_check.h \
	runtime/unwind/code.c runtime/unwind/code.h \
	runtime/unwind/code_language.c runtime/unwind/code_language.h \
	runtime/unwind/code_table.c runtime/unwind/code_table.h \
	runtime/unwind/eh_object.h \
	runtime/unwind/machine.h \
	runtime/unwind/machine_aarch64.h runtime/unwind/machine_other.h \
	runtime/unwind/machine_x86_64.h \
	runtime/unwind/module.c runtime/unwind/module.h \
	runtime/unwind/module_list.c runtime/unwind/module_list.h \
	runtime/unwind/stack_word.c runtime/unwind/stack_word.h \
	runtime/unwind/unwind.c runtime/unwind/unwind.h
if HAVE_RULES
libmonitor_la_SOURCES += \
	runtime/ecl_c_name.h \
	runtime/unwind/cfi_step.c runtime/unwind/cfi_step.h \
	runtime/unwind/cfi_value.c runtime/unwind/cfi_value.h \
	runtime/unwind/chain_deep.c runtime/unwind/chain_deep.h \
	runtime/unwind/chain_known.c \
	runtime/unwind/chain_memo.c \
	runtime/unwind/debug_frame.c runtime/unwind/debug_frame.h \
	runtime/unwind/dwarf_bytes.h \
	runtime/unwind/eh_frame.c runtime/unwind/eh_frame.h \
	runtime/unwind/inflate.c runtime/unwind/inflate.h \
	runtime/unwind/rule.c runtime/unwind/rule.h \
	runtime/unwind/rule_step.c runtime/unwind/rule_step.h \
	runtime/unwind/startup.c runtime/unwind/startup.h
endif
if MACHINE_X86_64
libmonitor_la_SOURCES += runtime/unwind/machine_x86_64.c runtime/unwind/prologue_x86_64.c
endif
# Frame pointers, because the monitor starts at the hook's frame. No builtins, because gcc would replace malloc and
# memset by calloc. No vectors, because packing two registers into one costs more than it saves. All symbols are hidden
# except those with MP_PUBLIC and those of mprof.h.
MONITOR_CFLAGS = $(AM_CFLAGS) -O2 -fno-tree-vectorize -fvisibility=hidden -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc \
	-fno-builtin-free -fexceptions -fasynchronous-unwind-tables -fno-semantic-interposition
libmonitor_la_CFLAGS = $(MONITOR_CFLAGS)
# After the user's CFLAGS: no calls of libc and no instructions that the sources do not contain.
$(libmonitor_la_OBJECTS) $(libmprof_la_OBJECTS) $(tests_faults_libmprof_faults_la_OBJECTS): CFLAGS += $(MONITOR_LAST_CFLAGS)

include_HEADERS += runtime/mprof.h
