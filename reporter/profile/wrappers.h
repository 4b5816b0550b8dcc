/*
 * wrappers.h -- functions that only hand on to an allocator what they are asked for.
 *
 * They are known by name, whatever the program: xmalloc, operator new, g_malloc ...  What they allocate
 * is their callers' business; see skip.h.  This list is the only one.
 */
#ifndef MP_WRAPPERS_H
#define MP_WRAPPERS_H

#include <stdbool.h>
#include <stddef.h>

/* The names, in the order of the list: without parameters, and with <...> for arguments of templates,
 * as mp_name_bare() writes them.  NULL behind the last. */
extern const char *const mp_wrappers[];

#endif
