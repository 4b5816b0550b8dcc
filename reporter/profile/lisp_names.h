/*
 * lisp_names.h -- what the functions of a language's runtime are shown as.
 *
 * A name is one function's if it has one file, or none that is known: defined anew it is still the
 * same to its programmer.  Of several files it is shown with what tells them apart: "FOO (a.lisp)",
 * "FOO (new/a.lisp)".  What has no name of its own has its place in it: "(LAMBDA (X)) of a.lisp:12",
 * "top-level forms of a.fas".
 */
#ifndef MP_REPORTER_LISP_NAMES_H
#define MP_REPORTER_LISP_NAMES_H

#include "profile.h"

struct mp_lisp_names {
    const char **texts;         /* of each of the profile's names; equal ones are one function */
    const char **problems;      /* source files whose lines were wanted and cannot be told, and why */
    uint32_t n_problems;
};

/* The texts of PROFILE's names, in ARENA.  PLACES: every name with its place, "FOO (a.lisp:12)". */
struct mp_lisp_names mp_lisp_names(const struct mp_profile *profile, bool places,
                                   struct mp_arena *arena);

#endif
