/* SPDX-License-Identifier: MIT */
/*
 * better_names.h -- better names for a profile that has names already, from files that were not found before.
 *
 * The frames of a module get the names of its file where these are better: a name instead of none, or a line instead of
 * none. All other frames keep their names.
 */
#ifndef MP_SYMBOLS_BETTER_NAMES_H
#define MP_SYMBOLS_BETTER_NAMES_H

#include "collected.h"

/* Returns for each module whether its file may give better names: a frame of the module has no name, or the user asked
 * for better names and no frame of the module has a line. FIRST has, by module, the first module of the same file.
 * Returns NULL if this is true for no module. */
bool *mp_better_modules(const struct mp_profile *profile, const uint32_t *first, struct mp_arena *arena);

/* Fills SYMBOLISER with the functions and locations of its profile. */
void mp_better_begin(struct mp_symboliser *symboliser);

/* Returns whether ANSWER, which may be NULL, has a better name or line than FRAME. */
bool mp_better_is(const struct mp_profile *profile, const struct mp_frame *frame, const struct mp_answer *answer,
                  const struct mp_answers *answers);

/* Returns whether FRAME of PROFILE, which has names, has one. */
bool mp_better_has_name(const struct mp_profile *profile, const struct mp_frame *frame);

/* Removes the locations and functions that no frame of PROFILE has any more, and unites equal functions. */
void mp_better_end(struct mp_profile *profile);

#endif
