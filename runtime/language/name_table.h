/*
 * name_table.h -- what is known of a language's functions, by the address where their code starts.
 *
 * The gate's lock is held for all of these.  Entries move when one is added.
 */
#ifndef MP_NAME_TABLE_H
#define MP_NAME_TABLE_H

#include <stdint.h>

#include "name.h"

/* A function that has a name, or (text NULL) one that was met on a chain and still has none. */
struct mp_name_entry {
    uintptr_t start;            /* 0: free */
    const char *text, *file;
    int64_t position;
    uintptr_t outer;            /* as in struct mp_function_name */
    uint32_t flags;
    uint32_t record;            /* in the present file, 0: not yet */
    bool met;                   /* on a chain of the present file */
    uint32_t copies;            /* frame that has the name for copies, see name_copies.h; 0: none */

    /* Functions that the compiler made one (mp_name_twin()); 0: none. */
    uintptr_t kept;             /* the one whose code is also this one's */
    uintptr_t twins, next;      /* the first of those whose code this is; the next twin of `kept` */
    enum mp_twin how;           /* in what way this is a twin of `kept` */
};

/* The entry of START, or a free one, which is not to be written to. */
struct mp_name_entry *mp_name_entry_at(uintptr_t start);

/* The entry of START, made if need be; NULL: no memory. */
struct mp_name_entry *mp_name_entry_of(uintptr_t start);

/* All entries, and where they end; free ones are among them. */
struct mp_name_entry *mp_name_entries(struct mp_name_entry **end);

/* A copy of TEXT that is never freed; NULL: no memory, or TEXT is NULL. */
const char *mp_name_keep(const char *text);

#endif
