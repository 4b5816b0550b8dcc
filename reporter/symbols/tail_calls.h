/* SPDX-License-Identifier: MIT */
/*
 * tail_calls.h -- restores the functions that tail calls removed from call chains.
 *
 * A tail call jumps to a function, whose frame then replaces that of the calling function. The function that was
 * entered first is known nevertheless, because its address is part of the call instruction before the return address.
 * The functions between it and the next inner frame are restored if exactly one path of tail calls connects them. If
 * the next inner frame is in another module, or if the chain ends there because an allocation function was called, then
 * the path leads to the only tail call that leaves the module.
 *
 * The path is certain only if all tail calls are known of each function that can be reached. These are the jumps in
 * its code that leave it. Its debug information must also state that it describes all tail calls. Nothing is restored
 * if a reachable function jumps to an unknown address, or if the tail calls form a cycle. Functions with names from a
 * language's runtime are left alone. Machine code is decoded only for x86-64.
 */
#ifndef MP_SYMBOLS_TAIL_CALLS_H
#define MP_SYMBOLS_TAIL_CALLS_H

#include "binary.h"
#include "collected.h"

struct mp_tail_calls;

/* Lists the calls of PROFILE. FIRST contains for each module the first one of the same file. Everything is in ARENA. */
struct mp_tail_calls *mp_tail_calls_new(struct mp_profile *profile, const uint32_t *first, struct mp_arena *arena);

/* Finds the functions that tail calls removed between the COUNT FRAMES, which are all calls in BINARY's module, and the
 * next inner frames. Appends their frames to the profile. A frame's address is that of its tail call. */
void mp_tail_calls_find(struct mp_tail_calls *calls, struct mp_binary *binary, const struct mp_symbol_frame *frames,
                        uint32_t count);

/* Inserts the frames that were found into the chains of the profile. Must be called at the end. */
void mp_tail_calls_insert(struct mp_tail_calls *calls);

#endif
