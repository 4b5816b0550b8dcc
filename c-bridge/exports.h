/*
 * exports.h -- what an ELF object of the process defines for others, and putting something else in its
 * place.  (runtime/system/imports.h is the other side of it: what one object calls.)
 */
#ifndef MP_EXPORTS_H
#define MP_EXPORTS_H

#include <link.h>
#include <stdbool.h>

/* Does MAP define NAME?  An undefined symbol with a value does not: it is a stub of a program at a
 * fixed address, which stands for the function where the program takes its address. */
bool mp_exports_defines(const struct link_map *map, const char *name);

/* Calls REPLACE with the name and address of each function that MAP defines.  What it returns, unless that is NULL,
 * is found instead by who looks the name up from now on.   As below. */
void mp_exports_replace(const struct link_map *map, void *(*replace)(const char *name, void *address));

/* What is looked up from now on and would find NAME in MAP at the address THEIRS finds OURS.  Other names
 * of the same function keep it.  False: NAME is not there, or the table cannot be written to.
 * One caller at a time; nothing is allocated, nobody is waited for. */
bool mp_exports_redirect(const struct link_map *map, const char *name, const void *theirs,
                         const void *ours);

#endif
