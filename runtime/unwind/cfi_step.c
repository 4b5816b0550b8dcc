/* SPDX-License-Identifier: MIT */
#include "cfi_step.h"

#include <stddef.h>

#include "code_table.h"
#include "debug_frame.h"
#include "module.h"
#include "runtime/compiler.h"

static bool
find_row(uint64_t pc, struct mp_cfi_row *row)
{
    struct mp_eh_object object;

    return (mp_module_tables(pc, &object) && mp_eh_frame_find(&object, pc, row) == MP_CFI_FOUND) ||
           (mp_debug_frame_find(pc, &object) && mp_eh_frame_find(&object, pc, row) == MP_CFI_FOUND);
}

static bool
find_cfa(const struct mp_cfi_row *row, const struct mp_cfi_registers *of, uint64_t *cfa)
{
    if (row->cfa_is_expression)
        return mp_cfi_value(of, row->cfa_expression, row->cfa_expression_size, NULL, cfa);
    if (!mp_cfi_known(of, row->cfa_register))
        return false;
    *cfa = of->value[row->cfa_register] + (uint64_t)row->cfa_offset;
    return true;
}

/* Computes a register of the caller by RULE, from the frame's registers OF and its CFA. Returns false if that is
 * impossible. */
static bool
find_register(const struct mp_cfi_rule *rule, const struct mp_cfi_registers *of, uint64_t cfa,
              uint64_t *value)
{
    uint64_t address = cfa + (uint64_t)(int64_t)rule->offset;

    switch (rule->how) {
    case MP_CFI_OFFSET:
        return mp_cfi_load(of, address, value);
    case MP_CFI_VALUE_OFFSET:
        *value = address;
        return true;
    case MP_CFI_EXPRESSION:
        return mp_cfi_value(of, rule->expression, rule->expression_size, &cfa, &address) &&
               mp_cfi_load(of, address, value);
    case MP_CFI_VALUE_EXPRESSION:
        return mp_cfi_value(of, rule->expression, rule->expression_size, &cfa, value);
    case MP_CFI_REGISTER:
        if (!mp_cfi_known(of, (uint64_t)rule->offset))
            return false;
        *value = of->value[rule->offset];
        return true;
    default:
        return false;
    }
}

/* Replaces the registers of a frame by its caller's. The frame continues at the address in MP_CFI_RA. EXACT means
 * that a signal interrupted it there. Sets *SIGNAL to whether the kernel made the frame for a signal, so that its
 * caller is EXACT. Returns false if the caller cannot be found. */
static bool
find_caller(struct mp_cfi_registers *registers, bool exact, bool *signal)
{
    struct mp_cfi_registers of = *registers;
    struct mp_cfi_row row;
    uint64_t cfa, value;

    if (!find_row(of.value[MP_CFI_RA] - !exact, &row) || !find_cfa(&row, &of, &cfa))
        return false;
    of.frame_end = cfa - of.value[MP_CFI_SP] <= MP_PLAUSIBLE_FRAME ? cfa : 0;
    if (!row.signal_frame)
        registers->known &= MP_CFI_KEPT;
    for (unsigned i = 0; i < MP_CFI_REGISTERS; i++) {
        if (row.rules[i].how == MP_CFI_SAME)
            continue;
        registers->known &= ~(1u << i);
        if (find_register(&row.rules[i], &of, cfa, &value))
            mp_cfi_set(registers, i, value);
    }
    if (row.rules[MP_CFI_SP].how == MP_CFI_SAME)
        mp_cfi_set(registers, MP_CFI_SP, cfa);
    *signal = row.signal_frame;
    return mp_cfi_known(registers, MP_CFI_RA) && mp_cfi_known(registers, MP_CFI_SP) &&
           row.rules[MP_CFI_RA].how != MP_CFI_SAME && registers->value[MP_CFI_RA] != 0;
}

/* Makes a step from the registers that a plain rule uses, without any others. Returns false if the step needs
 * others. */
static bool
step_alone(struct mp_cfi_registers *of, bool *exact, const struct mp_registers *at)
{
    of->known = 0;
    mp_cfi_set(of, MP_CFI_RA, at->key & ~MP_KEY_EXACT);
    mp_cfi_set(of, MP_CFI_SP, at->sp);
    mp_cfi_set(of, MP_CFI_FP, at->fp);
    return find_caller(of, at->key & MP_KEY_EXACT, exact) && mp_cfi_known(of, MP_CFI_FP);
}

/* Continues WALK to the frame at IP with SP, and one step further to its caller. Returns false if that frame or its
 * caller is not found. */
static MP_NOINLINE bool
walk_beyond(struct mp_cfi_walk *walk, uint64_t ip, uint64_t sp)
{
    unsigned jumps = 0;
    bool found = false;

    if (!walk->begun) {
        mp_machine_here(walk->at.value);
        walk->at.known = MP_CFI_KEPT | 1u << MP_CFI_RA;
        walk->at.frame_end = 0;
        walk->begun = walk->exact = true;
    }
    while (!found) {
        const uint64_t at = walk->at.value[MP_CFI_SP];

        found = walk->at.value[MP_CFI_RA] == ip && at == sp;
        if (!find_caller(&walk->at, walk->exact, &walk->exact) ||
            (walk->at.value[MP_CFI_SP] <= at && jumps++ == MP_MAX_JUMPS))
            return false;
    }
    return found;
}

bool
mp_cfi_step(struct mp_cfi_walk *walk, struct mp_registers *at)
{
    struct mp_cfi_registers alone;
    const struct mp_cfi_registers *caller = &alone;
    bool exact;

    if (walk->fp_lost || !step_alone(&alone, &exact, at)) {
        if (!walk_beyond(walk, at->key & ~MP_KEY_EXACT, at->sp))
            return false;
        caller = &walk->at;
        exact = walk->exact;
    }
    walk->fp_lost = !mp_cfi_known(caller, MP_CFI_FP);
    at->key = caller->value[MP_CFI_RA] | (exact ? MP_KEY_EXACT : 0);
    at->sp = caller->value[MP_CFI_SP];
    at->fp = walk->fp_lost ? 0 : caller->value[MP_CFI_FP];
    return true;
}
