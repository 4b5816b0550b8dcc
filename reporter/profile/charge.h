/*
 * charge.h -- what was allocated, by the function that its programmer would call to account.
 *
 * In Lisp that is seldom the innermost: MAKE-INSTANCE, MAPCAR and COPY-SEQ are the runtime's own, and
 * do what they were told.  An object is charged to the innermost function on its chain that is not
 * the runtime's own; to the innermost of all where there is no such function.
 */
#ifndef MP_CHARGE_H
#define MP_CHARGE_H

#include "profile.h"

struct mp_charge_options {
    bool by_kind;               /* a row for each kind of object, too */
    bool raw;                   /* charge the innermost functions, whichever they are */
    enum mp_sort sort;
};

struct mp_charge {
    uint32_t function;
    uint32_t kind;              /* 0: all */
    struct mp_counts counts;
    uint64_t short_bytes;       /* of blocks that lived a short time, see lifetimes.h, where that is known */
};

/* In ARENA, sorted: those with most come first. */
struct mp_charges {
    struct mp_charge *list;
    uint32_t n;
    struct mp_counts total;
};

/* Is FRAME's function to be charged?  What starts the program is not, which a frame does not tell. */
bool mp_charge_is_users(const struct mp_profile *profile, const struct mp_frame *frame);

/* PROFILE is a view. */
struct mp_charges mp_charge(const struct mp_profile *profile,
                            const struct mp_charge_options *options, struct mp_arena *arena);

#endif
