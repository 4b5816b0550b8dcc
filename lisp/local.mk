# The Lisp module mprof.fas contains the Lisp code, compiled by ECL, the C code that it calls, and the reporter, so that
# its users need no compiler. It loads libmprof.so.
LISP_FILES = \
	lisp/package.lisp \
	lisp/conditions.lisp \
	lisp/ffi.lisp \
	lisp/profile.lisp \
	lisp/arguments.lisp \
	lisp/names.lisp \
	lisp/recording.lisp \
	lisp/report.lisp \
	lisp/measure.lisp \
	lisp/heap.lisp \
	lisp/why.lisp \
	lisp/provide.lisp
EXTRA_DIST += $(LISP_FILES) lisp/any.lisp lisp/build.lisp lisp/module.map lisp/mprof.asd

if HAVE_ECL
noinst_LTLIBRARIES += libmodule.la
libmodule_la_SOURCES = \
	lisp/lisp_module.c lisp/lisp_module.h lisp/ecl_calls.h \
	lisp/module_any.c \
	lisp/module_files.c \
	lisp/module_heap.c \
	lisp/module_hold.c \
	lisp/module_report.c \
	lisp/module_snapshots.c \
	lisp/module_text.c
libmodule_la_CPPFLAGS = $(AM_CPPFLAGS) -DMP_LIBDIR='"$(libdir)"'
libmodule_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -shared

ecldir = $(ECL_MODULES)
ecl_DATA = lisp/mprof.fas lisp/mprof.ecl lisp/mprof-any.fas lisp/mprof.asd
CLEANFILES += lisp/*.o lisp/mprof.fas lisp/mprof.ecl
# ECL 21.2.1 puts these libraries after the objects of the Lisp code, 24.5.10 before them. So the module's own C code is
# linked as a whole, and undefined symbols are errors here instead of at run time.
MODULE_LIBS = -Wl,--whole-archive .libs/libmodule.a -Wl,--no-whole-archive .libs/libreporter.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) \
	$(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS)

# The module stays loaded (nodelete), because it contains finalizers of profiles, and ECL unloads modules at exit.
lisp/mprof.fas: $(LISP_FILES) lisp/build.lisp lisp/lisp_module.h lisp/module.map lisp-bridge/lisp.h \
		runtime/monitor.h reporter/api.h libmodule.la libreporter.la
	$(AM_V_GEN)$(ECL) --norc --shell $(srcdir)/lisp/build.lisp -- $(srcdir)/lisp \
	  '-I$(top_srcdir)' $(MODULE_LIBS) $(SAN_CFLAGS) -Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=$(srcdir)/lisp/module.map \
	  >lisp/build.log 2>&1 || { cat lisp/build.log; exit 1; }
CLEANFILES += lisp/build.log
lisp/mprof.ecl: lisp/mprof.fas

# The same module for every ECL. It is not linked with libecl.
lisp/mprof-any.c: $(LISP_FILES) lisp/any.lisp
	$(AM_V_GEN)$(ECL) --norc --shell $(srcdir)/lisp/any.lisp -- $(srcdir)/lisp >$@.tmp && mv $@.tmp $@
lisp/mprof-any.fas: lisp/mprof-any.c lisp/module.map libmodule.la libreporter.la
	$(AM_V_CCLD)$(CC) $(DEFS) -I$(top_builddir) -I$(top_srcdir) $(CPPFLAGS) -std=gnu11 $(CFLAGS) -fPIC -shared $(LDFLAGS) $(SAN_CFLAGS) \
	  -o $@ lisp/mprof-any.c $(MODULE_LIBS) -Wl,-z,nodelete -Wl,--version-script=$(srcdir)/lisp/module.map
CLEANFILES += lisp/mprof-any.c lisp/mprof-any.fas
endif
