# SPDX-License-Identifier: MIT
# The bridge into ECL: a part of libmprof, which refers to libecl only through dlsym().
if HAVE_ECL
libmprof_la_SOURCES += \
	lisp-bridge/alive.c lisp-bridge/alive.h \
	lisp-bridge/collector.c lisp-bridge/collector.h \
	lisp-bridge/deferred.c lisp-bridge/deferred.h \
	lisp-bridge/dispatch.c \
	lisp-bridge/ecl.c lisp-bridge/ecl.h \
	lisp-bridge/entries.c lisp-bridge/entries.h \
	lisp-bridge/environments.def \
	lisp-bridge/fas.c \
	lisp-bridge/fas_file.c lisp-bridge/fas_file.h \
	lisp-bridge/functions.c lisp-bridge/functions.h \
	lisp-bridge/graph_snapshot.c lisp-bridge/graph_snapshot.h \
	lisp-bridge/graph_heap.c lisp-bridge/graph_heap.h \
	lisp-bridge/graph_mappings.c \
	lisp-bridge/graph_mark.c \
	lisp-bridge/graph_roots.c \
	lisp-bridge/graph_state.c lisp-bridge/graph_state.h \
	lisp-bridge/graph_threads.c \
	lisp-bridge/graph_types.c \
	lisp-bridge/graph_write.c \
	lisp-bridge/ecl_hooks.c lisp-bridge/ecl_hooks.h \
	lisp-bridge/kinds.c lisp-bridge/kinds.h \
	lisp-bridge/layout.c lisp-bridge/layout.h \
	lisp-bridge/libgc.c lisp-bridge/libgc.h \
	lisp-bridge/lisp.c lisp-bridge/lisp.h \
	lisp-bridge/methods.c \
	lisp-bridge/names.c lisp-bridge/names.h \
	lisp-bridge/objects.h \
	lisp-bridge/member_places.c lisp-bridge/member_places.h \
	lisp-bridge/print_object.c lisp-bridge/print_object.h \
	lisp-bridge/hash_tables.c lisp-bridge/hash_tables.h \
	lisp-bridge/twins.c \
	lisp-bridge/types.def
endif
