#include "tests/unit/tap.h"

#include "reporter/symbols/instruction.h"

#define AT 0x1000u
enum { RAX = 0, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8, R12 = 12 };

static struct mp_instruction code;

/* Decodes the instruction that consists of the bytes of TEXT, a string literal. */
#define READ(text) ck_assert(mp_code_x86_64((const uint8_t *)(text), sizeof(text) - 1, AT, &code)); \
                   ck_assert_uint_eq(code.size, sizeof(text) - 1)

TEST(copies)
{
    READ("\x48\x89\xc3");               /* mov %rax,%rbx */
    ck_assert_int_eq(code.kind, MP_CODE_COPY);
    ck_assert_int_eq(code.from, RAX);
    ck_assert_int_eq(code.to, RBX);
    ck_assert_uint_eq(code.written, 1u << RBX);
    READ("\x4c\x8b\xe0");               /* mov %rax,%r12, its other form */
    ck_assert_int_eq(code.kind, MP_CODE_COPY);
    ck_assert_int_eq(code.to, R12);
    READ("\x89\xc3");                   /* mov %eax,%ebx: half a pointer */
    ck_assert_int_eq(code.kind, MP_CODE_OTHER);
    ck_assert_uint_eq(code.written, 1u << RBX);
}

TEST(memory)
{
    READ("\x48\x89\x45\xf8");           /* mov %rax,-8(%rbp) */
    ck_assert_int_eq(code.kind, MP_CODE_STORE);
    ck_assert_int_eq(code.base, RBP);
    ck_assert_int_eq(code.offset, -8);
    ck_assert_uint_eq(code.written, 0);
    READ("\x49\x89\x44\x24\x10");       /* mov %rax,16(%r12) */
    ck_assert_int_eq(code.base, R12);
    ck_assert_int_eq(code.offset, 16);
    ck_assert_int_eq(code.index, MP_CODE_NONE);
    READ("\x48\x89\x04\xcb");           /* mov %rax,(%rbx,%rcx,8) */
    ck_assert_int_eq(code.base, RBX);
    ck_assert_int_eq(code.index, RCX);
    READ("\x48\x89\x05\x34\x12\x00\x00");       /* mov %rax,0x1234(%rip) */
    ck_assert(code.absolute);
    ck_assert_int_eq(code.offset, AT + 7 + 0x1234);
    READ("\x48\x8b\x54\x24\x08");       /* mov 8(%rsp),%rdx */
    ck_assert_int_eq(code.kind, MP_CODE_LOAD);
    ck_assert_int_eq(code.base, RSP);
    ck_assert_int_eq(code.to, RDX);
    READ("\x48\xc7\x45\xf8\x00\x00\x00\x00");   /* movq $0,-8(%rbp) */
    ck_assert_uint_eq(code.overwrites, 1);
    READ("\x48\x8d\x45\xf8");           /* lea -8(%rbp),%rax */
    ck_assert_int_eq(code.kind, MP_CODE_OTHER);
    ck_assert(code.takes_address);
    ck_assert_uint_eq(code.written, 1u << RAX);
    READ("\x0f\x11\x45\xf0");           /* movups %xmm0,-16(%rbp) */
    ck_assert_uint_eq(code.overwrites, 16);
    ck_assert_uint_eq(code.written, 0);
    READ("\x64\x48\x8b\x04\x25\x28\x00\x00\x00");       /* mov %fs:0x28,%rax */
    ck_assert_int_eq(code.kind, MP_CODE_OTHER);
    ck_assert_uint_eq(code.written, 1u << RAX);
}

TEST(where_it_goes_on)
{
    READ("\x48\x85\xc0");               /* test %rax,%rax */
    ck_assert_int_eq(code.kind, MP_CODE_IS_NULL);
    ck_assert_int_eq(code.from, RAX);
    READ("\x48\x83\x7d\xf8\x00");       /* cmpq $0,-8(%rbp) */
    ck_assert_int_eq(code.kind, MP_CODE_IS_NULL);
    ck_assert_int_eq(code.from, MP_CODE_NONE);
    READ("\x48\x83\x7d\xf8\x01");       /* cmpq $1,-8(%rbp) */
    ck_assert_int_eq(code.kind, MP_CODE_OTHER);
    READ("\x74\xfe");                   /* je to itself */
    ck_assert_int_eq(code.kind, MP_CODE_BRANCH);
    ck_assert(code.if_null && !code.if_not_null);
    ck_assert_uint_eq(code.target, AT);
    READ("\x0f\x85\x00\x01\x00\x00");   /* jne */
    ck_assert(code.if_not_null);
    ck_assert_uint_eq(code.target, AT + 6 + 0x100);
    READ("\xe8\x00\x00\x00\x00");       /* call: %rbx and %rbp stay, %rax and %r8 do not */
    ck_assert_int_eq(code.kind, MP_CODE_CALL);
    ck_assert_uint_eq(code.written & (1u << RAX | 1u << RBX | 1u << RBP | 1u << R8), 1u << RAX | 1u << R8);
    READ("\xff\x25\x00\x00\x00\x00");   /* jmp *0(%rip) */
    ck_assert_int_eq(code.kind, MP_CODE_JUMP);
    ck_assert_uint_eq(code.target, 0);
    READ("\xc3");
    ck_assert_int_eq(code.kind, MP_CODE_RETURN);
    READ("\x0f\x0b");                   /* ud2 */
    ck_assert_int_eq(code.kind, MP_CODE_END);
}

/* Bytes behind the end are not read, and an unknown opcode is refused. */
TEST(what_is_cut_or_unknown)
{
    const uint8_t store[] = {0x48, 0x89, 0x84, 0x24, 0x00, 0x01, 0x00, 0x00};

    for (size_t size = 0; size < sizeof store; size++)
        ck_assert(!mp_code_x86_64(store, size, AT, &code));
    ck_assert(mp_code_x86_64(store, sizeof store, AT, &code));
    ck_assert_int_eq(code.offset, 256);
    ck_assert(!mp_code_x86_64((const uint8_t *)"\xc5\xf8\x77", 3, AT, &code));  /* vzeroupper */
    ck_assert(!mp_code_x86_64((const uint8_t *)"\x06", 1, AT, &code));
}
/* SPDX-License-Identifier: MIT */
