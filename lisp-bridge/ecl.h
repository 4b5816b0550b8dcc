/*
 * ecl.h -- the ECL of the process, reached without being linked with it.
 *
 * What is preloaded must not refer to libecl: other programs are started with it, too.  Everything
 * is found with dlsym() once libecl is there; only the layouts of objects come from ECL's headers,
 * so the version must be the one that we were compiled for.
 */
#ifndef MP_LISP_ECL_H
#define MP_LISP_ECL_H

#define GC_NO_THREAD_REDIRECTS 1        /* dlopen is to be dlopen, not GC_dlopen */
#include <ecl/ecl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct mp_range {
    uintptr_t start, size;
};

static inline bool
mp_within(const struct mp_range *range, uintptr_t address)
{
    return address - range->start < range->size;
}

struct mp_ecl {
    struct link_map *libecl, *libgc;

    struct mp_range cons, list1, alloc_object, alloc_compact_object, make_weak_pointer, interpret;
    struct mp_range libecl_code, libgc_code, libgmp_code;
    struct mp_range program_code;       /* of the program `ecl`; of another program: none */

    struct cl_core_struct *core;
    cl_env_ptr (*process_env)(void);
    cl_object (*gethash)(cl_object key, cl_object table, cl_object none);

    cl_index (*object_size)(cl_type);
    bool (*lower_case)(ecl_character);

    size_t (*gc_size)(const void *);
    size_t (*gc_total)(void);
    void *(*gc_base)(void *);
    int (*gc_is_marked)(const void *);
    void (*gc_set_event)(void (*)(int));
    void (*(*gc_get_event)(void))(int);
};

extern struct mp_ecl mp_ecl;

enum mp_ecl_found { MP_ECL_ABSENT, MP_ECL_OTHER_VERSION, MP_ECL_INCOMPLETE, MP_ECL_FOUND };

/* Look for libecl in the process and fill mp_ecl.  Uses dlopen() and dlsym(). */
enum mp_ecl_found mp_ecl_find(void);

/* The address of the function NAME of libecl and its size; zero: there is none. */
struct mp_range mp_ecl_function(const char *name);

/* Is there a function of libecl with a name that starts at START?  Static ones have none. */
bool mp_ecl_is_exported(uintptr_t start);

#endif
