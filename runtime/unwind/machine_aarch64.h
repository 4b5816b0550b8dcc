/* SPDX-License-Identifier: MIT */
/* machine_aarch64.h -- see machine.h. There are no rules; libunwind captures the chains. */
#ifndef MP_MACHINE_AARCH64_H
#define MP_MACHINE_AARCH64_H

#include <stdbool.h>
#include <ucontext.h>

#include "runtime/compiler.h"

/* Described in machine_x86_64.h, as are the functions below. */
#define MP_MACHINE_LOAD         "ldr %0, %1"
#define MP_MACHINE_ZERO         "mov %0, #0\n\tb 2b"
#define MP_MACHINE_COMPARE      "ldr x16, %0\n\tcmp x16, %1\n\tb.ne %l[different]"
#define MP_MACHINE_COMPARE_CLOBBERS "cc", "x16"
#define MP_MACHINE_MEMORY(word) "Q"(word)

MP_INLINE uintptr_t
mp_machine_interrupted(const ucontext_t *context)
{
    return context->uc_mcontext.pc;
}

MP_INLINE void
mp_machine_continue(ucontext_t *context, uintptr_t code)
{
    context->uc_mcontext.pc = code;
}

MP_INLINE void
mp_machine_call(ucontext_t *context, void (*function)(void))
{
    mp_machine_continue(context, (uintptr_t)function);
}

/* Returns whether KEY is code that returns from a signal handler: mov x8, #139 (rt_sigreturn); svc #0. */
MP_INLINE bool
mp_machine_is_signal_return(uint64_t key)
{
    const uint32_t *code = (const uint32_t *)key;

    return key % 4 == 0 && code[0] == 0xd2801168 && code[1] == 0xd4000001;
}

#endif
