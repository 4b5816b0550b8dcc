/* SPDX-License-Identifier: MIT */
/*
 * rule.h -- one step of unwinding, encoded in 32 bits.
 *
 * A rule computes the caller's stack pointer (the CFA), frame pointer and return address from the registers of a
 * frame. Four forms cover more than 99.9 % of the rows of real programs. All others are MP_RULE_IRREGULAR, see
 * cfi_step.h.
 *
 *     bits 0-2    enum mp_rule_kind
 *     bits 3-18   the kind's offset, in units of 8 bytes
 *     bits 19-30  n, if the caller's frame pointer is saved at CFA - 8 * n; 0 if it is not saved
 *     bit 31      MP_RULE_INTERPRETER (code.c sets it)
 */
#ifndef MP_RULE_H
#define MP_RULE_H

#include <stdint.h>

#include "runtime/compiler.h"

enum mp_rule_kind {
    MP_RULE_FP_UNPROVED = 0,    /* like MP_RULE_FP, but known from the code's instructions only (startup.h) */
    MP_RULE_SP,                 /* CFA = sp + offset */
    MP_RULE_FP,                 /* CFA = fp + offset */
    MP_RULE_FP_DEREF,           /* CFA = *(fp - offset), fp saved at *fp; for realigned stacks */
    MP_RULE_SIGNAL,             /* the frame that the kernel makes for a signal handler */
    MP_RULE_END,                /* outermost frame, without a return address */
    MP_RULE_IRREGULAR,          /* cfi_step.h makes the step */
    MP_RULE_MISSING             /* no unwind information; the chain is cut here */
};

#define MP_RULE_KIND 7u                 /* mask of the kind in a rule */

/* Flag of MP_RULE_END, set if the frame is known as outermost by its instructions only (mp_startup_is_first()). */
#define MP_RULE_LEFT_OUT (1u << 3)

/* The frame belongs to a language's interpreter, and represents the function that it runs. */
#define MP_RULE_INTERPRETER (1u << 31)

#define MP_RULE_MAX_SAVED_FP 0xfff      /* in units of 8 bytes */

/* The offset and the saved frame pointer of a function that begins with push rbp; mov rbp, rsp. */
#define MP_RULE_FRAME_POINTER (2u << 3 | 2u << 19)

MP_INLINE enum mp_rule_kind
mp_rule_kind(uint32_t rule)
{
    return (enum mp_rule_kind)(rule & MP_RULE_KIND);
}

MP_INLINE uint64_t
mp_rule_offset(uint32_t rule)
{
    return (uint64_t)(rule & 0x7fff8);          /* bits 3-18 are the offset / 8, times 8 */
}

/* Returns the distance in bytes of the saved frame pointer below the CFA, or 0 if it is not saved. */
MP_INLINE uint64_t
mp_rule_saved_fp(uint32_t rule)
{
    return (uint64_t)(rule >> 19 & MP_RULE_MAX_SAVED_FP) << 3;
}

struct mp_cfi_row;              /* eh_frame.h */
struct mp_eh_object;

/* Returns the rule that encodes ROW, or MP_RULE_IRREGULAR if no rule can. */
uint32_t mp_rule_compress(const struct mp_cfi_row *row);

/* Returns the rule for the code at PC in OBJECT. Sets *START to the start of its function, or to 0 if that is
 * unknown. */
uint32_t mp_rule_find(const struct mp_eh_object *object, uintptr_t pc, uintptr_t *start);

#endif
