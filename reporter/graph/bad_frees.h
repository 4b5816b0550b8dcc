/* SPDX-License-Identifier: MIT */
/* bad_frees.h -- texts of faulty frees (struct mp_bad_frees), and the call chains to which they belong. */
#ifndef MP_BAD_FREES_H
#define MP_BAD_FREES_H

#include "node_chain.h"

/* Texts of a kind of faulty free. `text` describes the freed memory, as in "of memory that was freed already". */
struct mp_bad_free_text {
    const char *key, *label, *text;
};
extern const struct mp_bad_free_text mp_bad_free_texts[MP_BAD_FREES];

/* Returns the kind of PLACE, with its chain if that is known, as "of addresses within a block: main > f (a.c:3)", in
 * ARENA. */
const char *mp_bad_free_place(const struct mp_bad_frees *frees, const struct mp_bad_free *place,
                              struct mp_arena *arena);

#endif
