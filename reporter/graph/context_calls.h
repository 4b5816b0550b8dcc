/* SPDX-License-Identifier: MIT */
/* context_calls.h -- the calls on the chain of a context of a profile that is no view. */
#ifndef MP_CONTEXT_CALLS_H
#define MP_CONTEXT_CALLS_H

#include "node_chain.h"

/* Returns the calls that lead to CONTEXT of PROFILE, outermost call first, without the callers of main. n is 0 if the
 * chain is unknown. The list is in ARENA. */
struct mp_calls mp_context_calls(const struct mp_profile *profile, uint32_t context, struct mp_arena *arena);

/* Returns the text of a call, as "f (a.c:3)", in ARENA. */
const char *mp_context_call(const struct mp_calls *calls, uint32_t i, struct mp_arena *arena);

#endif
