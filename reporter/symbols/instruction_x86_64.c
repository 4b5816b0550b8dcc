/* SPDX-License-Identifier: MIT */
/* instruction_x86_64.c -- decodes x86-64 instructions (Intel, "Software Developer's Manual", volume 2). Knows the
 * lengths of instructions that compilers generate for C, and the effects of the few forms that copy a pointer. */
#include "instruction.h"

#define BIT(r)  (UINT32_C(1) << (r))
/* registers that a function may change: rax, rdx, rcx, rsi, rdi, r8 to r11 */
#define CALLED  (BIT(0) | BIT(1) | BIT(2) | BIT(4) | BIT(5) | BIT(8) | BIT(9) | BIT(10) | BIT(11))

/* DWARF register numbers, indexed by the machine's numbers. */
static const int numbers[8] = {0, 2, 1, 3, 7, 6, 4, 5};

static int
number_of(unsigned reg)
{
    return reg < 8 ? numbers[reg] : (int)reg;
}

struct reading {
    const uint8_t *bytes;
    size_t size, at;
    bool failed;
    bool wide, narrow;          /* 64-bit operands (REX.W), 16-bit operands (prefix 66) */
    unsigned rex_r, rex_x, rex_b;       /* 0 or 8, added to the register's number */
    unsigned mod, reg, rm;
    bool from_next;             /* the offset counts from the next instruction */
};

static uint8_t
next_byte(struct reading *reading)
{
    if (reading->at < reading->size)
        return reading->bytes[reading->at++];
    reading->failed = true;
    return 0;
}

/* Reads a signed little-endian number of N bytes. */
static int64_t
next_number(struct reading *reading, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value |= (uint64_t)next_byte(reading) << 8 * i;
    return n == 1 ? (int8_t)value : n == 2 ? (int16_t)value : n == 4 ? (int32_t)value : (int64_t)value;
}

static void
read_sib(struct reading *reading, struct mp_instruction *code)
{
    const uint8_t sib = next_byte(reading);
    const unsigned index = (sib >> 3 & 7) | reading->rex_x;

    if (index != 4)
        code->index = number_of(index);
    if ((sib & 7) == 5 && reading->mod == 0) {
        code->offset = next_number(reading, 4);
        code->absolute = code->index == MP_CODE_NONE;
    } else {
        code->base = number_of((sib & 7) | reading->rex_b);
    }
}

/* Reads the register and memory operands. Sets `base`, `index` and `offset` of CODE for a memory operand. */
static void
read_modrm(struct reading *reading, struct mp_instruction *code)
{
    const uint8_t modrm = next_byte(reading);

    reading->mod = modrm >> 6;
    reading->reg = (modrm >> 3 & 7) | reading->rex_r;
    reading->rm = (modrm & 7) | reading->rex_b;
    if (reading->mod == 3)
        return;
    if ((modrm & 7) == 4) {
        read_sib(reading, code);
    } else if ((modrm & 7) == 5 && reading->mod == 0) {
        code->offset = next_number(reading, 4);
        code->absolute = reading->from_next = true;
    } else {
        code->base = number_of(reading->rm);
    }
    if (reading->mod == 1)
        code->offset += next_number(reading, 1);
    else if (reading->mod == 2)
        code->offset += next_number(reading, 4);
}

/* Records that the instruction changes the modrm operand, if RM, and the other register, if REG. */
static void
change(const struct reading *reading, struct mp_instruction *code, bool rm, bool reg)
{
    if (rm && reading->mod == 3)
        code->written |= BIT(number_of(reading->rm));
    if (rm && reading->mod != 3)
        code->overwrites = 1;
    if (reg)
        code->written |= BIT(number_of(reading->reg));
}

/* Decodes a mov between registers or between a register and memory. Only moves of 8 bytes carry a pointer. */
static void
read_move(struct reading *reading, struct mp_instruction *code, bool to_register)
{
    const int reg = number_of(reading->reg), rm = number_of(reading->rm);

    change(reading, code, !to_register, to_register);
    if (!reading->wide)
        return;
    code->from = to_register ? rm : reg;
    code->to = to_register ? reg : rm;
    code->kind = reading->mod == 3 ? MP_CODE_COPY : to_register ? MP_CODE_LOAD : MP_CODE_STORE;
}

static void
immediate(struct reading *reading)
{
    next_number(reading, reading->narrow ? 2 : 4);
}

static void
branch(struct reading *reading, struct mp_instruction *code, unsigned condition, unsigned bytes)
{
    code->kind = MP_CODE_BRANCH;
    code->target = (uint64_t)next_number(reading, bytes);
    code->if_null = condition == 4;
    code->if_not_null = condition == 5;
}

/* Decodes a comparison with 0, which is test r, r or cmp $0, with a register or memory. */
static void
is_null(const struct reading *reading, struct mp_instruction *code)
{
    code->kind = MP_CODE_IS_NULL;
    code->from = reading->mod == 3 ? number_of(reading->rm) : MP_CODE_NONE;
}

/* Decodes opcodes 0x80 to 0x8f. */
static void
read_80(struct reading *reading, struct mp_instruction *code, uint8_t op)
{
    int64_t value;

    read_modrm(reading, code);
    switch (op) {
    case 0x80: case 0x82: case 0x83: case 0x81:
        value = op == 0x81 ? (reading->narrow ? next_number(reading, 2) : next_number(reading, 4))
                           : next_number(reading, 1);
        if ((reading->reg & 7) != 7)
            change(reading, code, true, false);
        else if (op == 0x83 && value == 0 && reading->wide)
            is_null(reading, code);
        return;
    case 0x84: return;
    case 0x85:
        if (reading->mod == 3 && reading->reg == reading->rm && reading->wide)
            is_null(reading, code);
        return;
    case 0x86: case 0x87: change(reading, code, true, true); return;
    case 0x88: change(reading, code, true, false); return;
    case 0x89: read_move(reading, code, false); return;
    case 0x8a: change(reading, code, false, true); return;
    case 0x8b: read_move(reading, code, true); return;
    case 0x8d:
        change(reading, code, false, true);
        code->takes_address = true;
        return;
    case 0x8f: change(reading, code, true, false); return;
    default: reading->failed = true; return;
    }
}

static void
read_c0(struct reading *reading, struct mp_instruction *code, uint8_t op)
{
    switch (op) {
    case 0xc0: case 0xc1:
        read_modrm(reading, code), next_byte(reading);
        change(reading, code, true, false);
        return;
    case 0xc2: next_number(reading, 2), code->kind = MP_CODE_RETURN; return;
    case 0xc3: code->kind = MP_CODE_RETURN; return;
    case 0xc6: read_modrm(reading, code), next_byte(reading), change(reading, code, true, false); return;
    case 0xc7: read_modrm(reading, code), immediate(reading), change(reading, code, true, false); return;
    case 0xc9: code->written = BIT(6) | BIT(7); return;         /* leave */
    case 0xcc: code->kind = MP_CODE_END; return;
    default: reading->failed = true; return;
    }
}

static void
read_f0(struct reading *reading, struct mp_instruction *code, uint8_t op)
{
    unsigned what;

    if (op == 0xf4) {
        code->kind = MP_CODE_END;
        return;
    }
    if (op != 0xf6 && op != 0xf7 && op != 0xfe && op != 0xff) {
        reading->failed = true;
        return;
    }
    read_modrm(reading, code);
    what = reading->reg & 7;
    if (op == 0xff && (what == 2 || what == 4)) {
        code->kind = what == 2 ? MP_CODE_CALL : MP_CODE_JUMP;
        code->written = what == 2 ? CALLED : 0;
        code->target = 0;
    } else if (op == 0xf6 || op == 0xf7) {
        if (what < 2 && op == 0xf6)
            next_byte(reading);
        else if (what < 2)
            immediate(reading);
        else if (what < 4)
            change(reading, code, true, false);
        else
            code->written = BIT(0) | BIT(1);
    } else if (what < 2) {
        change(reading, code, true, false);
    } else if (what != 6) {
        reading->failed = true;
    }
}

/* Decodes an opcode of two bytes, after 0x0f. */
static void
read_two(struct reading *reading, struct mp_instruction *code)
{
    const uint8_t op = next_byte(reading);

    if (op == 0x0b) {
        code->kind = MP_CODE_END;
    } else if ((op & 0xf0) == 0x80) {
        branch(reading, code, op & 15, 4);
    } else if (op == 0x05) {
        code->written = BIT(0) | BIT(2) | BIT(11);
    } else if (op == 0x1e || op == 0x1f || op == 0x18 || op == 0x0d) {
        read_modrm(reading, code);
    } else if ((op & 0xf0) == 0x40 || op == 0xaf || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf ||
               op == 0xbc || op == 0xbd || op == 0x2c || op == 0x2d || op == 0x50 || op == 0xd7) {
        read_modrm(reading, code), change(reading, code, false, true);
    } else if ((op & 0xf0) == 0x90 || op == 0x7e) {
        read_modrm(reading, code), change(reading, code, true, false);
    } else if (op == 0xb0 || op == 0xb1 || op == 0xc0 || op == 0xc1) {
        read_modrm(reading, code), change(reading, code, true, true), code->written |= BIT(0);
    } else if (op == 0xa3) {
        read_modrm(reading, code);
    } else if (op == 0xa2) {
        code->written = BIT(0) | BIT(1) | BIT(2) | BIT(3);
    } else if (op == 0x38 || op == 0x3a) {
        reading->failed = true;
    } else if (op == 0xab || op == 0xb3 || op == 0xbb) {
        read_modrm(reading, code), change(reading, code, true, false);
    } else if (op == 0xba || op == 0xa4 || op == 0xac) {
        read_modrm(reading, code), next_byte(reading), change(reading, code, true, false);
    } else if (op == 0xa5 || op == 0xad) {
        read_modrm(reading, code), change(reading, code, true, false);
    } else if (op >= 0xc8 && op <= 0xcf) {
        code->written = BIT(number_of((op & 7) | reading->rex_b));
    } else if ((op >= 0x10 && op <= 0x17) || (op >= 0x28 && op <= 0x2f) || (op >= 0x51 && op <= 0x7f) ||
               op >= 0xd0 || op == 0xc2 || op == 0xc4 || op == 0xc5 || op == 0xc6) {
        if (op == 0x77)
            return;
        read_modrm(reading, code);
        if ((op >= 0x70 && op <= 0x73) || (op >= 0xc2 && op <= 0xc6))
            next_byte(reading);
        if (op == 0xc5)
            change(reading, code, false, true);
        if (reading->mod != 3 && (op == 0x11 || op == 0x13 || op == 0x17 || op == 0x29 || op == 0x2b || op == 0x7f ||
                                  op == 0xd6 || op == 0xe7))
            code->overwrites = 16;
    } else {
        reading->failed = true;
    }
}

static void
read_one(struct reading *reading, struct mp_instruction *code, uint8_t op)
{
    const unsigned low = op & 7;

    if (op < 0x40) {
        if (low == 4 || low == 5) {
            if (low == 4)
                next_byte(reading);
            else
                immediate(reading);
            code->written = (op & 0x38) == 0x38 ? 0 : BIT(0);
        } else if (low > 5) {
            reading->failed = true;
        } else {
            read_modrm(reading, code);
            if ((op & 0x38) != 0x38)
                change(reading, code, low < 2, low >= 2);
        }
    } else if (op < 0x50) {
        reading->failed = true;
    } else if (op < 0x60) {
        code->written = BIT(7) | (op < 0x58 ? 0 : BIT(number_of(low | reading->rex_b)));
    } else if (op == 0x63) {
        read_modrm(reading, code), change(reading, code, false, true);
    } else if (op == 0x68 || op == 0x6a) {
        next_number(reading, op == 0x68 ? 4 : 1);
    } else if (op == 0x69 || op == 0x6b) {
        read_modrm(reading, code);
        if (op == 0x69)
            immediate(reading);
        else
            next_byte(reading);
        change(reading, code, false, true);
    } else if (op < 0x70) {
        reading->failed = true;
    } else if (op < 0x80) {
        branch(reading, code, op & 15, 1);
    } else if (op < 0x90) {
        read_80(reading, code, op);
    } else if (op < 0x98) {
        if (op != 0x90 || reading->rex_b)
            code->written = BIT(0) | BIT(number_of(low | reading->rex_b));
    } else if (op == 0x98 || op == 0x99) {
        code->written = op == 0x98 ? BIT(0) : BIT(1);
    } else if (op >= 0xa4 && op <= 0xaf && op != 0xa8 && op != 0xa9) {
        code->written = BIT(0) | BIT(2) | BIT(4) | BIT(5);
    } else if (op == 0xa8 || op == 0xa9) {
        if (op == 0xa8)
            next_byte(reading);
        else
            immediate(reading);
    } else if (op >= 0xb0 && op < 0xb8) {
        next_byte(reading);
        code->written = BIT(number_of(low | reading->rex_b)) | BIT(number_of(low & 3));
    } else if (op >= 0xb8 && op < 0xc0) {
        next_number(reading, reading->wide ? 8 : reading->narrow ? 2 : 4);
        code->written = BIT(number_of(low | reading->rex_b));
    } else if (op >= 0xd0 && op <= 0xd3) {
        read_modrm(reading, code), change(reading, code, true, false);
    } else if (op >= 0xd8 && op <= 0xdf) {
        read_modrm(reading, code), code->written |= BIT(0);
    } else if (op == 0xe8 || op == 0xe9) {
        code->target = (uint64_t)next_number(reading, 4);
        code->kind = op == 0xe8 ? MP_CODE_CALL : MP_CODE_JUMP;
        code->written = op == 0xe8 ? CALLED : 0;
    } else if (op == 0xeb) {
        code->target = (uint64_t)next_number(reading, 1);
        code->kind = MP_CODE_JUMP;
    } else if ((op & 0xf0) == 0xc0) {
        read_c0(reading, code, op);
    } else if ((op & 0xf0) == 0xf0) {
        read_f0(reading, code, op);
    } else {
        reading->failed = true;
    }
}

bool
mp_code_x86_64(const uint8_t *bytes, size_t size, uint64_t address, struct mp_instruction *code)
{
    struct reading reading = {.bytes = bytes, .size = size < MP_CODE_MAX ? size : MP_CODE_MAX};
    uint8_t op;
    bool near, thread = false;

    *code = (struct mp_instruction){
        .from = MP_CODE_NONE, .to = MP_CODE_NONE, .base = MP_CODE_NONE, .index = MP_CODE_NONE};
    do {
        op = next_byte(&reading);
        reading.narrow |= op == 0x66;
        thread |= op == 0x64 || op == 0x65;
    } while (op == 0x66 || op == 0xf2 || op == 0xf3 || op == 0x2e || op == 0x3e || op == 0xf0 || op == 0x64 ||
             op == 0x65);
    if ((op & 0xf0) == 0x40) {
        reading.wide = op & 8;
        reading.rex_r = op & 4 ? 8 : 0;
        reading.rex_x = op & 2 ? 8 : 0;
        reading.rex_b = op & 1 ? 8 : 0;
        op = next_byte(&reading);
    }
    if (op == 0x0f)
        read_two(&reading, code);
    else
        read_one(&reading, code, op);
    code->size = (unsigned)reading.at;
    near = (code->kind == MP_CODE_CALL || code->kind == MP_CODE_JUMP || code->kind == MP_CODE_BRANCH) &&
           op != 0xff;
    if (near)
        code->target += address + reading.at;
    if (reading.from_next)
        code->offset += (int64_t)(address + reading.at);
    if (thread && (code->kind == MP_CODE_LOAD || code->kind == MP_CODE_STORE || code->kind == MP_CODE_IS_NULL))
        code->kind = MP_CODE_OTHER;         /* an access to thread-local memory */
    return !reading.failed;
}
