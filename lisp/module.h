/*
 * module.h -- what lisp/ffi.lisp calls: the C half of mprof.fas.
 *
 * The module is linked with the reporter; the monitor (libmprof.so) it finds when it is first
 * needed.  Functions that return a cl_object allocate in Lisp's heap: call them with the recording
 * paused.  Interrupts should be deferred around all of them.
 */
#ifndef MP_LISP_MODULE_H
#define MP_LISP_MODULE_H

#define GC_NO_THREAD_REDIRECTS 1        /* dlopen is to be dlopen, not GC_dlopen */
#include <ecl/ecl.h>
#include <stdbool.h>
#include <stdint.h>

#include "lisp-bridge/lisp.h"

/* NULL until mp_module_connect() found it. */
extern const struct mprof_lisp *mp_module_monitor;

/* Where mprof.fas was loaded from, with the slash.  (Not dladdr(): ECL loads a copy if it has loaded
 * the file before.) */
void mp_module_folder(cl_object name);

/* Find the monitor; a preloaded one is found even without this.  NULL, or why there is none. */
const char *mp_module_connect(void);

/* Recording; see lisp.h.  0 or errno. */
int mp_module_start(cl_object file, const struct mprof_lisp_wish *wish);

/* Is it being recorded, into FILE? */
bool mp_module_records(cl_object file);

/* Chains of reports are to begin with the function that called Lisp's part of the module. */
void mp_module_form(void);

/* Whether this thread takes ECL's interrupts of threads, which wait meanwhile, from now on; whether it took them
 * before. */
bool mp_module_interrupts(bool taken);

/* The present moment is called NAME in the recording; a longer name than 256 bytes is cut.  Whether anything
 * is being recorded, and there was room for it. */
bool mp_module_checkpoint(cl_object name);

/* One of the sums since the recording began: 0 objects, 1 bytes, 2 live objects, 3 live bytes; 4 and 5: the session
 * and what was lost, see struct mp_heap_sums.  Those of this thread not with the recording paused. */
uint64_t mp_module_sum(int which, bool this_thread);

/* STRING in UTF-8; false: longer than SIZE. */
bool mp_module_path(cl_object string, char *path, size_t size);

/* Note the sums after each collection from now on, or no more.  The Ith of those noted, as a list
 * (seconds objects bytes live-objects live-bytes), NIL: so many there are not. */
void mp_module_snapshots(bool on);
cl_object mp_module_snapshot(uint32_t i);

/* Make a snapshot of the heap, see struct mprof_lisp: its name as a string, or errno as a fixnum. */
cl_object mp_module_heap(cl_object name, cl_object file, bool collect, bool in_place, bool wait, bool strings);
cl_object mp_module_heap_to_read(cl_object file);
cl_object mp_module_heap_problem(int error);

/* Is OBJECT one of libgc's heap, as a list, and not a number or ECL's own? */
bool mp_module_in_heap(cl_object object);

/* Who holds OBJECT?  A snapshot goes to FILE, a name that nobody has.  A list: bytes that it retains, how many objects
 * these are, whether only this thread's stacks and what it binds SYMBOLS to lead to it, at most MOST ways, the
 * references to be cleared, and whether there are more ways.  A way is lists (what by bytes address) of which those of
 * roots have NIL for the latter; references are such lists of what refers.  Or errno as a fixnum; or (code . text) of
 * an error. */
cl_object mp_module_hold(cl_object object, cl_object symbols, cl_object file, uint32_t most);

/* How wide the terminal FD is, columns; 0: it is none, or not known. */
unsigned mp_module_columns(int fd);

/* A string of UTF-8 for Lisp. */
cl_object mp_module_string(const char *text);

/* What the errno value ERROR means. */
cl_object mp_module_strerror(int error);

/* ---- data files that nobody asked to keep: removed when they are forgotten, or at exit */

/* A new empty file in the system's temporary directory (TMPDIR), mode 0600: its name as a string;
 * or errno as a fixnum.  Or a name only, that nobody has. */
cl_object mp_module_temporary(void);
cl_object mp_module_temporary_name(void);
void mp_module_forget(cl_object file);

/* ---- reports: see reporter/api.h.  FILE and PATH are strings. */

struct mp_module_wish {
    unsigned tables;
    int frames, sort;
    unsigned most, width;
    double min_percent;
    unsigned chain;             /* MP_CHAIN_ALL: whole; 0: as many as usual */
    cl_object focus;            /* name of a function; ECL_NIL: none */
    int full_names;             /* as in struct mp_report_request */
    int no_skip;
    cl_object from, to;         /* as in struct mp_report_part; strings, or ECL_NIL */
    uint32_t recorder;
};

/* The report as a string, or (code . text) of the error. */
cl_object mp_module_report(cl_object file, const struct mp_module_wish *wish);

/* Who allocated most: a list of (name bytes objects), of MOST functions at most and 16; or
 * (code . text). */
cl_object mp_module_top(cl_object file, unsigned most);

/* Sums over objects of Lisp (objects bytes live-objects live-bytes), or (code . text). */
cl_object mp_module_totals(cl_object file);

/* Write FILE, or the part of it that FROM, TO and RECORDER are, to PATH in the sealed form; NIL, or (code . text). */
cl_object mp_module_seal(cl_object file, cl_object path, cl_object from, cl_object to, uint32_t recorder);

/* Sites one by one.  A foreign pointer, or (code . text); the next site as a list, its step first,
 * NIL at the end. */
cl_object mp_module_sites(cl_object file, const struct mp_module_wish *wish);
cl_object mp_module_next_site(void *sites);
void mp_module_close_sites(void *sites);

/* The tree of their chains, see mp_report_sites_tree(): how many elements the vectors need, and fill
 * them.  CALLERS and FUNCTIONS are of (unsigned-byte 32), NAMES holds NIL, and gets the names of the
 * functions that are on chains. */
uint32_t mp_module_sites_steps(const void *sites);
uint32_t mp_module_sites_functions(const void *sites);
void mp_module_sites_tree(const void *sites, cl_object callers, cl_object functions,
                          cl_object names);

#endif
