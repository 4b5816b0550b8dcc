/*
 * code.h -- what is known of a code address on a chain: its rule and its frame (code_table.h).
 */
#ifndef MP_CODE_H
#define MP_CODE_H

#include "code_table.h"

/* The entry of a KEY that the table has not: made now.  Takes the gate's lock.  What a damaged
 * stack holds may be any number: only those who made KEY themselves may say that it is
 * INTERPRETED. */
const struct mp_code *mp_code_add(uint64_t key, bool interpreted);

/* The entry of KEY, made if need be; never NULL. */
MP_INLINE const struct mp_code *
mp_code_find(uint64_t key)
{
    const struct mp_code *code = mp_code_look_up(key);

    return MP_LIKELY(code != NULL) ? code : mp_code_add(key, false);
}

/* The same for a key that mp_code_interpreted() gave. */
MP_INLINE const struct mp_code *
mp_code_find_interpreted(uint64_t key)
{
    const struct mp_code *code = mp_code_look_up(key);

    return MP_LIKELY(code != NULL) ? code : mp_code_add(key, true);
}

/* Is KEY in the code that returns from a signal handler?  The next address was interrupted, not
 * called. */
bool mp_code_is_signal_return(uint64_t key);

/* KEY has no unwind information: is there an object now where it was generated code?  Then its
 * addresses are forgotten, and the chain is to be captured anew.  Takes the gate's lock if so. */
bool mp_code_look_again(uint64_t key);

/* The code of module MODULE is gone: its addresses may come to mean something else.  Lock held. */
void mp_code_forget(uint32_t module);

/* A new file begins.  0 or -ENOMEM.  Lock held. */
int mp_code_reset(void);

#endif
