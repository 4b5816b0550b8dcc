/* SPDX-License-Identifier: MIT */
/*
 * lisp_module.h -- the C half of the module: the functions that lisp/ffi.lisp calls.
 *
 * The module is linked with the reporter. It finds the monitor (libmprof.so) when it is first needed. Functions that
 * return a cl_object allocate in Lisp's heap, so recording must be paused while they are called. Interrupts should be
 * deferred during all of these functions.
 */
#ifndef MP_LISP_MODULE_H
#define MP_LISP_MODULE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "lisp-bridge/lisp.h"

#include "ecl_calls.h"

/* NULL until mp_module_connect() has found it. */
extern const struct mprof_lisp *mp_module_monitor;

/* Sets the directory of mprof.fas, with a trailing slash. dladdr() cannot be used, because ECL loads a copy of a file
 * that it has loaded before. */
void mp_module_folder(cl_object name);

/* Finds the monitor. A preloaded monitor is found even without this. Returns NULL, or the reason why there is none. */
const char *mp_module_connect(void);

/* Begins a recording; see lisp.h. Returns 0 or an errno value. */
int mp_module_start(cl_object file, const struct mprof_lisp_wish *wish);

/* Returns whether a recording into FILE is in progress. */
bool mp_module_records(cl_object file);

/* Makes reports begin chains with the function that called the Lisp half of the module. */
void mp_module_form(void);

/* Unblocks ECL's thread interrupts in this thread if TAKEN, or else blocks them, so that they wait. Returns whether
 * they were unblocked before. */
bool mp_module_interrupts(bool taken);

/* Sets a checkpoint called NAME, which is truncated to 256 bytes. Returns false if nothing is recorded or there are
 * too many checkpoints. */
bool mp_module_checkpoint(cl_object name);

/* Returns a sum since the recording began, a member of struct mp_heap_sums. Sums of this thread are unavailable while
 * its recording is paused. The Lisp function %SUM uses the numbers of the enumerators. */
enum mp_module_sum {
    MP_SUM_OBJECTS, MP_SUM_BYTES, MP_SUM_LIVE_OBJECTS, MP_SUM_LIVE_BYTES, MP_SUM_SESSION, MP_SUM_LOST
};
uint64_t mp_module_sum(enum mp_module_sum which, bool this_thread);

/* Converts STRING to UTF-8. Returns false if it is longer than SIZE. */
bool mp_module_path(cl_object string, char *path, size_t size);

/* mp_module_snapshots() starts or stops noting the sums after each collection. mp_module_snapshot() returns the Ith
 * note as a list (seconds objects bytes live-objects live-bytes), or NIL if there are fewer. */
void mp_module_snapshots(bool on);
cl_object mp_module_snapshot(uint32_t i);

/* Make a snapshot of the heap; see struct mprof_lisp. Return the file's name as a string, or an errno value as a
 * fixnum. mp_module_heap_problem() describes such an errno value. */
cl_object mp_module_heap(cl_object name, cl_object file, bool collect, bool in_place, bool wait, bool strings);
cl_object mp_module_heap_to_read(cl_object file);
cl_object mp_module_heap_problem(int error);

/* Returns whether OBJECT is in libgc's heap. Numbers without a heap block and ECL's static objects are not. */
bool mp_module_in_heap(cl_object object);

/* Finds out what keeps OBJECT alive, by a snapshot of the heap in FILE, which must not exist. Returns a list: the
 * bytes that it retains; the number of retained objects; whether only this thread's stacks and its bindings of
 * SYMBOLS lead to it; at most MOST ways to it; the references that would have to be cleared; whether there are more
 * ways. A way consists of lists (what by bytes address). The first list describes the root, and its last two elements
 * are NIL. References are lists of the same form, which describe the referring objects. Returns an errno value as a
 * fixnum, or (code . text), on errors. */
cl_object mp_module_hold(cl_object object, cl_object symbols, cl_object file, uint32_t most);

/* Arguments of mp_module_census(). */
struct mp_module_census {
    cl_object types;            /* names of types, each followed by the character 1; or ECL_NIL for all */
    cl_object standard;         /* names of COMMON-LISP's symbols in the same form */
    cl_object root, package;    /* as in struct mp_report_heap_request; strings, or ECL_NIL */
    bool by_growth;
    unsigned most, width;
    cl_object since;            /* foreign data with the state of an earlier snapshot, or ECL_NIL */
    cl_object symbols;          /* as for mp_module_hold() */
};

/* Describes the content of the heap, by a snapshot in FILE, which must not exist. Returns a list: the number of
 * objects; their bytes; the heap's bytes; a report; foreign data with the state, to be freed by
 * mp_module_forget_state(); and tables. A table is a list: its name; the keys of its columns; and rows, which are lists
 * of numbers, strings and NIL. Returns an errno value as a fixnum, or (code . text), on errors. */
cl_object mp_module_census(cl_object file, const struct mp_module_census *census);
void mp_module_forget_state(void *state);

/* Returns the number of columns of the terminal FD, or 0 if it is no terminal or the number is unknown. */
unsigned mp_module_columns(int fd);

/* Converts UTF-8 to a Lisp string. */
cl_object mp_module_string(const char *text);

/* Returns T or NIL, and allocates nothing. */
cl_object mp_module_truth(bool value);

/* Returns the description of the errno value ERROR. */
cl_object mp_module_strerror(int error);

/* ---- temporary data files, which are removed by mp_module_forget() or at exit */

/* mp_module_temporary() creates an empty file in the system's temporary directory (TMPDIR) with mode 0600. It returns
 * its name as a string, or an errno value as a fixnum. mp_module_temporary_name() only returns an unused name.
 * mp_module_forget() removes a temporary file. */
cl_object mp_module_temporary(void);
cl_object mp_module_temporary_name(void);
void mp_module_forget(cl_object file);

/* ---- reports; see reporter/api.h. FILE and PATH are strings. */

struct mp_module_wish {
    unsigned tables;
    int frames;
    int sort;                   /* enum mp_sort; MP_SORTS for bytes, but functions with what they call */
    unsigned most, width;
    double min_percent;
    unsigned chain;             /* maximum number of functions; MP_CHAIN_ALL for whole chains, 0 for the default */
    cl_object focus;            /* name of a function, or ECL_NIL */
    int full_names;             /* as in struct mp_report_request */
    int no_skip;
    cl_object from, to;         /* as in struct mp_report_part; strings, or ECL_NIL */
    uint32_t recorder;
};

/* Returns the report as a string, or (code . text) on errors. */
cl_object mp_module_report(cl_object file, const struct mp_module_wish *wish);

/* Returns a list of (name bytes objects) of the functions that allocated most. It has at most MOST elements, and at
 * most 16. Returns (code . text) on errors. */
cl_object mp_module_top(cl_object file, unsigned most);

/* Returns the sums over Lisp objects (objects bytes live-objects live-bytes), or (code . text) on errors. */
cl_object mp_module_totals(cl_object file);

/* Writes FILE, or the part of it that FROM, TO and RECORDER specify, to PATH in the sealed form. Returns NIL, or
 * (code . text) on errors. */
cl_object mp_module_seal(cl_object file, cl_object path, cl_object from, cl_object to, uint32_t recorder);

/* Iterate over sites. mp_module_sites() returns a foreign pointer, or (code . text) on errors. mp_module_next_site()
 * returns a list that begins with the site's step, or NIL at the end. */
cl_object mp_module_sites(cl_object file, const struct mp_module_wish *wish);
cl_object mp_module_next_site(void *sites);
void mp_module_close_sites(void *sites);

/* Access the tree of the sites' chains; see mp_report_sites_tree(). The first two functions return the sizes of the
 * vectors. The third fills them. CALLERS and FUNCTIONS are vectors of (unsigned-byte 32). NAMES initially contains
 * NIL and gets the names of the functions on chains. */
uint32_t mp_module_sites_steps(const void *sites);
uint32_t mp_module_sites_functions(const void *sites);
void mp_module_sites_tree(const void *sites, cl_object callers, cl_object functions,
                          cl_object names);

/* ---- how the module defines its Lisp functions, whose tables build.lisp writes */

struct mp_module_function {
    const char *name;           /* symbol that names the Lisp function, with its package */
    cl_object (*function)(void);        /* has `arguments` parameters, each a cl_object */
    int arguments;
};

/* A function in bytecode, which allocates conses for its variables. Lisp calls the C function, which calls the bytecode
 * while the thread's recording is paused. */
struct mp_module_enclosed {
    const char *name;           /* symbol that names the Lisp function, with its package */
    cl_object (*function)(intptr_t n, ...);
};

/* Defines the N FUNCTIONS in Lisp, and evaluates FORMS, which end with NULL. The first form is the package's. Then
 * replaces the functions in ENCLOSED, which ends with a NULL name. */
void mp_module_define(const struct mp_module_function functions[], size_t n, const char *const forms[],
                      const struct mp_module_enclosed enclosed[]);

/* Expands to the body of a C function with N arguments, which calls the enclosed Lisp function number INDEX with
 * these. */
#define MP_MODULE_ENCLOSED(index, n) \
    va_list arguments; \
    cl_object result; \
\
    va_start(arguments, n); \
    result = mp_module_enclosed(index, n, arguments); \
    va_end(arguments); \
    return result

#define MP_MODULE_ARGUMENTS 64   /* maximum number of arguments that ECL passes to a C function */

cl_object mp_module_enclosed(size_t index, intptr_t n, va_list arguments);

/* Pauses and resumes the recording of this thread when it enters and leaves an enclosed function. mp_module_enter()
 * returns false if the thread is in one already. mp_module_connected() must be called when the monitor was found. */
bool mp_module_enter(void);
void mp_module_leave(void);
void mp_module_connected(void);

/* Returns VALUE, evaluated while the thread's recording is not paused by an enclosed function. */
#define MP_MODULE_UNPAUSED(value) \
    ({ \
        const bool paused = mp_module_paused(); \
\
        if (paused) \
            mp_module_leave(); \
        const uint64_t result = (value); \
        if (paused) \
            mp_module_enter(); \
        result; \
    })
bool mp_module_paused(void);

#endif
