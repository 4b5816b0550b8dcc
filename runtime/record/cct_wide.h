/*
 * cct_wide.h -- hash table of branches by parent and frame. Each recorder has one, for contexts with many
 * branches.
 *
 * It uses open addressing, and entries are never removed. An entry is a context's id; its parent and frame are
 * read from the slots. Only the recorder's thread uses the table, without a lock. If a signal handler jumps out
 * of a function here, the table keeps its contents.
 */
#ifndef MP_CCT_WIDE_H
#define MP_CCT_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

/* A table of zeros is empty. */
struct mp_cct_wide {
    uint32_t *ids;              /* entries; 0 if free */
    uint32_t used, room;        /* entries in use; maximum number of entries in use */
    uint32_t bits;              /* log2 of the number of entries */
};

/* Returns PARENT's child with FRAME, or 0 if it does not exist. */
uint32_t mp_cct_wide_find(const struct mp_cct_wide *wide, uint32_t parent, uint32_t frame);

/* Enlarges the table, so that at most two thirds of the entries are in use. Returns false if memory is
 * exhausted. */
bool mp_cct_wide_grow(struct mp_cct_wide *wide);

/* Ensures that one more entry fits. Returns false if memory is exhausted. */
MP_INLINE bool
mp_cct_wide_make_room(struct mp_cct_wide *wide)
{
    return MP_LIKELY(wide->used < wide->room) || mp_cct_wide_grow(wide);
}

/* Adds CONTEXT, a branch that is not in the table. mp_cct_wide_make_room() has been called. */
void mp_cct_wide_put(struct mp_cct_wide *wide, uint32_t context);

/* Empties the table and releases its memory. */
void mp_cct_wide_clear(struct mp_cct_wide *wide);

#endif
