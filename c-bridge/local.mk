# SPDX-License-Identifier: MIT
# libmprof: preloaded (LD_PRELOAD) or linked (-lmprof, the 1988 way). Both ways use one file, libmprof.so.1, so that a
# linked program that is also preloaded has one monitor. Programs link LIBDIR/libmprof.so; mprof and the Lisp module load
# it as LIBDIR/mprof/libmprof.so, a name that stays when the version of the interface changes. That version is raised if
# a function of mprof.h is removed or changed.
lib_LTLIBRARIES += libmprof.la
libmprof_la_SOURCES = \
	c-bridge/allocator.c c-bridge/allocator.h \
	c-bridge/descriptor.c \
	c-bridge/environment.c c-bridge/environment.h \
	c-bridge/exports.c c-bridge/exports.h \
	c-bridge/malloc_hooks.c c-bridge/malloc_hooks.h \
	c-bridge/interfaces.c c-bridge/interfaces.def \
	c-bridge/libraries.c \
	c-bridge/limits.c \
	c-bridge/mappings.c \
	c-bridge/next.c c-bridge/next.h \
	c-bridge/operator_hooks.c \
	c-bridge/paint.c c-bridge/paint.h \
	c-bridge/process_events.c \
	c-bridge/seccomp.c \
	c-bridge/signals.c \
	c-bridge/target.c c-bridge/target.h \
	c-bridge/unbound.c c-bridge/unbound.h
EXTRA_DIST += c-bridge/libmprof.map
libmprof_la_CFLAGS = $(MONITOR_CFLAGS)
libmprof_la_LIBADD = libmonitor.la
libmprof_la_LDFLAGS = -version-info 1:0:0 -Wl,-z,nodelete -Wl,-z,now -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/c-bridge/libmprof.map -Wl,--defsym=mp_library=mp_process_start

# In a program that is linked with libmprof.a, a section of its own distinguishes the monitor's code from the program's.
all-local: c-bridge/section.stamp
c-bridge/section.stamp: libmprof.la
	$(AM_V_GEN)for section in text text.unlikely text.hot text.startup text.exit; do \
	  test -z '$(OBJCOPY)' || test ! -f .libs/libmprof.a || \
	    $(OBJCOPY) --rename-section .$$section=mprof_text .libs/libmprof.a || exit 1; \
	done && touch $@
CLEANFILES += c-bridge/section.stamp

links += link-preload
unlinks += unlink-preload
link-preload:
	$(MKDIR_P) "$(DESTDIR)$(pkglibdir)"
	$(LN_S) -f ../libmprof.so.1 "$(DESTDIR)$(pkglibdir)/libmprof.so"
unlink-preload:
	rm -f "$(DESTDIR)$(pkglibdir)/libmprof.so"
