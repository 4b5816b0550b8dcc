/*
 * wrappers.h -- names of functions that only pass requests on to an allocator, in any program: xmalloc, operator
 * new, g_malloc ... This is the only such list. skip.h charges their allocations to their callers.
 */
#ifndef MP_WRAPPERS_H
#define MP_WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>

/* The names in the order of the list, ending with NULL. They have no parameters, and <...> for template
 * arguments, as mp_name_bare() writes them. */
extern const char *const mp_wrappers[];

#endif
