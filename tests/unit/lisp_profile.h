/* lisp_profile.h -- the profile of a Lisp program, made by hand, for tests of tables. */
#ifndef MP_TEST_LISP_PROFILE_H
#define MP_TEST_LISP_PROFILE_H

#include "reporter/profile/profile.h"

/*
 * Returns the profile of a program with these objects:
 *
 *     1,000 conses    allocated by MAKE-LIST for EVENS and ODDS, which call each other; 400 survived at least one
 *                     collection, 300 two and 100 four; 250 of these died later; 50 were not examined
 *     100 points      allocated by MAKE-SHAPES, all collected
 *     20 lines        allocated by MAKE-SHAPES, of which 8 are kept
 *     10 doubles      allocated by *, all collected
 *     2,000 bytes     of EVAL, whose objects are unknown
 */
struct mp_profile *lisp_profile(void);

/* Returns lisp_profile() with 30 blocks of malloc, of which 10 are freed. Lisp called the C function that allocated 5
 * of them. */
struct mp_profile *lisp_profile_with_c(void);

#endif
/* SPDX-License-Identifier: MIT */
