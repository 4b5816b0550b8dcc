/* SPDX-License-Identifier: MIT */
/*
 * layout.h -- finds the layout of this ECL's objects, and verifies it on objects with known contents.
 *
 * No version numbers are compared, because builds with the same number differ. The size of a symbol is the distance
 * between the first two of ECL's own symbols, whose names are known. The places of a symbol's members follow from this
 * size (member_places.h). As soon as ECL has filled its own symbols, their names, packages and property lists are
 * verified, and the sizes of the objects that names are read from. Nothing is named before. A thread's environment must
 * agree with a column of environments.def. When ECL has started, further objects with known contents are compared with
 * objects.h, once.
 */
#ifndef MP_LISP_LAYOUT_H
#define MP_LISP_LAYOUT_H

#include "ecl.h"

/* Fills mp_ecl.known and the size of symbols. Called after mp_ecl_find(). */
void mp_layout_open(void);

/* Verifies the parts of the layout that are not verified yet and can be verified now. A part that proves wrong counts
 * as unknown from then on, and reports mention that. */
void mp_layout_check_now(void);
extern bool mp_layout_checked;
static inline void
mp_layout_check(void)
{
    if (!mp_layout_checked && mp_ecl.known)
        mp_layout_check_now();
}

/* Returns whether symbols were verified by now, so that names can be read. */
static inline bool
mp_layout_has_symbols(void)
{
    mp_layout_check();
    return __atomic_load_n(&mp_ecl.symbols_known, __ATOMIC_ACQUIRE);
}

/* Returns whether SIZE, as returned by libecl, may be the size of TYPE's objects. Returns true if the layout does not
 * have the size of TYPE, which may be a type that mprof does not know. */
bool mp_layout_has_size(cl_type type, size_t size);

/* Marks the layout as wrong. Types and names are unknown from then on. */
void mp_layout_refuse(void);

#endif
