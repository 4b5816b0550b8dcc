/*
 * cfi_step.h -- a step of unwinding by all that the call frame information says: every register, and
 * expressions.  For the few rows that no rule covers (rule.h).
 *
 * The registers that such a row may need are known only from within: the walk begins in the monitor
 * itself, and goes out, frame by frame, to the one that is asked for.  It costs some hundred
 * nanoseconds a frame, and neither allocates nor locks.
 */
#ifndef MP_CFI_STEP_H
#define MP_CFI_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi_value.h"

/* From the frame of the present chain with key *KEY and stack pointer *SP to its caller; *FP: the
 * caller's frame pointer.  False: no caller can be found. */
bool mp_cfi_step(uint64_t *key, uint64_t *sp, uint64_t *fp);

/* The caller's registers from those of a frame, whose return address is in MP_CFI_RA; EXACT: the frame
 * was interrupted there.  *SIGNAL: the frame was made for a signal, so that its caller is EXACT. */
bool mp_cfi_caller(struct mp_cfi_registers *registers, bool exact, bool *signal);

#endif
