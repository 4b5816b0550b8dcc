/* SPDX-License-Identifier: MIT */
#include "cfi_value.h"

#include "dwarf_bytes.h"
#include "stack_word.h"

#define STACK_SIZE 32
#define MAX_STEPS 1000         /* an expression may contain loops */

struct machine {
    const struct mp_cfi_registers *registers;
    struct mp_bytes in;
    const uint8_t *start;
    uint64_t stack[STACK_SIZE];
    unsigned used;
};

bool
mp_cfi_load(const struct mp_cfi_registers *registers, uint64_t address, uint64_t *word)
{
    const bool in_frame = address >= registers->value[MP_CFI_SP] && address < registers->frame_end;

    if (!in_frame && !mp_stack_is_readable(address))
        return false;
    *word = mp_stack_load(address);
    return true;
}

static void
push(struct machine *m, uint64_t value)
{
    if (m->used == STACK_SIZE)
        m->in.bad = true;
    else
        m->stack[m->used++] = value;
}

static uint64_t
pop(struct machine *m)
{
    if (m->used == 0) {
        m->in.bad = true;
        return 0;
    }
    return m->stack[--m->used];
}

static uint64_t
of_register(struct machine *m, uint64_t number)
{
    if (!mp_cfi_known(m->registers, number)) {
        m->in.bad = true;
        return 0;
    }
    return m->registers->value[number];
}

/* Pushes a copy of the DEPTH-th entry from the top. */
static void
pick(struct machine *m, uint64_t depth)
{
    if (depth >= m->used)
        m->in.bad = true;
    else
        push(m, m->stack[m->used - 1 - depth]);
}

/* Moves the top to the N-th place. */
static void
rotate(struct machine *m, unsigned n)
{
    uint64_t top;

    if (m->used < n) {
        m->in.bad = true;
        return;
    }
    top = m->stack[m->used - 1];
    for (unsigned i = 1; i < n; i++)
        m->stack[m->used - i] = m->stack[m->used - i - 1];
    m->stack[m->used - n] = top;
}

static void
dereference(struct machine *m, uint64_t size)
{
    uint64_t word = 0;

    if (size == 0 || size > 8 || !mp_cfi_load(m->registers, pop(m), &word))
        m->in.bad = true;
    else
        push(m, size == 8 ? word : word & (((uint64_t)1 << 8 * size) - 1));
}

static void
jump(struct machine *m, bool taken)
{
    int64_t distance = (int16_t)mp_take_fixed(&m->in, 2);

    if (m->in.bad || !taken)
        return;
    if (distance < m->start - m->in.at || distance > m->in.end - m->in.at)
        m->in.bad = true;
    else
        m->in.at += distance;
}

static void
two(struct machine *m, uint8_t operation)
{
    uint64_t b = pop(m), a = pop(m);

    switch (operation) {
    case 0x1a: push(m, a & b); break;
    case 0x1c: push(m, a - b); break;
    case 0x1e: push(m, a * b); break;
    case 0x21: push(m, a | b); break;
    case 0x22: push(m, a + b); break;
    case 0x24: push(m, b < 64 ? a << b : 0); break;
    case 0x25: push(m, b < 64 ? a >> b : 0); break;
    case 0x26: push(m, (uint64_t)((int64_t)a >> (b < 64 ? b : 63))); break;
    case 0x27: push(m, a ^ b); break;
    case 0x29: push(m, a == b); break;
    case 0x2a: push(m, (int64_t)a >= (int64_t)b); break;
    case 0x2b: push(m, (int64_t)a > (int64_t)b); break;
    case 0x2c: push(m, (int64_t)a <= (int64_t)b); break;
    case 0x2d: push(m, (int64_t)a < (int64_t)b); break;
    case 0x2e: push(m, a != b); break;
    default: m->in.bad = true;
    }
}

static void
constant(struct machine *m, uint8_t operation)
{
    struct mp_bytes *in = &m->in;

    switch (operation) {
    case 0x03: case 0x0e: case 0x0f:                    /* addr, const8 */
        push(m, mp_take_fixed(in, 8));
        break;
    case 0x08: push(m, mp_take_fixed(in, 1)); break;
    case 0x09: push(m, (uint64_t)(int8_t)mp_take_fixed(in, 1)); break;
    case 0x0a: push(m, mp_take_fixed(in, 2)); break;
    case 0x0b: push(m, (uint64_t)(int16_t)mp_take_fixed(in, 2)); break;
    case 0x0c: push(m, mp_take_fixed(in, 4)); break;
    case 0x0d: push(m, (uint64_t)(int32_t)mp_take_fixed(in, 4)); break;
    case 0x10: push(m, mp_take_uleb(in)); break;
    case 0x11: push(m, (uint64_t)mp_take_sleb(in)); break;
    default: in->bad = true;
    }
}

static void
operate(struct machine *m, uint8_t operation)
{
    struct mp_bytes *in = &m->in;
    uint64_t number;

    switch (operation) {
    case 0x06: dereference(m, 8); break;
    case 0x94: dereference(m, mp_take_fixed(in, 1)); break;
    case 0x12: pick(m, 0); break;                       /* dup */
    case 0x13: pop(m); break;
    case 0x14: pick(m, 1); break;                       /* over */
    case 0x15: pick(m, mp_take_fixed(in, 1)); break;
    case 0x16: rotate(m, 2); break;                     /* swap */
    case 0x17: rotate(m, 3); break;
    case 0x1f: push(m, 0 - pop(m)); break;              /* neg */
    case 0x20: push(m, ~pop(m)); break;
    case 0x23: push(m, pop(m) + mp_take_uleb(in)); break;
    case 0x28: jump(m, pop(m) != 0); break;             /* bra */
    case 0x2f: jump(m, true); break;                    /* skip */
    case 0x92:                                          /* bregx */
        number = mp_take_uleb(in);
        push(m, of_register(m, number) + (uint64_t)mp_take_sleb(in));
        break;
    case 0x96: break;                                   /* nop */
    default:
        if (operation >= 0x30 && operation <= 0x4f)     /* lit0 to lit31 */
            push(m, operation - 0x30u);
        else if (operation >= 0x70 && operation <= 0x8f)        /* breg0 to breg31 */
            push(m, of_register(m, operation - 0x70u) + (uint64_t)mp_take_sleb(in));
        else if (operation < 0x12)
            constant(m, operation);
        else
            two(m, operation);
    }
}

bool
mp_cfi_value(const struct mp_cfi_registers *registers, const uint8_t *expression, uint64_t size,
             const uint64_t *first, uint64_t *value)
{
    struct machine machine = { .registers = registers, .in = { expression, expression + size, false },
                               .start = expression };

    if (first)
        push(&machine, *first);
    for (unsigned i = 0; machine.in.at < machine.in.end && !machine.in.bad; i++) {
        if (i == MAX_STEPS)
            return false;
        operate(&machine, *machine.in.at++);
    }
    *value = pop(&machine);
    return !machine.in.bad;
}
