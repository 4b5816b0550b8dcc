/* SPDX-License-Identifier: MIT */
/*
 * code.h -- finds the rule and the frame of a code address on a chain (code_table.h).
 */
#ifndef MP_CODE_H
#define MP_CODE_H

#include "code_table.h"

/* Makes the entry of KEY, which is not in the table. Takes the lock. INTERPRETED means that KEY is an interpreted
 * function's. It may be true only if the caller made KEY itself, because a damaged stack may contain any number. */
const struct mp_code *mp_code_add(uint64_t key, bool interpreted);

/* Returns the entry of KEY, and makes it if necessary. Never returns NULL. */
MP_INLINE const struct mp_code *
mp_code_find(uint64_t key)
{
    const struct mp_code *code = mp_code_look_up(key);

    return MP_LIKELY(code != NULL) ? code : mp_code_add(key, false);
}

/* Returns the entry of a KEY that mp_code_interpreted() returned, and makes it if necessary. Never returns NULL. */
MP_INLINE const struct mp_code *
mp_code_find_interpreted(uint64_t key)
{
    const struct mp_code *code = mp_code_look_up(key);

    return MP_LIKELY(code != NULL) ? code : mp_code_add(key, true);
}

/* Returns whether KEY is code that returns from a signal handler. If so, the next address on the chain was
 * interrupted and not called. */
bool mp_code_is_signal_return(uint64_t key);

/* Returns whether the code at KEY is known to have no caller. */
bool mp_code_is_outermost(uint64_t key);

/* Returns whether nothing is known about the caller of the code at KEY. */
bool mp_code_is_unknown(uint64_t key);

/* Checks whether an object has been loaded where generated code without unwind information was. KEY has no unwind
 * information. If so, forgets the addresses and returns true, and the chain must be captured again. Takes the lock
 * in that case. */
bool mp_code_look_again(uint64_t key);

/* Forgets the code of MODULE, which is gone, because its addresses may be used again. Lock held. */
void mp_code_forget(uint32_t module);

/* Empties the table when a new file begins. Returns 0 or -ENOMEM. Lock held. */
int mp_code_reset(void);

#endif
