/*
 * imports.h -- what an ELF object of the process imports, and putting something else in its place.
 *
 * A call of another object's function goes through a word of the caller's global offset table.
 * Words are changed at once and can be put back at any time.
 */
#ifndef MP_IMPORTS_H
#define MP_IMPORTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

struct mp_import {
    const char *name;
    void *ours;                 /* what is called instead */
    void *theirs;               /* what was called before; filled by mp_imports_find() */
    void **word;                /* NULL: not imported */
};

/* Find the words of IMPORTS in MAP, and what the names mean there; the number found.  Names are
 * looked up with dlsym(HANDLE). */
size_t mp_imports_find(const struct link_map *map, void *handle, struct mp_import *imports,
                       size_t n);

/* Calls REPLACE with the address in each word of MAP that refers to a function or a variable.  What it returns,
 * unless that is NULL, is put into the word, whose page keeps its protection. */
void mp_imports_replace(const struct link_map *map, void *(*replace)(void *address));

/* Binds the calls by MAP of functions that it defines itself to these definitions, whose names are WANTED. */
void mp_imports_bind_own(const struct link_map *map, bool (*wanted)(const char *name));

/* Let the words lead to OURS (true) or THEIRS. */
void mp_imports_set(const struct mp_import *imports, size_t n, int ours);

#endif
