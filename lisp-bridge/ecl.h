/* SPDX-License-Identifier: MIT */
/*
 * ecl.h -- the process's ECL, accessed without linking to it.
 *
 * The preloaded library must not refer to libecl, because it is also loaded into other programs. All functions and
 * variables are found with dlsym() after libecl is loaded, and layout.h finds the layout of its objects. If that is
 * unknown, the bridge uses only what libgc provides; see `known`.
 */
#ifndef MP_LISP_ECL_H
#define MP_LISP_ECL_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "objects.h"
#include "member_places.h"
#include "runtime/system/imports.h"

struct mp_range {
    uintptr_t start, size;
};

static inline bool
mp_within(const struct mp_range *range, uintptr_t address)
{
    return address - range->start < range->size;
}

struct mp_ecl {
    struct link_map *libecl, *libgc;    /* the objects that contain libecl and libgc; equal if libecl.so or the
                                           program contains libgc */
    bool linked_in;             /* libecl.a is linked into the program, and `libecl` is the program */
    bool gc_linked_in;          /* libgc.a is linked into the program, too */
    bool gc_alone;              /* `libgc` is libgc.so, and not an object that contains libgc.a */
    bool stripped;              /* libecl.a is linked into a program that has no symbols, so its ECL is unknown */
    const char *path;           /* path of the file that contains libecl */

    /* `known` means that nothing contradicts the layout, so types are recorded. If not, only blocks of libgc are
     * known, and of the members below only gc_* may be used. `symbols_known` means that symbols were verified, so
     * names can be read. `threads_known` means that the layout of threads' environments was verified, which is
     * necessary for interpreted functions. `references_known` means `threads_known`, and that no object has members
     * that mprof does not know, which is necessary for snapshots. */
    bool known, symbols_known, threads_known, references_known;
    bool complete;              /* all required functions were found in libecl, and it has the required configuration */
    char name[160];             /* "ECL 21.2.1", followed by what is unknown about it */
    char file[48];              /* name of libecl, or of the program that contains it, without directories */
    struct mp_ecl_layout at;

    struct mp_range cons, list1, alloc_object, alloc_compact_object, make_weak_pointer, interpret, alloc_instance;
    struct mp_range libecl_code, libgc_code, libgmp_code;
    struct mp_range program_code;       /* code of the program `ecl`; empty for other programs */

    struct cl_core_struct *core;
    const cl_object *setf_definitions;  /* in cl_core: hash table from symbols to conses of function and symbol; NULL if
                                         * symbols have the functions themselves (`at`), or before ECL has started */
    struct cl_env_struct *(*process_env)(void);
    intptr_t (*option)(int);

    cl_index (*object_size)(cl_type);
    bool (*lower_case)(ecl_character);

    struct mp_range gc_variables;       /* GC_arrays; size 0 if not found */
    struct mp_range gc_data;            /* all variables of libgc */
    void *(*gc_with_lock)(void *(*)(void *), void *);   /* optional: GC_call_with_alloc_lock() */
    size_t (*gc_size)(const void *);
    size_t (*gc_total)(void);
    size_t (*gc_heap_size)(void);       /* optional, as are the next three; none of the four takes libgc's lock */
    size_t (*gc_divisor)(void);
    int (*gc_is_incremental)(void);
    int (*gc_on_demand)(void);          /* optional: GC_get_finalize_on_demand(), and the next one sets it */
    void (*gc_set_on_demand)(int);
    int (*gc_kind)(const void *, size_t *);
    void *(*gc_base)(void *);
    int (*gc_is_marked)(const void *);

    bool gc_shows_heap;                 /* whether this libgc has all functions and variables that snapshots of the
                                           heap need */
    const uintptr_t *gc_least, *gc_greatest;
    int (*gc_is_heap_ptr)(const void *);        /* optional, as is the next one */
    void (*gc_each_marked)(void (*)(void *, size_t, void *), void *);
    void (*gc_collect)(void);
    size_t (*gc_free_bytes)(void), (*gc_since)(void);
    uintptr_t (*gc_number)(void);
    struct mp_range core_words, symbols;        /* cl_core and cl_symbols */

    void (*gc_set_event)(void (*)(int));
    void (*(*gc_get_event)(void))(int);
};

extern struct mp_ecl mp_ecl;

enum mp_ecl_found { MP_ECL_ABSENT, MP_ECL_INCOMPLETE, MP_ECL_FOUND };

/* Searches the process for libecl and fills mp_ecl. Uses dlopen() and dlsym(). If the result is MP_ECL_INCOMPLETE,
 * mp_ecl.name gives the reason. */
enum mp_ecl_found mp_ecl_find(void);

/* Notes in mp_ecl.name the REASON why objects cannot be recorded. */
void mp_ecl_leave(const char *reason);

/* MEMBER is a member of struct mp_ecl_layout. MP_MEMBER() is the word at this offset in an object or environment, as an
 * object. MP_ADDRESS() is the same word as an address or a size. */
#define MP_MEMBER(object, member) (*(cl_object *)((uintptr_t)(object) + mp_ecl.at.member))
#define MP_ADDRESS(object, member) ((uintptr_t)MP_MEMBER(object, member))

static inline bool
mp_lisp_is(cl_object o, cl_type type)
{
    return o && !ECL_IMMEDIATE(o) && o->d.t == (int)type;
}

/* Returns address and size of the function NAME of libecl, or zeros if it does not exist. */
struct mp_range mp_ecl_function(const char *name);

/* Finds for each of the N IMPORTS its word in libecl, and the function that libecl calls. What is not found is NULL. */
void mp_ecl_imports(struct mp_import *imports, size_t n);

/* Returns whether an exported function of libecl starts at START. Static functions are not exported. */
bool mp_ecl_is_exported(uintptr_t start);

#endif
