/* SPDX-License-Identifier: MIT */
/* machine_x86_64.h -- see machine.h. */
#ifndef MP_MACHINE_X86_64_H
#define MP_MACHINE_X86_64_H

#include <stdbool.h>
#include <ucontext.h>

#include "runtime/compiler.h"

/* DWARF's numbers of rbp, rsp and the return address. */
#define MP_CFI_FP 6u
#define MP_CFI_SP 7u
#define MP_CFI_RA 16u
#define MP_CFI_REGISTERS 17u    /* covers all registers that may hold addresses */

/* Bits of the registers that a call preserves: rbx, rbp, rsp, r12 to r15. */
#define MP_CFI_KEPT (1u << 3 | 1u << MP_CFI_FP | 1u << MP_CFI_SP | 0xfu << 12)

/* Distance in bytes of the return address below the CFA. No frame is smaller. */
#define MP_MACHINE_RETURN 8u

MP_INLINE const uint64_t *
mp_machine_return_word(uint64_t cfa)
{
    return (const uint64_t *)(cfa - MP_MACHINE_RETURN);
}

/* Places of the interrupted registers in the kernel's rt_sigframe, relative to sp in the code that returns from the
 * handler. The ucontext is at sp, and its gregs are 40 bytes into it. */
#define MP_SIGNAL_FP  (40 + 8 * 10)
#define MP_SIGNAL_SP  (40 + 8 * 15)
#define MP_SIGNAL_IP  (40 + 8 * 16)

/* unw_getcontext() is a function in libunwind's library, not inline code of its header. */
#define MP_MACHINE_GETCONTEXT 1

/* Stores the preserved registers and ip of the function into which this is inlined. */
MP_INLINE void
mp_machine_here(uint64_t value[MP_CFI_REGISTERS])
{
    __asm__ volatile("movq %%rbx, 24(%0)\n\t"
                     "movq %%rbp, 48(%0)\n\t"
                     "movq %%rsp, 56(%0)\n\t"
                     "movq %%r12, 96(%0)\n\t"
                     "movq %%r13, 104(%0)\n\t"
                     "movq %%r14, 112(%0)\n\t"
                     "movq %%r15, 120(%0)\n\t"
                     "leaq 0(%%rip), %%rax\n\t"
                     "movq %%rax, 128(%0)"
                     : : "D"(value) : "rax", "memory");
}

/* Instructions of stack_word.h. The first of each may fault. They load %0 from the memory %1; set %0 to 0 and jump to
 * label 2; compare the memory %0 with %1 and jump to `different` if they differ. */
#define MP_MACHINE_LOAD         "movq %1, %0"
#define MP_MACHINE_ZERO         "xorl %k0, %k0\n\tjmp 2b"
#define MP_MACHINE_COMPARE      "cmpq %1, %0\n\tjne %l[different]"
#define MP_MACHINE_COMPARE_CLOBBERS "cc"
#define MP_MACHINE_MEMORY(word) "m"(word)

/* Returns the address of the instruction that a signal interrupted. */
MP_INLINE uintptr_t
mp_machine_interrupted(const ucontext_t *context)
{
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* Makes the interrupted thread continue at CODE, in the same function. */
MP_INLINE void
mp_machine_continue(ucontext_t *context, uintptr_t code)
{
    context->uc_mcontext.gregs[REG_RIP] = (greg_t)code;
}

/* Makes the interrupted thread call FUNCTION, which does not return. */
MP_INLINE void
mp_machine_call(ucontext_t *context, void (*function)(void))
{
    greg_t *sp = &context->uc_mcontext.gregs[REG_RSP];

    *sp = ((*sp - 128) & -16) - 8;      /* below the red zone, where a call would have stored a return address */
    mp_machine_continue(context, (uintptr_t)function);
}

/* Returns an upper bound of the number of calls that the processor can make in one tick of mp_machine_clock().
 * Returns 0 if there is no such clock; a program may have it forbidden (prctl(2)). */
unsigned mp_machine_calls_in_a_tick(void);

/* Returns the processor's time stamp counter and stores the processor's number in *PROCESSOR. When the counter is
 * read, all earlier instructions have finished and no later one has begun. */
MP_INLINE uint64_t
mp_machine_clock(uint32_t *processor)
{
    uint64_t ticks = __builtin_ia32_rdtscp(processor);

    __builtin_ia32_lfence();
    return ticks;
}

#endif
