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
	lisp-bridge/graph.c lisp-bridge/graph.h \
	lisp-bridge/graph_heap.c lisp-bridge/graph_heap.h \
	lisp-bridge/graph_mappings.c \
	lisp-bridge/graph_mark.c \
	lisp-bridge/graph_roots.c \
	lisp-bridge/graph_state.c lisp-bridge/graph_state.h \
	lisp-bridge/graph_threads.c \
	lisp-bridge/graph_types.c \
	lisp-bridge/graph_write.c \
	lisp-bridge/hooks.c lisp-bridge/hooks.h \
	lisp-bridge/kinds.c lisp-bridge/kinds.h \
	lisp-bridge/layout.c lisp-bridge/layout.h \
	lisp-bridge/libgc.c lisp-bridge/libgc.h \
	lisp-bridge/lisp.c lisp-bridge/lisp.h \
	lisp-bridge/methods.c \
	lisp-bridge/names.c lisp-bridge/names.h \
	lisp-bridge/objects.h \
	lisp-bridge/places.c lisp-bridge/places.h \
	lisp-bridge/print.c lisp-bridge/print.h \
	lisp-bridge/tables.c lisp-bridge/tables.h \
	lisp-bridge/twins.c \
	lisp-bridge/types.def
endif
