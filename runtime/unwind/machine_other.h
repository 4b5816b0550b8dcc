/* SPDX-License-Identifier: MIT */
/* machine_other.h -- see machine.h. libunwind captures the chains, and signal frames are not recognised. */
#ifndef MP_MACHINE_OTHER_H
#define MP_MACHINE_OTHER_H

#include <stdbool.h>
#include <ucontext.h>

#include "runtime/compiler.h"

/* Returns 0, because the place of the interrupted instruction in CONTEXT is not known. */
MP_INLINE uintptr_t
mp_machine_interrupted(const ucontext_t *context)
{
    (void)context;
    return 0;
}

MP_INLINE bool
mp_machine_is_signal_return(uint64_t key)
{
    (void)key;
    return false;
}

#endif
