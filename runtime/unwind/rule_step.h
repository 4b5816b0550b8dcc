/* SPDX-License-Identifier: MIT */
/*
 * rule_step.h -- steps from a frame to its caller by the frame's rule (rule.h).
 */
#ifndef MP_RULE_STEP_H
#define MP_RULE_STEP_H

#include <stdbool.h>

#include "cfi_step.h"
#include "machine.h"
#include "rule.h"
#include "runtime/compiler.h"
#include "runtime/format.h"
#include "stack_word.h"

/* State of one walk along a chain. */
struct mp_rule_walk {
    struct mp_stack_read *read; /* memory of the stack on which the walk began */
    uint64_t high;              /* end of the memory that the walk may read without asking the kernel first */
    unsigned jumps;             /* number of changes of the stack so far */
    const uint64_t *word;       /* the zero word in place of a return address that cut the chain; NULL if
                                   something else ended it */
    uint32_t mark;              /* reason why the chain is cut, or 0 */
    bool again;                 /* the code table was wrong; the chain must be captured again */
    struct mp_cfi_walk *cfi;    /* state of the walk through irregular frames */
};

/* Begins WALK at a frame with SP, on a stack of which READ was read before. CFI is memory for the walk. */
MP_INLINE void
mp_rule_begin(struct mp_rule_walk *walk, uint64_t sp, struct mp_stack_read *read, struct mp_cfi_walk *cfi)
{
    *walk = (struct mp_rule_walk){ .read = read, .high = mp_stack_begin(read, sp), .cfi = cfi };
    mp_cfi_begin(cfi);
}

/* Cuts the chain here for lack of a rule. Returns false. */
MP_INLINE bool
mp_rule_cut(struct mp_rule_walk *walk)
{
    walk->mark = MP_FRAME_CUT_NO_RULE;
    return false;
}

/* Returns whether the frame at SP can have CFA, which is far from SP or beyond walk->high, and whether its return
 * address and the saved fp, at CFA - SAVED_FP, can be read. SAVED_FP is 0 if fp is not saved. */
bool mp_rule_plausible(struct mp_rule_walk *walk, uint64_t sp, uint64_t cfa, uint64_t saved_fp);

/* Cuts the chain at a frame whose return address, below CFA, is 0 or cannot be read. Returns false. */
bool mp_rule_end(struct mp_rule_walk *walk, uint64_t cfa);

/* Makes a step by a rule other than the two common ones. */
bool mp_rule_step_special(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk);

/* Replaces *AT, the registers of a frame, by its caller's. Returns false if the frame has no caller or the chain
 * is cut here. */
MP_INLINE bool
mp_rule_step(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    uint64_t saved_fp = mp_rule_saved_fp(rule), cfa;

    if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_SP)) {
        cfa = at->sp + mp_rule_offset(rule);
    } else if (MP_LIKELY(mp_rule_kind(rule) == MP_RULE_FP)) {
        cfa = at->fp + mp_rule_offset(rule);
    } else {
        struct mp_registers copy = *at; /* so that *AT can stay in registers */
        bool more = mp_rule_step_special(&copy, rule, walk);

        *at = copy;
        return more;
    }
    if (MP_UNLIKELY(cfa - at->sp - MP_MACHINE_RETURN >= MP_PLAUSIBLE_FRAME || cfa > walk->high) &&
        !mp_rule_plausible(walk, at->sp, cfa, saved_fp))
        return mp_rule_cut(walk);
    if (saved_fp)
        at->fp = mp_stack_load(cfa - saved_fp);
    at->key = mp_stack_load((uint64_t)mp_machine_return_word(cfa));
    at->sp = cfa;
    return MP_LIKELY(at->key != 0) || mp_rule_end(walk, cfa);
}

/* Does the same, and also finds the rule of the frame. AT's key is one of mp_code_address(). */
bool mp_rule_step_from(struct mp_registers *at, struct mp_rule_walk *walk);

#endif
