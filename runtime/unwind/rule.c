/* SPDX-License-Identifier: MIT */
#include "rule.h"

#include <stdbool.h>

#include "eh_frame.h"

/* DW_OP_breg0 + n pushes register n plus a signed offset. The other is DW_OP_deref. */
#define OP_BREG(n) (0x70u + (n))
#define OP_DEREF   0x06u

/* Returns whether the expression is exactly `breg REGISTER offset [deref]`. Sets *OFFSET. */
static bool
match(const uint8_t *at, uint64_t size, unsigned reg, bool deref, int64_t *offset)
{
    const uint8_t *end = at + size;
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 128;

    if (size < 2 || *at++ != OP_BREG(reg))
        return false;
    while (at < end && byte >= 128 && shift < 56) {
        byte = *at++;
        value |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    }
    if (byte >= 128)
        return false;
    *offset = byte & 64 ? (int64_t)(value | ~(uint64_t)0 << shift) : (int64_t)value;
    return deref ? end - at == 1 && *at == OP_DEREF : at == end;
}

static bool
at_sp(const struct mp_cfi_rule *rule, int64_t wanted)
{
    int64_t offset;

    return rule->how == MP_CFI_EXPRESSION &&
           match(rule->expression, rule->expression_size, MP_CFI_SP, false, &offset) &&
           offset == wanted;
}

/* Returns whether ROW describes the kernel's signal frame, in the way of glibc's __restore_rt. */
static bool
is_signal_frame(const struct mp_cfi_row *row)
{
    int64_t offset;

    return row->signal_frame && row->cfa_is_expression &&
           match(row->cfa_expression, row->cfa_expression_size, MP_CFI_SP, true, &offset) &&
           offset == MP_SIGNAL_SP && at_sp(&row->rules[MP_CFI_RA], MP_SIGNAL_IP) &&
           at_sp(&row->rules[MP_CFI_FP], MP_SIGNAL_FP);
}

/* Returns a rule of KIND with OFFSET, or MP_RULE_IRREGULAR if OFFSET does not fit. */
static uint32_t
with_offset(enum mp_rule_kind kind, int64_t offset)
{
    if (offset < 0 || offset % 8 != 0 || offset / 8 > 0xffff)
        return MP_RULE_IRREGULAR;
    return (uint32_t)kind | (uint32_t)(offset / 8) << 3;
}

static uint32_t
deref_rule(const struct mp_cfi_row *row)
{
    const struct mp_cfi_rule *fp = &row->rules[MP_CFI_FP];
    int64_t cfa, saved;

    if (!match(row->cfa_expression, row->cfa_expression_size, MP_CFI_FP, true, &cfa) ||
        fp->how != MP_CFI_EXPRESSION ||
        !match(fp->expression, fp->expression_size, MP_CFI_FP, false, &saved) || saved != 0)
        return MP_RULE_IRREGULAR;
    return with_offset(MP_RULE_FP_DEREF, -cfa);
}

static uint32_t
plain_rule(const struct mp_cfi_row *row)
{
    const struct mp_cfi_rule *fp = &row->rules[MP_CFI_FP];
    uint32_t rule;

    if (row->cfa_register != MP_CFI_SP && row->cfa_register != MP_CFI_FP)
        return MP_RULE_IRREGULAR;
    rule = with_offset(row->cfa_register == MP_CFI_SP ? MP_RULE_SP : MP_RULE_FP, row->cfa_offset);
    if (rule == MP_RULE_IRREGULAR || fp->how == MP_CFI_SAME)
        return rule;
    if (fp->how != MP_CFI_OFFSET || fp->offset >= 0 || fp->offset % 8 != 0 ||
        fp->offset < -8 * MP_RULE_MAX_SAVED_FP)
        return MP_RULE_IRREGULAR;
    return rule | (uint32_t)(-fp->offset / 8) << 19;
}

uint32_t
mp_rule_compress(const struct mp_cfi_row *row)
{
    if (row->rules[MP_CFI_RA].how == MP_CFI_UNDEFINED)
        return MP_RULE_END;
    if (is_signal_frame(row))
        return MP_RULE_SIGNAL;
    if (row->signal_frame || row->rules[MP_CFI_SP].how != MP_CFI_SAME ||
        row->rules[MP_CFI_RA].how != MP_CFI_OFFSET ||
        row->rules[MP_CFI_RA].offset != -(int32_t)MP_MACHINE_RETURN)
        return MP_RULE_IRREGULAR;
    return row->cfa_is_expression ? deref_rule(row) : plain_rule(row);
}

uint32_t
mp_rule_find(const struct mp_eh_object *object, uintptr_t pc, uintptr_t *start)
{
    struct mp_cfi_row row;

    *start = 0;
    switch (mp_eh_frame_find(object, pc, &row)) {
    case MP_CFI_FOUND:
        *start = row.start;
        return mp_rule_compress(&row);
    case MP_CFI_NO_FDE:
        return MP_RULE_MISSING;
    default:
        return MP_RULE_IRREGULAR;
    }
}
