/* machine_other.h -- see machine.h. libunwind captures the chains, and signal frames are not recognised. */
#ifndef MP_MACHINE_OTHER_H
#define MP_MACHINE_OTHER_H

#include <stdbool.h>

#include "runtime/compiler.h"

MP_INLINE bool
mp_machine_is_signal_return(uint64_t key)
{
    (void)key;
    return false;
}

#endif
