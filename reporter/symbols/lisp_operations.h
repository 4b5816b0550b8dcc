/* SPDX-License-Identifier: MIT */
/*
 * lisp_operations.h -- Lisp names for functions of ECL's runtime that have no function object.
 *
 * Compiled code calls ecl_append() for APPEND, and libecl's functions call each other. lisp_operations.def lists these
 * functions with their Lisp names. A frame of such a function gets the Lisp name only if the nearest named frame
 * outwards has another name. So `*` is shown once for ecl_times() and the functions for bignums that it calls.
 */
#ifndef MP_SYMBOLS_LISP_OPERATIONS_H
#define MP_SYMBOLS_LISP_OPERATIONS_H

#include "reporter/profile/profile.h"

/* Marks constructors of structures as functions of the runtime, so that the structures count for the constructors'
 * callers. A function that calls SI:MAKE-STRUCTURE is a constructor if a DEFSTRUCT in its source defines it, or if its
 * name is MAKE- and the name of the structure that it makes. */
void mp_symbols_find_constructors(struct mp_profile *profile);

/* Names the frames of operations in PROFILE, whose frames have their locations. */
void mp_symbols_name_operations(struct mp_profile *profile);

#endif
