/* SPDX-License-Identifier: MIT */
/*
 * exports.h -- finds the functions that an ELF object of the process defines for others, and replaces them.
 * (runtime/system/imports.h does the opposite: it handles the functions that an object calls.)
 */
#ifndef MP_EXPORTS_H
#define MP_EXPORTS_H

#include <link.h>
#include <stdbool.h>

/* Returns whether MAP defines NAME. An undefined symbol with a value is no definition: its value is the address of a
 * stub, which a program at a fixed address uses as the address of the function. */
bool mp_exports_defines(const struct link_map *map, const char *name);

/* A function of other objects, and the hook that replaces it. */
struct mp_replaced {
    const char *name;
    void (*ours)(void);         /* the hook */
    void (*theirs)(void);       /* the function that a hook calls; NULL if no object defines it */
};

/* Returns the element of the TABLE of N functions that has NAME, or NULL. */
struct mp_replaced *mp_replaced_find(struct mp_replaced *table, unsigned n, const char *name);

/* Returns the hook that replaces the function at ADDRESS, or NULL if the function at ADDRESS is not `theirs` of any
 * element. */
void *mp_replaced_word(const struct mp_replaced *table, unsigned n, void *address);

/* Returns whether MAP defines any function of TABLE. */
bool mp_exports_any(const struct link_map *map, struct mp_replaced *table, unsigned n);

/* Sets `theirs` of the functions of TABLE that MAP defines and that no other object has defined before. From then on,
 * a lookup of their names in MAP finds the hooks. Like mp_exports_redirect(), only one thread may call it. */
void mp_exports_replace(const struct link_map *map, struct mp_replaced *table, unsigned n);

/* Makes lookups of NAME in MAP find OURS from now on if they would find THEIRS. Does not change other names of the
 * same function. Returns false if MAP does not define NAME as THEIRS, or its symbol table cannot be written to. Only
 * one thread at a time may call it. It neither allocates nor waits. */
bool mp_exports_redirect(const struct link_map *map, const char *name, const void *theirs,
                         const void *ours);

#endif
