/* machine_aarch64.h -- see machine.h. There are no rules; libunwind captures the chains. */
#ifndef MP_MACHINE_AARCH64_H
#define MP_MACHINE_AARCH64_H

#include <stdbool.h>

#include "runtime/compiler.h"

/* Returns whether KEY is code that returns from a signal handler: mov x8, #139 (rt_sigreturn); svc #0. */
MP_INLINE bool
mp_machine_is_signal_return(uint64_t key)
{
    const uint32_t *code = (const uint32_t *)key;

    return key % 4 == 0 && code[0] == 0xd2801168 && code[1] == 0xd4000001;
}

#endif
