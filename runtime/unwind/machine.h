/* SPDX-License-Identifier: MIT */
/*
 * machine.h -- facts about the machine that the unwinder needs.
 *
 * All code in unwind/ that depends on the machine is in machine_NAME.h and machine_NAME.c; configure chooses them
 * (MP_MACHINE_HEADER). For a machine without rules (MP_HAVE_RULES is not defined), the header defines how a signal
 * frame is recognised, how libunwind is entered, and how words are read that may be unreadable (stack_word.h; without
 * MP_MACHINE_LOAD, the kernel reads them). For a machine with rules it defines more, as machine_x86_64.h does: DWARF's
 * register numbers, the registers that a call preserves, the places of a frame's return address and of a signal frame's
 * registers, a clock, and the compiler's startup code.
 */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include "runtime/compiler.h"

#define MP_PLAUSIBLE_FRAME 65536u       /* bytes; larger frames count as changes of the stack */
#define MP_MAX_JUMPS       64u          /* changes of the stack in one chain, after which it is cut */

/* The registers of a frame that rules compute with. */
struct mp_registers {
    uint64_t key;               /* address where the frame continues; see code_table.h */
    uint64_t sp, fp;
};

#include MP_MACHINE_HEADER

/* Return registers of the caller of the function whose frame address is HOOK_FRAME, which is
 * __builtin_frame_address(0) of a function with a frame pointer. On every machine, the caller's frame pointer is
 * stored at that address, followed by the return address. Only on machines with rules does the caller's stack begin
 * after these two words. On others, the returned sp is any number other than 0. */
MP_INLINE uint64_t
mp_machine_caller_key(const void *hook_frame)
{
    return ((const uint64_t *)hook_frame)[1];
}

MP_INLINE uint64_t
mp_machine_caller_sp(const void *hook_frame)
{
    return (uint64_t)hook_frame + 2 * sizeof(uint64_t);
}

MP_INLINE uint64_t
mp_machine_caller_fp(const void *hook_frame)
{
    return ((const uint64_t *)hook_frame)[0];
}

MP_INLINE struct mp_registers
mp_machine_caller(const void *hook_frame)
{
    return (struct mp_registers){ mp_machine_caller_key(hook_frame),
                                  mp_machine_caller_sp(hook_frame),
                                  mp_machine_caller_fp(hook_frame) };
}

#endif
