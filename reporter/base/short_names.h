/* SPDX-License-Identifier: MIT */
/*
 * short_names.h -- shortens names of functions by omitting arguments that are not needed to distinguish them.
 *
 *     std::map<int, std::less<int>, std::allocator<int> >::insert      std::map<...>::insert
 *
 * If several functions would get the same short name, it keeps the arguments that distinguish them, as short as
 * possible: `std::vector<int, ...>::push_back` and `std::vector<long, ...>::push_back`. A list of parameters is
 * either kept or omitted as a whole. A list that is not longer than <...> is kept.
 */
#ifndef MP_SHORT_NAMES_H
#define MP_SHORT_NAMES_H

#include "arena.h"

/* Returns the short forms of N names, in the same order, in ARENA. A name that cannot be shortened is returned
 * as it is. Different names have different forms, and equal names equal ones. */
const char **mp_short_names(const char *const names[], uint32_t n, struct mp_arena *arena);

/* Returns NAME with <...> for each list of arguments and without parameters, regardless of other names. */
const char *mp_short_name(const char *name, struct mp_arena *arena);

#endif
