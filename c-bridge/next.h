/*
 * next.h -- the allocator that the program would have without us, found with dlsym(RTLD_NEXT): a
 * program that is linked with jemalloc, tcmalloc or mimalloc keeps it.
 */
#ifndef MP_NEXT_H
#define MP_NEXT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "runtime/compiler.h"

struct mp_next {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    void *(*memalign)(size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    int (*malloc_trim)(size_t);
    bool found;                 /* all of them are there; until then malloc and calloc find them */
};

extern MP_HIDDEN struct mp_next mp_next;

/* Find it.  False while it is being found: dlsym() itself may allocate, from mp_bootstrap. */
bool mp_next_find(void);

MP_INLINE bool
mp_next_is_there(void)
{
    return MP_LIKELY(mp_next.found) || mp_next_find();
}

/* Has the allocator an operator new of its own?  Such a one does not call malloc; libstdc++'s does. */
bool mp_next_bypasses_malloc(void);

/* Is the malloc that the whole program calls another one than ours? */
bool mp_next_is_passed_by(void);

/* If so: was this library loaded for one caller alone (dlopen), after the program had got its allocator?
 * A preloaded or linked one is seen by the whole program through mprof.h, also if that brings a malloc of
 * its own. */
bool mp_next_precedes_us(void);

/* Is it glibc's?  Does the object that defines it define SYMBOL, too? */
bool mp_next_is_glibc(void);
bool mp_next_defines(const void *symbol);

/* Where the loader's list begins: with the program, and what was loaded with it, in the order in which names are
 * looked up.  Called while recording is paused. */
const struct link_map *mp_next_program(void);

/* The function NAME of the next object, which a hook of that name passes calls on to; NULL: there is none. */
void *mp_next_symbol(const char *name);

/* A little heap for dlsym(): never freed, never recorded. */
void *mp_bootstrap_alloc(size_t size);
bool mp_bootstrap_owns(const void *block);
size_t mp_bootstrap_size(const void *block);

#endif
