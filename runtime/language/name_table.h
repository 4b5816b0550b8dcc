/* SPDX-License-Identifier: MIT */
/*
 * name_table.h -- a hash table of a language's functions, by the start address of their code.
 *
 * Callers hold the gate's lock. Adding an entry may move all entries.
 */
#ifndef MP_NAME_TABLE_H
#define MP_NAME_TABLE_H

#include <stdint.h>

#include "name.h"

/* A function. If `text` is NULL, its code was found on a chain, but it has no name yet. */
struct mp_name_entry {
    uintptr_t start;            /* 0 if the entry is free */
    const char *text, *file;
    int64_t position;
    uintptr_t outer;            /* as in struct mp_function_name */
    uint32_t flags;
    uint32_t record;            /* name record in the present file; 0 if not written yet */
    bool met;                   /* its code was found on a chain of the present file */
    uintptr_t body;             /* function to which this one only passes calls on; 0 if none */
    uint32_t copies;            /* frame with the name for inlined copies (name_copies.h); 0 if not made */

    /* Functions that the compiler merged because their code is identical (mp_name_twin()); 0 means none. */
    uintptr_t kept;             /* the function whose code is also this one's */
    uintptr_t twins, next;      /* `twins` begins the list of the functions that share this one's code; `next` is the
                                   next function in the list of `kept` */
    enum mp_twin how;           /* how this function shares the code of `kept` */
};

/* Returns the entry of START, or a free entry, which must not be written to. */
struct mp_name_entry *mp_name_entry_at(uintptr_t start);

/* Returns the entry of START, and makes it if necessary. Returns NULL if there is no memory. */
struct mp_name_entry *mp_name_entry_of(uintptr_t start);

/* Returns the first entry and puts the end of all entries into *END. Some entries between them are free. */
struct mp_name_entry *mp_name_entries(struct mp_name_entry **end);

/* Returns a copy of TEXT that is never freed, or NULL if there is no memory or TEXT is NULL. */
const char *mp_name_keep(const char *text);

#endif
