/*
 * machine.h -- what the unwinder must know of the machine.
 *
 * Everything in unwind/ that differs from machine to machine is in machine_NAME.h and
 * machine_NAME.c; configure chooses them (MP_MACHINE_HEADER).  For a machine without rules
 * (MP_HAVE_RULES is not defined) the header says how a signal frame is known and how libunwind is
 * entered.  One with rules says instead, as machine_x86_64.h does: DWARF's numbers of its
 * registers, and which of them a call keeps; where a frame has its return address, and a signal
 * frame the registers; a clock; and the compiler's startup code.
 */
#ifndef MP_MACHINE_H
#define MP_MACHINE_H

#include "runtime/compiler.h"

#define MP_PLAUSIBLE_FRAME 65536u       /* bytes; of larger frames it is tried what can be read */

/* The registers of a frame that rules compute with. */
struct mp_registers {
    uint64_t key;               /* where it goes on: see code_table.h */
    uint64_t sp, fp;
};

#include MP_MACHINE_HEADER

/* Those of the caller of the function with frame address HOOK_FRAME (__builtin_frame_address(0)
 * of one that has a frame pointer): on every machine the caller's frame pointer is stored there,
 * and behind it the return address.  That the caller's stack begins behind that is only so where
 * there are rules; elsewhere sp is just some number that is not 0. */
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
