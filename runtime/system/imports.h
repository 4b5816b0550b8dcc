/*
 * imports.h -- finds and replaces the functions that a loaded ELF object imports.
 *
 * A call of another object's function goes through a word of the caller's global offset table. Changing the word
 * redirects the call immediately, and can be undone at any time.
 */
#ifndef MP_IMPORTS_H
#define MP_IMPORTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct mp_import {
    const char *name;
    void *ours;                 /* replacement function */
    void *theirs;               /* original function; set by mp_imports_find() */
    void **word;                /* word of the global offset table; NULL if not imported */
};

/* Finds the words of IMPORTS in MAP, and the original functions with dlsym(HANDLE). Returns how many have both. */
size_t mp_imports_find(const struct link_map *map, void *handle, struct mp_import *imports,
                       size_t n);

/* Calls REPLACE with the address in each word of MAP that refers to a function or a variable. If it does not
 * return NULL, stores the result in the word. The word's page keeps its protection. */
void mp_imports_replace(const struct link_map *map, void *(*replace)(void *address));

/* Binds calls in MAP to functions that MAP itself defines directly to these definitions, if WANTED accepts their
 * names. */
void mp_imports_bind_own(const struct link_map *map, bool (*wanted)(const char *name));

/* Makes the words refer to `ours` if OURS, otherwise to `theirs`. */
void mp_imports_set(const struct mp_import *imports, size_t n, int ours);

#endif
