/* SPDX-License-Identifier: MIT */
#include "rule_step.h"

#include "code.h"
#include "module.h"
#include "startup.h"

#define LARGEST_FRAME (16u << 20)       /* bytes; a larger step leads to another stack */

MP_COLD bool
mp_rule_plausible(struct mp_rule_walk *walk, uint64_t sp, uint64_t cfa, uint64_t saved_fp)
{
    const uint64_t size = cfa - sp - MP_MACHINE_RETURN;
    struct mp_stack_read *read = walk->read;

    if (size >= MP_PLAUSIBLE_FRAME && walk->jumps++ >= MP_MAX_JUMPS)
        return false;
    if (cfa - MP_MACHINE_RETURN - read->low <= read->high - MP_MACHINE_RETURN - read->low) {
        walk->high = read->high;        /* back on the stack where the walk began */
        return true;
    }
    if (!mp_stack_is_readable((uint64_t)mp_machine_return_word(cfa)) ||
        (saved_fp && !mp_stack_is_readable(cfa - saved_fp)))
        return false;
    walk->high = mp_stack_page_end(cfa);
    if (size < LARGEST_FRAME && sp - read->low <= read->high - read->low)
        read->high = walk->high;
    return true;
}

/* Returns whether the frame at SP can have any CFA, near or far, and whether its return address can be read. */
static bool
is_plausible(struct mp_rule_walk *walk, uint64_t sp, uint64_t cfa)
{
    return (cfa - sp - MP_MACHINE_RETURN < MP_PLAUSIBLE_FRAME && cfa <= walk->high) ||
           mp_rule_plausible(walk, sp, cfa, 0);
}

MP_COLD bool
mp_rule_end(struct mp_rule_walk *walk, uint64_t cfa)
{
    const uint64_t *word = mp_machine_return_word(cfa);

    if (mp_stack_equals(word, 0))
        walk->word = word;
    return mp_rule_cut(walk);
}

static bool
step_signal(struct mp_registers *at, struct mp_rule_walk *walk)
{
    const uint64_t frame = at->sp, sp = mp_stack_load(frame + MP_SIGNAL_SP);

    if (!is_plausible(walk, frame, sp + MP_MACHINE_RETURN))
        return mp_rule_cut(walk);
    at->fp = mp_stack_load(frame + MP_SIGNAL_FP);
    at->key = mp_stack_load(frame + MP_SIGNAL_IP) | MP_KEY_EXACT;
    at->sp = sp;
    return true;
}

static bool
step_deref(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    const uint64_t address = at->fp - mp_rule_offset(rule);
    uint64_t cfa;

    if ((address < at->sp || address > walk->high - sizeof cfa) && !mp_stack_is_readable(address))
        return mp_rule_cut(walk);
    cfa = mp_stack_load(address);
    if (!is_plausible(walk, at->sp, cfa))
        return mp_rule_cut(walk);
    at->fp = mp_stack_load(at->fp);
    at->key = mp_stack_load((uint64_t)mp_machine_return_word(cfa));
    at->sp = cfa;
    return at->key != 0 || mp_rule_cut(walk);   /* without walk->word, which would not prove CFA */
}

/* Returns whether KEY can be a return address, because the instruction before it is a call. KEY may be any number. */
static bool
follows_call(uint64_t key)
{
    uint64_t before[1];

    if (mp_module_same(key, key) ? !mp_startup_is_code(key, sizeof before, 0)
                                 : !mp_stack_is_readable(key - sizeof before))
        return false;
    before[0] = mp_stack_load(key - sizeof before);
    return mp_machine_follows_call((const uint8_t *)(before + 1));
}

/* Makes a step by a frame pointer that no unwind information proves. So the caller must be further out on the same
 * stack, and its address must follow a call. */
static bool
step_unproved(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    const uint64_t cfa = at->fp + mp_rule_offset(rule), saved_fp = mp_rule_saved_fp(rule);

    if (at->fp % sizeof cfa != 0 || at->fp < at->sp || cfa - at->sp >= LARGEST_FRAME ||
        ((cfa - at->sp >= MP_PLAUSIBLE_FRAME || cfa > walk->high) && !mp_rule_plausible(walk, at->sp, cfa, saved_fp)))
        return mp_rule_cut(walk);
    at->fp = mp_stack_load(cfa - saved_fp);
    at->key = mp_stack_load((uint64_t)mp_machine_return_word(cfa));
    at->sp = cfa;
    return follows_call(at->key) || mp_rule_cut(walk);
}

static bool
step_irregular(struct mp_registers *at, struct mp_rule_walk *walk)
{
    const uint64_t sp = at->sp;

    return (mp_cfi_step(walk->cfi, at) && is_plausible(walk, sp, at->sp)) || mp_rule_cut(walk);
}

MP_NOINLINE bool
mp_rule_step_special(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    switch (mp_rule_kind(rule)) {
    case MP_RULE_END:
        return false;
    case MP_RULE_SIGNAL:
        return step_signal(at, walk);
    case MP_RULE_FP_DEREF:
        return step_deref(at, rule, walk);
    case MP_RULE_FP_UNPROVED:
        return step_unproved(at, rule, walk);
    case MP_RULE_IRREGULAR:
        return step_irregular(at, walk);
    default:
        walk->again = mp_code_look_again(at->key);
        return mp_rule_cut(walk);
    }
}

bool
mp_rule_step_from(struct mp_registers *at, struct mp_rule_walk *walk)
{
    return mp_rule_step(at, mp_code_find(at->key)->rule, walk);
}
