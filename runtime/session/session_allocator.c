/* SPDX-License-Identifier: MIT */
/*
 * session_allocator.c -- stores the figures of the program's allocator at the end of the process.
 */
#include "nested.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sys_process.h"
#include "session.h"
#include "session_state.h"

bool
mp_session_wants_held(void)
{
    return mp_options.held;
}

/* Returns false within a signal handler, because the handler may have interrupted the allocator. A handler that has
 * jumped out of the allocator is not detected, but after such a jump the program could not allocate either. */
bool
mp_session_may_ask(const void *frame)
{
    return mp_session_active() && mp_session_is_ours() &&
           mp_store.header->state == MP_STATE_RUNNING && mp_nested_is_alone_at((uintptr_t)frame);
}

void
mp_session_allocator(const struct mp_live_allocator *figures)
{
    const uint64_t resident = mp_sys_memory(MP_MEMORY_RESIDENT);
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active() && mp_session_is_ours()) {
        mp_store.header->allocator = *figures;
        mp_store.header->allocator.resident = resident;
    }
    mp_gate_unlock(&hold);
}
