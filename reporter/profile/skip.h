/*
 * skip.h -- what allocation wrappers allocate belongs to their callers: after the view, before the
 * tables.
 *
 * A chain loses its innermost functions as long as they are skipped, inlined ones as well; functions
 * further out stay whatever they are.  A chain of skipped functions only keeps the outermost of them.
 * No figure is lost: each is only counted for another function.
 */
#ifndef MP_SKIP_H
#define MP_SKIP_H

#include "profile.h"

struct mp_skip {
    bool wrappers;              /* those of wrappers.h */
    const char *const *patterns;        /* n of them, extended regular expressions: functions whose
                                           name one finds */
    size_t n;
};

/* Can PATTERN be one of them?  If not, *ERROR says why. */
bool mp_skip_is_pattern(const char *pattern, struct mp_error *error);

/* By function of PROFILE: is it one of wrappers.h?  In ARENA. */
bool *mp_skip_wrappers(const struct mp_profile *profile, struct mp_arena *arena);

/* Skip in VIEW, a view of PROFILE, what OPTIONS say.  The view's list of skipped functions is filled,
 * those that allocated most often first.  False and *ERROR: a pattern is none. */
bool mp_skip(struct mp_profile *view, const struct mp_profile *profile, const struct mp_skip *options,
             struct mp_error *error);

#endif
