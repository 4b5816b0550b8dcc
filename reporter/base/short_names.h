/*
 * short_names.h -- names of functions without the arguments that nobody needs to tell them apart.
 *
 *     std::map<int, std::less<int>, std::allocator<int> >::insert      std::map<...>::insert
 *
 * Of functions that would have one short name, those arguments stay that are needed, and as short as
 * that goes: `std::vector<int, ...>::push_back` and `std::vector<long, ...>::push_back`.  A list of
 * parameters is left out whole.  A list that is no longer than <...> stays what it is.
 */
#ifndef MP_SHORT_NAMES_H
#define MP_SHORT_NAMES_H

#include "arena.h"

/* Short forms of N names, in the same order, in ARENA; names that have none are themselves.  Different
 * names have different forms, equal names equal ones. */
const char **mp_short_names(const char *const names[], uint32_t n, struct mp_arena *arena);

/* NAME with <...> for each list of arguments and without parameters, as if there were no other. */
const char *mp_short_name(const char *name, struct mp_arena *arena);

#endif
