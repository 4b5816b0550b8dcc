/*
 * cct_slots.h -- contexts as the live file has them: runs of slots, see MP_CONTEXT_RUN.
 *
 * Any thread may ask about a context that it knows: a slot, once written, is never changed.
 */
#ifndef MP_CCT_SLOTS_H
#define MP_CCT_SLOTS_H

#include "runtime/store/store.h"

/* Beside each context is a link: to its first branch, see cct.c, or with this bit to its newest cell, see
 * cell_table.h; 0: it has neither.  Only the thread of the context's recorder reads and writes it. */
#define MP_CCT_CELL 0x80000000u

/* The id of CONTEXT's frame; 0 for the root, 0. */
MP_INLINE uint32_t
mp_cct_frame(uint32_t context)
{
    return mp_store.contexts[context];
}

/* The context, which is not the root, that called CONTEXT's frame; 0: none. */
MP_INLINE uint32_t
mp_cct_parent(uint32_t context)
{
    const uint32_t before = mp_store.contexts[context - 1];

    return before & MP_CONTEXT_RUN ? before & ~MP_CONTEXT_RUN : context - 1;
}

/* The cell that CONTEXT, not the root, is linked to; 0: none. */
MP_INLINE uint32_t
mp_cct_cell(uint32_t context)
{
    const uint32_t link = mp_store.context_links[context];

    return link & MP_CCT_CELL ? link & ~MP_CCT_CELL : 0;
}

#endif
