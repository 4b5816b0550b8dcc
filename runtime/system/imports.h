/* SPDX-License-Identifier: MIT */
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
    void *theirs;               /* original function; set by the caller. While it is NULL, the import is not changed */
    void **word;                /* word of the global offset table; NULL if not imported */
};

/* Finds the word of each of the N IMPORTS in MAP. Returns how many imports have one. */
size_t mp_imports_find(const struct link_map *map, struct mp_import *imports, size_t n);

/* Calls REPLACE for each word of MAP that refers to a function or a variable, with the address in the word.
 * Stores the result of REPLACE in the word unless the result is NULL. The word's page keeps its protection. */
void mp_imports_replace(const struct link_map *map, void *(*replace)(void *address));

/* Binds calls in MAP to functions that MAP itself defines directly to these definitions, so that no other object
 * can replace them. Does so only for functions whose names WANTED accepts. */
void mp_imports_bind_own(const struct link_map *map, bool (*wanted)(const char *name));

/* Makes the words of the N IMPORTS refer to `ours` if OURS, and to `theirs` otherwise. */
void mp_imports_set(const struct mp_import *imports, size_t n, int ours);

#endif
