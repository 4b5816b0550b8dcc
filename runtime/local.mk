# The monitor: a convenience library that each bridge links whole.
noinst_LTLIBRARIES += libmonitor.la
libmonitor_la_SOURCES = \
	runtime/alternatives.c runtime/alternatives.h \
	runtime/api.c \
	runtime/chain.c runtime/chain.h \
	runtime/chain_list.c \
	runtime/check.c runtime/check.h \
	runtime/claim.c runtime/claim.h \
	runtime/compiler.h \
	runtime/control.c runtime/control.h \
	runtime/counter.c runtime/counter.h \
	runtime/diag.c runtime/diag.h \
	runtime/fault.c runtime/fault.h \
	runtime/fold.c runtime/fold.h \
	runtime/form.c \
	runtime/format.h \
	runtime/frame.c runtime/frame.h \
	runtime/gate.c runtime/gate.h \
	runtime/heap.c runtime/heap.h \
	runtime/heap_dead.c \
	runtime/imports.c runtime/imports.h \
	runtime/mapped.c runtime/mapped.h \
	runtime/module.c runtime/module.h \
	runtime/module_list.c runtime/module_list.h \
	runtime/monitor.c runtime/monitor.h \
	runtime/name.c runtime/name.h \
	runtime/name_copies.c runtime/name_copies.h \
	runtime/nested.c runtime/nested.h \
	runtime/object.c runtime/object.h \
	runtime/object_block.c runtime/object_block.h \
	runtime/object_trim.c runtime/object_trim.h \
	runtime/options.c runtime/options.h \
	runtime/place.c runtime/place.h \
	runtime/pool.c runtime/pool.h \
	runtime/program.c runtime/program.h \
	runtime/recorder.c runtime/recorder.h \
	runtime/sandbox.c runtime/sandbox.h \
	runtime/sanitizer.h \
	runtime/session.c runtime/session.h \
	runtime/session_figures.c \
	runtime/session_file.c runtime/session_file.h \
	runtime/session_lent.c \
	runtime/session_process.c \
	runtime/session_sandbox.c \
	runtime/signal_name.h \
	runtime/sizeclass.h \
	runtime/snapshot.c runtime/snapshot.h \
	runtime/store.c runtime/store.h \
	runtime/store_past.c runtime/store_past.h \
	runtime/store_rows.c runtime/store_rows.h \
	runtime/sys.c runtime/sys.h \
	runtime/tree.c runtime/tree.h \
	runtime/unwind.c runtime/unwind.h \
	runtime/writer.h
if HAVE_RULES
libmonitor_la_SOURCES += \
	runtime/chain_memo.c \
	runtime/chain_deep.c runtime/chain_deep.h \
	runtime/cfi_step.c runtime/cfi_step.h \
	runtime/cfi_value.c runtime/cfi_value.h \
	runtime/dwarf_bytes.h \
	runtime/ecl_c_name.h \
	runtime/eh_frame.c runtime/eh_frame.h \
	runtime/rule.c runtime/rule.h \
	runtime/startup.c runtime/startup.h
endif
# Frame pointers: the monitor starts at the hook's own frame.  No builtins: gcc would make calloc
# of malloc and memset.  No vectors: packing two registers into one costs more than it saves.
# Everything is hidden but what MP_PUBLIC and mprof.h name.
MONITOR_CFLAGS = $(AM_CFLAGS) -O2 -fno-tree-vectorize -fvisibility=hidden -fno-omit-frame-pointer \
	-fno-optimize-sibling-calls -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc \
	-fno-builtin-free -fexceptions -fasynchronous-unwind-tables -fno-semantic-interposition
libmonitor_la_CFLAGS = $(MONITOR_CFLAGS)

include_HEADERS += runtime/mprof.h
