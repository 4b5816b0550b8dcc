/* SPDX-License-Identifier: MIT */
/*
 * prologue_x86_64.c -- finds out whether code has a frame pointer, from its instructions.
 *
 * A function sets it by push rbp; mov rbp, rsp. From there on, the instructions are followed in the order of their
 * addresses. A jump while the frame pointer is set leads to the same function, because a tail call restores it first.
 * So it is known how far the function reaches, except if it ends with a call that does not return.
 */
#include <string.h>

#include "startup.h"

#define LARGEST_FUNCTION 65536  /* bytes of code before an address in which its function is searched for */
#define LONGEST 15u             /* bytes of an instruction */
#define MAX_BETWEEN 8u          /* instructions between the two that set a frame pointer */
#define PUSH_FP 0x55
#define ALIGNMENT 16            /* of functions behind padding */

struct instruction {
    const uint8_t *opcode;      /* last byte of the opcode */
    unsigned map;               /* 0: one byte; 1: after 0f; 2: after 0f 38; 3: after 0f 3a */
    unsigned length;            /* bytes; 0 if unknown */
    bool prefixed;              /* has the prefix REX.B, so that opcode 0x55 is not push rbp */
};

/* ------------------------------------------------------------------ lengths */

/* Returns whether bit N of BITS, 256 bits, is set. */
static bool
bit(const uint32_t bits[8], uint8_t n)
{
    return bits[n / 32] >> n % 32 & 1;
}

/* The opcodes of maps 0 and 1 with a ModRM byte, and those with an immediate byte. */
static const uint32_t modrm[2][8] = {
    { 0x0f0f0f0f, 0x0f0f0f0f, 0, 0x00000a08, 0x0000fffb, 0, 0xff0f00c3, 0xc0c00000 },
    { 0xffffa00f, 0xff00ffff, 0xffffffff, 0xff7fffff, 0xffff0000, 0xfffff8f8, 0xffff00ff, 0xffffffff },
};
static const uint32_t byte[2][8] = {
    { 0x10101010, 0x10101010, 0, 0xffff0c00, 0x00000009, 0x00ff0100, 0x00002043, 0x000008ff },
    { 0, 0, 0, 0x000f0000, 0, 0x04001010, 0x00000074, 0 },
};

/* Returns the length of the ModRM byte at AT and of what belongs to it. */
static unsigned
modrm_length(const uint8_t *at)
{
    const uint8_t mod = *at >> 6, rm = *at & 7;
    const bool sib = mod != 3 && rm == 4, absolute = mod == 0 && (sib ? (at[1] & 7) == 5 : rm == 5);

    return (sib ? 2u : 1u) + (mod == 1 ? 1 : mod == 2 || absolute ? 4 : 0);
}

/* Returns the length of the immediate operand of OPCODE, in map 0 and followed by NEXT. */
static unsigned
immediate(uint8_t opcode, uint8_t next, bool wide, bool narrow)
{
    const unsigned size = narrow ? 2 : 4;

    if (bit(byte[0], opcode))
        return 1;
    if ((opcode & 0xf8) == 0xb8)
        return wide ? 8 : size;
    if ((opcode & 0xfc) == 0xa0)
        return 8;
    if (opcode == 0xf6 || opcode == 0xf7)
        return next & 0x30 ? 0 : opcode == 0xf6 ? 1 : size;
    if (opcode == 0xe8 || opcode == 0xe9)
        return 4;
    if (opcode == 0xc2 || opcode == 0xca || opcode == 0xc8)
        return opcode == 0xc8 ? 3 : 2;
    return (opcode < 0x40 && (opcode & 7) == 5) || opcode == 0x68 || opcode == 0x69 || opcode == 0x81 ||
           opcode == 0xa9 || opcode == 0xc7 ? size : 0;
}

/* Decodes the instruction at AT, where LONGEST + 8 bytes are readable. */
static struct instruction
decode(const uint8_t *const start)
{
    const uint8_t *at = start;
    struct instruction is = { .map = 0 };
    bool wide = false, narrow = false, vector = false;

    for (; *at && memchr("\x66\x67\xf0\xf2\xf3\x2e\x3e\x64\x65", *at, 9); at++) {
        narrow |= *at == 0x66;
        if (at - start == LONGEST)
            return is;
    }
    if ((*at & 0xf0) == 0x40) {
        wide = *at & 8;
        is.prefixed = *at++ & 1;
    }
    if (*at == 0xc4 || *at == 0xc5 || *at == 0x62) {    /* VEX and EVEX */
        vector = true;
        is.map = *at == 0xc5 ? 1 : at[1] & 7;
        at += *at == 0xc5 ? 2 : *at == 0xc4 ? 3 : 4;
    } else if (*at == 0x0f) {
        is.map = at[1] == 0x38 ? 2 : at[1] == 0x3a ? 3 : 1;
        at += is.map == 1 ? 1 : 2;
    }
    is.opcode = at++;
    if (is.map > 3 || (vector && is.map == 0))
        return is;
    if (is.map > 1 || bit(modrm[is.map], *is.opcode))
        at += modrm_length(at);
    if (is.map == 0)
        at += immediate(*is.opcode, is.opcode[1], wide, narrow);
    else if (is.map == 3 || (is.map == 1 && bit(byte[1], *is.opcode)))
        at++;
    else if (is.map == 1 && !vector && (*is.opcode & 0xf0) == 0x80)
        at += 4;
    is.length = (unsigned)(at - start);
    return is;
}

/* ------------------------------------------------------------------ one function */

/* Returns whether the instruction IS, whose opcode has one byte, may change rsp: push, pop, or an operation with a
 * constant. */
static bool
changes_sp(const struct instruction *is)
{
    const uint8_t opcode = *is->opcode;

    return (opcode & 0xf0) == 0x50 || ((opcode == 0x81 || opcode == 0x83) && (is->opcode[1] & 0xc7) == 0xc4);
}

/* Returns the address after the mov rbp, rsp that follows the push rbp at PUSH. Returns NULL if none follows. The code
 * ends at END. */
static const uint8_t *
find_body(const uint8_t *push, const uint8_t *end)
{
    const uint8_t *at = push + 1;

    for (unsigned i = 0; i <= MAX_BETWEEN && end - at > LONGEST + 8; i++) {
        const struct instruction is = decode(at);

        if (is.length == 3 && at[0] == 0x48 && ((at[1] == 0x89 && at[2] == 0xe5) || (at[1] == 0x8b && at[2] == 0xec)))
            return at + 3;
        if (is.length == 0 || (is.map == 0 && (changes_sp(&is) || *is.opcode >= 0xe8)))
            return NULL;
        at += is.length;
    }
    return NULL;
}

static bool
is_call(const struct instruction *is)
{
    return is->map == 0 && (*is->opcode == 0xe8 || (*is->opcode == 0xff && (is->opcode[1] >> 3 & 7) == 2));
}

/* Returns the number of SIZE bytes at AT. */
static int64_t
distance(const uint8_t *at, unsigned size)
{
    int32_t number;

    if (size == 1)
        return (int8_t)*at;
    memcpy(&number, at, sizeof number);
    return number;
}

/* Returns whether the instructions from BODY on lead to the one with PC, in the same function, and the frame pointer is
 * set there. The code ends at END. */
static bool
leads_to(const uint8_t *body, const uint8_t *pc, const uint8_t *end)
{
    const uint8_t *at = body, *reach = body;
    bool set = true, table = false;             /* a jump by a table leads to unknown places */
    bool called = false;                        /* nothing but padding is between a call and AT */

    while (at <= pc && end - at > LONGEST + 8) {
        const struct instruction is = decode(at);
        const uint8_t *next = at + is.length, *to = body, opcode = *is.opcode;
        const bool plain = is.map == 0, near = plain && opcode == 0xeb, jump = near || (plain && opcode == 0xe9);
        const bool indirect = plain && opcode == 0xff && (is.opcode[1] >> 3 & 6) == 4;

        if (is.length == 0 || (plain && opcode == PUSH_FP && !is.prefixed))
            return false;                       /* the next function begins here, because the last call does not
                                                   return */
        if (pc < next)
            return set;
        called = is_call(&is) || (called && (is.map == 1 ? opcode == 0x1f : plain && opcode == 0x90));
        if (called && !is_call(&is) && (uintptr_t)next % ALIGNMENT == 0 && reach < next)
            return false;                       /* after such a call, the next function begins at this aligned
                                                   address */
        if (near || (plain && (opcode & 0xf0) == 0x70))
            to = next + distance(next - 1, 1);
        else if (jump || (is.map == 1 && (opcode & 0xf0) == 0x80))
            to = next + distance(next - 4, 4);
        if (plain && (opcode == 0xc9 || (opcode == 0x5d && !is.prefixed)))
            set = false;                        /* leave, pop rbp */
        if (to > reach && (set || !jump))
            reach = to;
        table |= indirect && set;
        if (jump || indirect || (plain && (opcode == 0xc3 || opcode == 0xc2 || opcode == 0xf4)) ||
            (is.map == 1 && opcode == 0x0b)) {          /* also ret, hlt, ud2 */
            if (reach < next && !table)
                return false;
            set = true;
        }
        at = next;
    }
    return false;
}

bool
mp_machine_sets_fp(const uint8_t *code, const uint8_t *pc, const uint8_t *end)
{
    const uint8_t *body = NULL;

    if (pc - code > LARGEST_FUNCTION)
        code = pc - LARGEST_FUNCTION;
    for (const uint8_t *push = pc; push > code && !body; push--)
        if (push[-1] == PUSH_FP)
            body = find_body(push - 1, end);
    return body && leads_to(body, pc, end);
}
