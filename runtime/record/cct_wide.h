/*
 * cct_wide.h -- branches of wide contexts of one recorder, found by parent and frame.
 *
 * Open addressing; nothing is ever taken out.  An entry is the context's id: its parent and frame
 * stand in the slots.  Only the recorder's thread uses it, without a lock; a signal handler may
 * jump out of any function here and leaves a table that holds what it held.
 */
#ifndef MP_CCT_WIDE_H
#define MP_CCT_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

/* All zero: empty. */
struct mp_cct_wide {
    uint32_t *ids;              /* 0: free */
    uint32_t used, room;        /* entries that are not free; that may be */
    uint32_t bits;              /* log2 of how many there are */
};

/* The branch FRAME of PARENT; 0: none. */
uint32_t mp_cct_wide_find(const struct mp_cct_wide *wide, uint32_t parent, uint32_t frame);

/* More entries, so that at most two of three are used; false: no memory. */
bool mp_cct_wide_grow(struct mp_cct_wide *wide);

/* Room for one more; false: no memory. */
MP_INLINE bool
mp_cct_wide_make_room(struct mp_cct_wide *wide)
{
    return MP_LIKELY(wide->used < wide->room) || mp_cct_wide_grow(wide);
}

/* CONTEXT is a branch that is not there.  mp_cct_wide_make_room() was called before. */
void mp_cct_wide_put(struct mp_cct_wide *wide, uint32_t context);

/* Give its memory back: it is empty. */
void mp_cct_wide_clear(struct mp_cct_wide *wide);

#endif
