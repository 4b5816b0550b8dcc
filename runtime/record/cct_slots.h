/*
 * cct_slots.h -- contexts as the live file has them: runs of slots, see MP_CONTEXT_RUN.
 *
 * Any thread may ask about a context that it knows: a slot, once written, is never changed.
 */
#ifndef MP_CCT_SLOTS_H
#define MP_CCT_SLOTS_H

#include "runtime/store/store.h"

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

#endif
