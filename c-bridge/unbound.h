/* SPDX-License-Identifier: MIT */
/*
 * unbound.h -- passes on calls that come before the loader has bound this library.
 *
 * The loader binds a library that the program needs before a preloaded one, and runs the IFUNC resolvers of the library
 * then. If a resolver calls a hook, none of our pointers, no function of libc and no thread-local variable can be used.
 * The hook then only calls the next function, which has been bound if the call would work without us.
 */
#ifndef MP_UNBOUND_H
#define MP_UNBOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/compiler.h"

/* Points to itself as soon as the loader has relocated this library. Before that, it contains the address that the
 * linker assumed. */
extern MP_HIDDEN const void *volatile mp_bound;

MP_INLINE bool
mp_is_unbound(void)
{
    return MP_UNLIKELY(mp_bound != (const void *)&mp_bound);
}

/* Returns the function NAME of the next object in the loader's list, or NULL. Called only while this library is
 * unbound. Uses nothing that the loader must have bound. */
void *mp_unbound_next(const char *name);

/* Returns from a hook with the result of the next function NAME if this library is unbound. */
#define MP_PASS_UNBOUND(name, ...)                                              \
    do {                                                                        \
        if (mp_is_unbound())                                                    \
            return ((__typeof__(name) *)(uintptr_t)mp_unbound_next(#name))(__VA_ARGS__); \
    } while (0)

#endif
