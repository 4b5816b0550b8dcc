/* SPDX-License-Identifier: MIT */
/*
 * cfi_step.h -- unwinds one step by complete call frame information, with all registers and with expressions. Used
 * for the few rows that no rule covers (rule.h).
 *
 * Such a row may need registers that rules do not follow. To know them, the walk begins in the monitor itself,
 * where all registers are known, and goes outwards frame by frame to the requested frame. For the next such frame
 * of the same chain it continues from there. It costs some hundred nanoseconds per frame, and neither allocates nor
 * locks.
 */
#ifndef MP_CFI_STEP_H
#define MP_CFI_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi_value.h"

/* State of a walk: the frame that it has reached. */
struct mp_cfi_walk {
    bool begun;
    bool fp_lost;               /* the last step could not find the frame pointer */
    bool exact;
    struct mp_cfi_registers at; /* registers of the frame that was reached; unset before the walk has begun */
};

/* Prepares WALK for a new chain. */
static inline void
mp_cfi_begin(struct mp_cfi_walk *walk)
{
    walk->begun = walk->fp_lost = false;
}

/* Replaces *AT, the registers of a frame of the present chain, by its caller's. All calls for a chain use one WALK
 * and go from inner to outer frames. The function that made the first call must not have returned. Returns false if
 * no caller can be found. */
bool mp_cfi_step(struct mp_cfi_walk *walk, struct mp_registers *at);

#endif
