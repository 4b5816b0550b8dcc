/* SPDX-License-Identifier: MIT */
/*
 * next.h -- finds the next allocator, which the program would use without us. It is found with dlsym(RTLD_NEXT), so
 * a program that is linked with jemalloc, tcmalloc or mimalloc keeps that.
 */
#ifndef MP_NEXT_H
#define MP_NEXT_H

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compiler.h"

/* The functions that malloc_hooks.c replaces and every allocator has, as a list of EACH(name). */
#define MP_FAMILY(EACH)                                                                             \
    EACH(malloc) EACH(calloc) EACH(realloc) EACH(free) EACH(memalign) EACH(aligned_alloc)           \
    EACH(posix_memalign) EACH(valloc) EACH(pvalloc) EACH(malloc_usable_size)

/* Blocks of this size or more are counted after they were allocated, also in a sampled recording (malloc_hooks.c). */
#define MP_COUNTED_FIRST 65536u

struct mp_next {
#define MP_POINTER(name) __typeof__(name) *name;
    MP_FAMILY(MP_POINTER)
    MP_POINTER(malloc_trim)
#undef MP_POINTER
    const void *allocator;      /* address in the object that defines malloc */
    bool found;                 /* all functions have been found; until then, malloc and calloc find them */
    /* The hooks of a sampled recording compare with these three values. Before `found`, the first two are 0, so no size
     * is below them, and `excluded` is 1, a number that no block has in the empty filter. So the hooks need not test
     * `found`. */
    size_t small;               /* maximum size that has a bin of its own */
    size_t counted_first;       /* sizes up to this are counted before the allocator is called */
    uint8_t excluded;           /* number in the filter (block_filter.h) that excludes a block: 0 */
};

extern MP_HIDDEN struct mp_next mp_next;

/* Finds the next allocator. Returns false in an allocation by dlsym() while an outer call of this function uses
 * dlsym(). That allocation uses mp_bootstrap_alloc(). */
bool mp_next_find(void);

MP_INLINE bool
mp_next_is_there(void)
{
    return MP_LIKELY(mp_next.found) || mp_next_find();
}

/* Returns whether the allocator has an operator new of its own, which does not call malloc. libstdc++'s operator new
 * calls malloc. */
bool mp_next_bypasses_malloc(void);

/* Returns whether the malloc that the whole program calls is not ours. */
bool mp_next_is_passed_by(void);

/* Returns whether this library was loaded for one caller alone (dlopen), after the program had its allocator.
 * Called if mp_next_is_passed_by(). In contrast, the whole program sees a preloaded or linked library through
 * mprof.h, even if the program has a malloc of its own. */
bool mp_next_precedes_us(void);

/* mp_next_is_glibc() returns whether the next allocator is glibc's. mp_next_defines() returns whether the object
 * that defines the next allocator also defines SYMBOL. */
bool mp_next_is_glibc(void);
bool mp_next_defines(const void *symbol);

/* Returns the first element of the loader's list. The list has the program and the libraries that were loaded with
 * it, in the order in which names are looked up. Called while recording is paused. */
const struct link_map *mp_next_program(void);

/* Returns the function NAME of the next object, to which the hook of that name passes calls on. Returns NULL if no
 * further object has it. */
void *mp_next_symbol(const char *name);

/* Stores the result of mp_next_symbol() in FUNCTION, a variable of the pointer type ("= mp_next_symbol()" would need
 * a cast that ISO C forbids). */
#define MP_NEXT_FUNCTION(function, name)                                        \
    do {                                                                        \
        void *symbol_ = mp_next_symbol(name);                                   \
        memcpy(&(function), &symbol_, sizeof symbol_);                          \
    } while (0)

/* A small heap for dlsym(). Its blocks are never freed or recorded. */
void *mp_bootstrap_alloc(size_t size);
bool mp_bootstrap_owns(const void *block);
size_t mp_bootstrap_size(const void *block);

#endif
