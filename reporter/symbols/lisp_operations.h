/* SPDX-License-Identifier: MIT */
/*
 * lisp_operations.h -- Lisp names for functions of ECL's runtime that have no function object.
 *
 * Compiled code calls ecl_append() for APPEND, and libecl's functions call each other. lisp_operations.def lists them.
 * Such a frame gets its name only if the nearest named frame outwards has another one, so that `*` is shown once for
 * ecl_times() and the functions for bignums that it calls.
 */
#ifndef MP_SYMBOLS_LISP_OPERATIONS_H
#define MP_SYMBOLS_LISP_OPERATIONS_H

#include "reporter/profile/profile.h"

/* Makes constructors of structures functions of the runtime, so that what they make counts for their callers. A
 * function that calls SI:MAKE-STRUCTURE is one if it is defined by a DEFSTRUCT in its source, or is called MAKE- and
 * the name of the structure that it makes. */
void mp_symbols_find_constructors(struct mp_profile *profile);

/* Names the frames of operations in PROFILE, whose frames have their locations. */
void mp_symbols_name_operations(struct mp_profile *profile);

#endif
