#include "rule_step.h"

#include "code.h"
#define LARGEST_FRAME (16u << 20)       /* bytes; a larger step leads to another stack */

MP_COLD bool
mp_rule_plausible(struct mp_rule_walk *walk, uint64_t sp, uint64_t cfa, uint64_t saved_fp)
{
    const uint64_t size = cfa - sp - MP_MACHINE_RETURN;
    struct mp_stack_read *read = walk->read;

    if (size >= MP_PLAUSIBLE_FRAME && walk->jumps++ >= MP_MAX_JUMPS)
        return false;
    if (cfa - MP_MACHINE_RETURN - read->low < read->high - read->low) {
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

/* Does the same for the caller of the frame at SP if the caller's CFA is not between SP and walk->high. */
static bool
is_plausible(struct mp_rule_walk *walk, uint64_t sp, uint64_t cfa)
{
    return cfa - sp - MP_MACHINE_RETURN < walk->high - sp || mp_rule_plausible(walk, sp, cfa, 0);
}

static bool
step_signal(struct mp_registers *at, struct mp_rule_walk *walk)
{
    struct mp_registers to;

    if (!mp_stack_read(at->sp + MP_SIGNAL_FP, &to.fp) || !mp_stack_read(at->sp + MP_SIGNAL_IP, &to.key) ||
        !mp_stack_read(at->sp + MP_SIGNAL_SP, &to.sp) || !is_plausible(walk, at->sp, to.sp + MP_MACHINE_RETURN))
        return mp_rule_cut(walk);
    to.key |= MP_KEY_EXACT;
    *at = to;
    return true;
}

static bool
step_deref(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    const uint64_t word = at->fp - mp_rule_offset(rule);
    struct mp_registers to;

    if ((word - at->sp >= walk->high - at->sp && !mp_stack_is_readable(word)) ||
        !mp_stack_read(word, &to.sp) || !mp_stack_read(at->fp, &to.fp) || !is_plausible(walk, at->sp, to.sp) ||
        !mp_stack_read((uint64_t)mp_machine_return_word(to.sp), &to.key))
        return mp_rule_cut(walk);
    *at = to;
    return to.key != 0;
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
