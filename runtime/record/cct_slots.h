/* SPDX-License-Identifier: MIT */
/*
 * cct_slots.h -- reads contexts in the live file: runs of slots, see MP_CONTEXT_RUN.
 *
 * A thread may ask about any context that it knows, because a written slot never changes.
 */
#ifndef MP_CCT_SLOTS_H
#define MP_CCT_SLOTS_H

#include "runtime/store/store.h"

/* Flag in a context's link (mp_store.context_links). With the flag, the link refers to the context's newest cell
 * (id_table.h). Without it, the link refers to the first branch (cct.c), or is 0 if the context has neither.
 * Only the thread of the context's recorder reads and writes the link. */
#define MP_CCT_CELL 0x80000000u

/* Returns the id of CONTEXT's frame, or 0 for the root. */
MP_INLINE uint32_t
mp_cct_frame(uint32_t context)
{
    return mp_store.contexts[context];
}

/* Returns whether FRAME is in the monitor's own code. */
MP_INLINE bool
mp_cct_is_own(uint32_t frame)
{
    return mp_store.frame_starts[frame] == MP_OWN_FUNCTION;
}

/* Returns the parent of CONTEXT, which is not the root. Returns 0 if the parent is the root. */
MP_INLINE uint32_t
mp_cct_parent(uint32_t context)
{
    const uint32_t before = mp_store.contexts[context - 1];

    return before & MP_CONTEXT_RUN ? before & ~MP_CONTEXT_RUN : context - 1;
}

/* Returns the cell that CONTEXT is linked to, or 0 if it is not linked. CONTEXT is not the root. */
MP_INLINE uint32_t
mp_cct_cell(uint32_t context)
{
    const uint32_t link = mp_store.context_links[context];

    return link & MP_CCT_CELL ? link & ~MP_CCT_CELL : 0;
}

#endif
