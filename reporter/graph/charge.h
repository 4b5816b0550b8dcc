/* SPDX-License-Identifier: MIT */
/*
 * charge.h -- sums of allocations by the function that a programmer would hold responsible.
 *
 * In Lisp that is seldom the innermost function, because MAKE-INSTANCE, MAPCAR and COPY-SEQ belong to the
 * runtime and allocate on behalf of their callers. An object is charged to the innermost function on its chain
 * that does not belong to the runtime. If all functions belong to the runtime, it is charged to the innermost one.
 */
#ifndef MP_CHARGE_H
#define MP_CHARGE_H

#include "reporter/profile/profile.h"

struct mp_charge_options {
    bool by_kind;               /* make a row for each kind of object, too */
    bool raw;                   /* always charge the innermost function */
    bool callers;               /* also list the functions that are charged with nothing but called others */
    enum mp_sort sort;
};

struct mp_charge {
    uint32_t function;
    uint32_t kind;              /* kind of object, or 0 for all kinds */
    struct mp_counts counts;
    uint64_t short_bytes;       /* bytes of short-lived blocks, where lifetimes were recorded (lifetimes.h) */
};

/* The charges, largest first, in an arena. */
struct mp_charges {
    struct mp_charge *list;
    uint32_t n;
    struct mp_counts total;
};

/* Returns whether FRAME's function may be charged. A frame does not show whether it only starts the program; the
 * caller must exclude such frames. */
bool mp_charge_is_users(const struct mp_profile *profile, const struct mp_frame *frame);

/* Sums the cells of PROFILE, a view, by charged function. The list is in ARENA. */
struct mp_charges mp_charge(const struct mp_profile *profile,
                            const struct mp_charge_options *options, struct mp_arena *arena);

#endif
