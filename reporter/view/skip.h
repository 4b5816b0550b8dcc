/* SPDX-License-Identifier: MIT */
/*
 * skip.h -- removes allocation wrappers from chains, so that their allocations count for their callers. It is
 * the last step of mp_view(), see view.h.
 *
 * A chain loses its innermost functions, inlined ones included, up to the first that is not skipped. Functions
 * further out are kept, whatever they are. If all functions of a chain are skipped, the outermost one is kept.
 * No figure is lost: each is counted for another function.
 */
#ifndef MP_SKIP_H
#define MP_SKIP_H

#include <stdbool.h>
#include <stddef.h>

#include "reporter/profile/profile.h"

struct mp_skip {
    bool wrappers;              /* skip the functions of mp_wrappers */
    bool runtime;               /* skip named functions of a language's runtime: CAR, SI:..., methods of CLOS */
    const char *const *patterns;        /* n extended regular expressions; functions whose name matches one are
                                           skipped */
    size_t n;
    bool by_name_only;          /* not those that behave like wrappers, which may be others in another recording */
};

/* Returns whether PATTERN is a valid pattern. If not, fills *ERROR. */
bool mp_skip_is_pattern(const char *pattern, struct mp_error *error);

/* Returns, for each function of PROFILE, whether it is in mp_wrappers. The result is in ARENA. */
bool *mp_skip_wrappers(const struct mp_profile *profile, struct mp_arena *arena);

/* Skips functions in VIEW, a view of PROFILE, by OPTIONS. PROFILE is WHOLE or a part of it; WHOLE decides which
 * functions behave like wrappers. Fills the view's list of skipped functions, sorted by number of allocations, most
 * first. Returns false and fills *ERROR if a pattern is invalid. */
bool mp_skip(struct mp_profile *view, const struct mp_profile *profile, const struct mp_profile *whole,
             const struct mp_skip *options, struct mp_error *error);

/* ---------------------------------------------------------------- known wrappers */

/* Names of functions that only pass requests on to an allocator, in any program: xmalloc, operator new, g_malloc ...
 * This is the only such list. It ends with NULL. The names have no parameters, and <...> for template arguments, as
 * mp_function_bare_name() writes them. */
extern const char *const mp_wrappers[];

#endif
