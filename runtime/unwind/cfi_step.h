/*
 * cfi_step.h -- a step of unwinding by all that the call frame information says: every register,
 * and expressions.  For the few rows that no rule covers (rule.h).
 *
 * Such a row may need registers that rules do not follow.  To know them, the walk begins in the
 * monitor itself, where all are known, and goes out, frame by frame, to the frame that is asked
 * for; for the next such frame of the same chain it goes on from there.  It costs some hundred
 * nanoseconds a frame, and neither allocates nor locks.
 */
#ifndef MP_CFI_STEP_H
#define MP_CFI_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi_value.h"

/* How far out a chain was walked. */
struct mp_cfi_walk {
    bool begun;
    bool fp_lost;               /* the frame pointer is not known since the last step */
    bool exact;
    struct mp_cfi_registers at; /* no value before it has begun */
};

/* A new chain. */
static inline void
mp_cfi_begin(struct mp_cfi_walk *walk)
{
    walk->begun = walk->fp_lost = false;
}

/* From the frame of the present chain with registers *AT to its caller.  Frames are asked for
 * from the inner to the outer, with one WALK for a chain; the function that called mp_cfi_step()
 * for the first of them has not returned.  False: no caller can be found. */
bool mp_cfi_step(struct mp_cfi_walk *walk, struct mp_registers *at);

#endif
