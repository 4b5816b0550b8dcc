/* lisp_profile.h -- a Lisp program's profile made by hand, for tests of tables. */
#ifndef MP_TEST_LISP_PROFILE_H
#define MP_TEST_LISP_PROFILE_H

#include "reporter/profile/profile.h"

/*
 * 1,000 conses of MAKE-LIST, called by EVENS and ODDS, which call each other: 400 survived once,
 * 300 twice, 100 four times, and 250 of these died later; 50 were not examined.
 * 100 points and 20 lines of MAKE-SHAPES, 8 of 20 lines kept; 10 doubles of *, garbage.
 * Slots of unknown owner, of EVAL.
 */
struct mp_profile *lisp_profile(void);

/* The same with 30 blocks of malloc, 10 of them freed, of which 5 by a C function called by Lisp. */
struct mp_profile *lisp_profile_with_c(void);

#endif
