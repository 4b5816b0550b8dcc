/*
 * ecl.h -- the ECL of the process, reached without being linked with it.
 *
 * What is preloaded must not refer to libecl: other programs are started with it, too.  Everything
 * is found with dlsym() once libecl is there.  layout.def has the builds that are known; of
 * another one nothing is believed but what libgc says: see `known`.
 */
#ifndef MP_LISP_ECL_H
#define MP_LISP_ECL_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "objects.h"

struct mp_range {
    uintptr_t start, size;
};

static inline bool
mp_within(const struct mp_range *range, uintptr_t address)
{
    return address - range->start < range->size;
}

/* layout.def says what these are, layout.h which of its columns they are from. */
struct mp_ecl_layout {
#define BUILDS(...)
#define MEMBER(name, ...) uint16_t name;
#include "layout.def"
#undef BUILDS
#undef MEMBER
};

struct mp_ecl {
    struct link_map *libecl, *libgc;
    bool linked_in;             /* libecl.a is a part of the program, which is `libecl` then */
    const char *path;           /* of its file */

    /* It is laid out as objects.h and `at` say: types and names are known.  Else only blocks of libgc are, and what
     * follows but gc_* is not to be used.  threads_known: environments of threads are, too, so interpreted functions
     * and snapshots. */
    bool known, threads_known;
    bool complete;              /* what needs to be found in libecl was found: one that is configured so */
    char name[104];             /* "ECL 21.2.1", and what is not known of it */
    char file[48];              /* of libecl, or of the program that has it, without folders */
    struct mp_ecl_layout at;

    struct mp_range cons, list1, alloc_object, alloc_compact_object, make_weak_pointer, interpret, alloc_instance;
    struct mp_range libecl_code, libgc_code, libgmp_code;
    struct mp_range program_code;       /* of the program `ecl`; of another program: none */

    struct cl_core_struct *core;
    const cl_object *setf_definitions;  /* symbol to cons of function and symbol; NULL: see `at` */
    struct cl_env_struct *(*process_env)(void);
    intptr_t (*option)(int);

    cl_index (*object_size)(cl_type);
    bool (*lower_case)(ecl_character);

    struct mp_range gc_variables;       /* GC_arrays; size 0: not there */
    size_t (*gc_size)(const void *);
    size_t (*gc_total)(void);
    size_t (*gc_heap_size)(void);       /* this and the next two may be missing; none takes the lock */
    size_t (*gc_divisor)(void);
    int (*gc_is_incremental)(void);
    void *(*gc_base)(void *);
    int (*gc_is_marked)(const void *);

    /* For snapshots of the heap; NULL: this libgc has not the like. */
    const uintptr_t *gc_least, *gc_greatest;
    int (*gc_kind)(const void *, size_t *);
    int (*gc_is_heap_ptr)(const void *);        /* may be missing */
    void (*gc_each_marked)(void (*)(void *, size_t, void *), void *);
    void (*gc_collect)(void);
    size_t (*gc_free_bytes)(void), (*gc_since)(void);
    uintptr_t (*gc_number)(void);
    struct mp_range core_words, symbols;        /* cl_core, cl_symbols */

    void (*gc_set_event)(void (*)(int));
    void (*(*gc_get_event)(void))(int);
};

extern struct mp_ecl mp_ecl;

enum mp_ecl_found { MP_ECL_ABSENT, MP_ECL_INCOMPLETE, MP_ECL_FOUND };

/* Look for libecl in the process and fill mp_ecl.  Uses dlopen() and dlsym(). */
enum mp_ecl_found mp_ecl_find(void);

/* The word of OBJECT, or of an environment, that layout.def calls MEMBER. */
#define MP_MEMBER(object, member) (*(cl_object *)((uintptr_t)(object) + mp_ecl.at.member))
#define MP_ADDRESS(object, member) ((uintptr_t)MP_MEMBER(object, member))

static inline bool
mp_lisp_is(cl_object o, cl_type type)
{
    return o && !ECL_IMMEDIATE(o) && o->d.t == (int)type;
}

/* The address of the function NAME of libecl and its size; zero: there is none. */
struct mp_range mp_ecl_function(const char *name);

/* Is there a function of libecl with a name that starts at START?  Static ones have none. */
bool mp_ecl_is_exported(uintptr_t start);

#endif
