/* SPDX-License-Identifier: MIT */
/*
 * lisp_names.h -- the names shown for functions of a language's runtime.
 *
 * Definitions with one name are shown as one function if they come from one file or their file is unknown,
 * because a redefined function is the same function to its programmer. If several files define it, the file is
 * added, with as much of its path as is needed: "FOO (a.lisp)", "FOO (new/a.lisp)". A function without a name
 * gets its location as a name: "(LAMBDA (X)) of a.lisp:12", "top-level forms of a.fas".
 */
#ifndef MP_REPORTER_LISP_NAMES_H
#define MP_REPORTER_LISP_NAMES_H

#include "reporter/profile/profile.h"

struct mp_lisp_names {
    const char **texts;         /* text of each of the profile's names; names with equal texts are one function */
    const char **problems;      /* source files whose line numbers were needed but are unavailable, with the reason */
    uint32_t n_problems;
};

/* Returns the texts of PROFILE's names, in ARENA. If PLACES, every text has a location: "FOO (a.lisp:12)". */
struct mp_lisp_names mp_lisp_names(const struct mp_profile *profile, bool places,
                                   struct mp_arena *arena);

#endif
