/* SPDX-License-Identifier: MIT */
#include "call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

#include "runtime/unwind/stack_word.h"

#ifdef __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_AARCH64
#endif

/* Sets *VALUE to the word at OFFSET of struct seccomp_data. Returns false if it is not known before the call. */
static bool
load(uint32_t offset, uint32_t number, uint32_t *value)
{
    *value = offset == offsetof(struct seccomp_data, nr) ? number : ARCH;
    return offset == offsetof(struct seccomp_data, nr) || offset == offsetof(struct seccomp_data, arch);
}

/* Returns whether the jump INSTRUCTION is taken if the accumulator holds A. */
static bool
is_taken(const struct sock_filter *instruction, uint32_t a)
{
    switch (BPF_OP(instruction->code)) {
    case BPF_JEQ: return a == instruction->k;
    case BPF_JGT: return a > instruction->k;
    case BPF_JGE: return a >= instruction->k;
    default: return (a & instruction->k) != 0;          /* BPF_JSET */
    }
}

bool
mp_filter_allows(const void *filter, uint32_t number)
{
    const uint64_t program = (uint64_t)filter;
    const uint64_t code = mp_stack_load(program + offsetof(struct sock_fprog, filter));
    const uint64_t length = mp_stack_load(program) & UINT16_MAX;
    uint32_t a = 0;

    for (uint64_t at = 0; at < length; at++) {
        const uint64_t word = mp_stack_load(code + at * sizeof word);
        struct sock_filter instruction;

        _Static_assert(sizeof instruction == sizeof word, "an instruction is a word");
        memcpy(&instruction, &word, sizeof instruction);
        switch (instruction.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (!load(instruction.k, number, &a))
                return false;
            break;
        case BPF_JMP | BPF_JA:
            at += instruction.k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
        case BPF_JMP | BPF_JGT | BPF_K:
        case BPF_JMP | BPF_JGE | BPF_K:
        case BPF_JMP | BPF_JSET | BPF_K:
            at += is_taken(&instruction, a) ? instruction.jt : instruction.jf;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            a &= instruction.k;
            break;
        case BPF_RET | BPF_K:
            return (instruction.k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ALLOW ||
                   (instruction.k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_LOG;
        default:
            return false;
        }
    }
    return false;
}
