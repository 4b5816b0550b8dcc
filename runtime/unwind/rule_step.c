#include "rule_step.h"

#include "code.h"
#include "runtime/system/sys.h"

#define MAX_JUMPS 64            /* changes of the stack in one chain */

static bool
readable(uint64_t address)
{
    uint64_t word;

    return address % 8 == 0 && mp_sys_peek(address, &word, sizeof word) == 0;
}

MP_COLD bool
mp_rule_plausible_jump(struct mp_rule_walk *walk, uint64_t cfa, uint64_t saved_fp)
{
    return walk->jumps++ < MAX_JUMPS && readable((uint64_t)mp_machine_return_word(cfa)) &&
           (saved_fp == 0 || readable(cfa - saved_fp));
}

static bool
step_signal(struct mp_registers *at)
{
    const char *frame = (const char *)at->sp;

    at->fp = *(const uint64_t *)(frame + MP_SIGNAL_FP);
    at->key = *(const uint64_t *)(frame + MP_SIGNAL_IP) | MP_KEY_EXACT;
    at->sp = *(const uint64_t *)(frame + MP_SIGNAL_SP);
    return true;
}

static bool
step_deref(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    uint64_t cfa = *(const uint64_t *)(at->fp - mp_rule_offset(rule));

    if (cfa - at->sp - MP_MACHINE_RETURN >= MP_PLAUSIBLE_FRAME &&
        !mp_rule_plausible_jump(walk, cfa, 0))
        return mp_rule_cut(walk);
    at->fp = *(const uint64_t *)at->fp;
    at->key = *mp_machine_return_word(cfa);
    at->sp = cfa;
    return true;
}

MP_NOINLINE bool
mp_rule_step_special(struct mp_registers *at, uint32_t rule, struct mp_rule_walk *walk)
{
    switch (mp_rule_kind(rule)) {
    case MP_RULE_END:
        return false;
    case MP_RULE_SIGNAL:
        return step_signal(at);
    case MP_RULE_FP_DEREF:
        return step_deref(at, rule, walk);
    case MP_RULE_IRREGULAR:
        return mp_cfi_step(walk->cfi, at) || mp_rule_cut(walk);
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
