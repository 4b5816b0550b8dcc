# SPDX-License-Identifier: MIT
# The Lisp module mprof.fas contains the Lisp code as text, which any ECL can load, the C code that it calls, and the
# reporter, so that its users need no compiler. It is not linked with libecl. It loads libmprof.so.
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
	lisp/lines.lisp \
	lisp/census.lisp \
	lisp/provide.lisp
EXTRA_DIST += $(LISP_FILES) lisp/build.lisp lisp/module.map lisp/mprof.asd

systemsdir = $(datadir)/common-lisp/systems
if HAVE_ECL
noinst_LTLIBRARIES += libmodule.la
libmodule_la_SOURCES = \
	lisp/lisp_module.c lisp/lisp_module.h lisp/ecl_calls.h \
	lisp/module_define.c \
	lisp/module_files.c \
	lisp/module_heap.c \
	lisp/module_hold.c \
	lisp/module_report.c \
	lisp/module_snapshots.c \
	lisp/module_text.c
libmodule_la_CPPFLAGS = $(AM_CPPFLAGS) -DMP_PKGLIBDIR='"$(pkglibdir)"'
libmodule_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -shared

moduledir = $(pkglibdir)
module_DATA = lisp/mprof.fas lisp/mprof.asd
# Links, by which (require :mprof) finds the module, and ASDF the system. The module of another installation, such as
# Debian's package, is not replaced.
module_link = "$(DESTDIR)$(ECL_MODULES)/mprof.fas"
link_is_ours = test "`readlink $(module_link)`" = "$(moduledir)/mprof.fas"
links += link-module
unlinks += unlink-module
link-module:
	$(MKDIR_P) "$(DESTDIR)$(systemsdir)"
	$(LN_S) -f "$(moduledir)/mprof.asd" "$(DESTDIR)$(systemsdir)/mprof.asd"
	test -z "$(ECL_MODULES)" || $(link_is_ours) || if test -e $(module_link) || test -h $(module_link); then \
		echo "(require :mprof) loads another installation's" $(module_link); \
	else \
		$(MKDIR_P) "$(DESTDIR)$(ECL_MODULES)" && $(LN_S) "$(moduledir)/mprof.fas" $(module_link); \
	fi
unlink-module:
	rm -f "$(DESTDIR)$(systemsdir)/mprof.asd"
	test -z "$(ECL_MODULES)" || ! $(link_is_ours) || rm -f $(module_link)
# The module's own C code is linked as a whole, because only ECL refers to it. The module stays loaded (nodelete), because
# it contains finalizers of profiles, and ECL unloads modules at exit.
MODULE_LIBS = -Wl,--whole-archive .libs/libmodule.a -Wl,--no-whole-archive .libs/libreporter.a $(LIBDW_LIBS) $(LIBELF_LIBS) $(IBERTY_LIBS) \
	$(ZLIB_LIBS) $(LZMA_LIBS) $(ZSTD_LIBS)
lisp/module_lisp.c: $(LISP_FILES) lisp/build.lisp
	$(AM_V_GEN)$(ECL) --norc --shell $(srcdir)/lisp/build.lisp -- $(srcdir)/lisp >$@.tmp && mv $@.tmp $@
lisp/mprof.fas: lisp/module_lisp.c lisp/lisp_module.h lisp/module.map libmodule.la libreporter.la
	$(AM_V_CCLD)$(CC) $(DEFS) -I$(top_builddir) -I$(top_srcdir) $(CPPFLAGS) -std=gnu11 $(CFLAGS) -fPIC -shared $(LDFLAGS) $(SAN_CFLAGS) \
	  -o $@ lisp/module_lisp.c $(MODULE_LIBS) -Wl,-z,nodelete -Wl,--version-script=$(srcdir)/lisp/module.map
CLEANFILES += lisp/module_lisp.c lisp/mprof.fas
endif
