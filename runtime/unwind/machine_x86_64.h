/* machine_x86_64.h -- see machine.h. */
#ifndef MP_MACHINE_X86_64_H
#define MP_MACHINE_X86_64_H

#include <stdbool.h>

#include "runtime/compiler.h"

/* DWARF's numbers: rbp, rsp, return address. */
#define MP_CFI_FP 6u
#define MP_CFI_SP 7u
#define MP_CFI_RA 16u
#define MP_CFI_REGISTERS 17u    /* all that may have to do with addresses */

/* Those that a call keeps: rbx, rbp, rsp, r12 to r15. */
#define MP_CFI_KEPT (1u << 3 | 1u << MP_CFI_FP | 1u << MP_CFI_SP | 0xfu << 12)

/* The return address is so far below the CFA, bytes; no frame is smaller. */
#define MP_MACHINE_RETURN 8u

MP_INLINE const uint64_t *
mp_machine_return_word(uint64_t cfa)
{
    return (const uint64_t *)(cfa - MP_MACHINE_RETURN);
}

/* Where the kernel's rt_sigframe has the interrupted registers, from sp in the code that returns
 * from the handler: the ucontext is at sp, its gregs 40 bytes into it. */
#define MP_SIGNAL_FP  (40 + 8 * 10)
#define MP_SIGNAL_SP  (40 + 8 * 15)
#define MP_SIGNAL_IP  (40 + 8 * 16)

/* And where its ucontext says what alternate stack the thread had: the address; two words on, the size. */
#define MP_SIGNAL_STACK 16

/* unw_getcontext() is a function of libunwind's library, not code of its header. */
#define MP_MACHINE_GETCONTEXT 1

/* The registers that a call keeps, and ip, of the function that this becomes a part of. */
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

/* More calls than the processor makes in a tick of mp_machine_clock(); 0: there is no such clock.  A program
 * may have it forbidden (prctl(2)). */
unsigned mp_machine_calls_in_a_tick(void);

/* The processor's time stamp counter, and which *PROCESSOR that is.  It is read when all before it is done,
 * and nothing of what stands behind it has begun. */
MP_INLINE uint64_t
mp_machine_clock(uint32_t *processor)
{
    uint64_t ticks = __builtin_ia32_rdtscp(processor);

    __builtin_ia32_lfence();
    return ticks;
}

#endif
