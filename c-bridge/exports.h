/*
 * exports.h -- finds the functions that an ELF object of the process defines for others, and replaces them.
 * (runtime/system/imports.h does the opposite: it handles the functions that an object calls.)
 */
#ifndef MP_EXPORTS_H
#define MP_EXPORTS_H

#include <link.h>
#include <stdbool.h>

/* Returns whether MAP defines NAME. An undefined symbol with a value is no definition. It is a stub of a program at
 * a fixed address, which represents the function where the program takes its address. */
bool mp_exports_defines(const struct link_map *map, const char *name);

/* Calls REPLACE with the name and address of each function that MAP defines. From then on, a lookup of the name
 * finds the address that REPLACE returned, unless that is NULL. The conditions are those of mp_exports_redirect(). */
void mp_exports_replace(const struct link_map *map, void *(*replace)(const char *name, void *address));

/* Makes lookups of NAME in MAP find OURS from now on if they would find THEIRS. Does not change other names of the
 * same function. Returns false if MAP does not define NAME as THEIRS, or its symbol table cannot be written to. Only
 * one thread at a time may call it. It neither allocates nor waits. */
bool mp_exports_redirect(const struct link_map *map, const char *name, const void *theirs,
                         const void *ours);

#endif
