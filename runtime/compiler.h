/* compiler.h -- what the hot path asks of the compiler. */
#ifndef MP_COMPILER_H
#define MP_COMPILER_H

#include <stdint.h>

#include "config.h"           /* MP_HAVE_RULES */

#define MP_LIKELY(x)    __builtin_expect(!!(x), 1)
#define MP_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define MP_NOINLINE     __attribute__((noinline))
#define MP_COLD         __attribute__((noinline, cold))
#define MP_INLINE       static inline __attribute__((always_inline))
#define MP_PUBLIC       __attribute__((visibility("default")))
/* For variables that the way of an allocation reads, where they are declared: -fvisibility is about
 * definitions, and without this each use takes the address from a table. */
#define MP_HIDDEN       __attribute__((visibility("hidden")))
#define MP_TLS          __thread __attribute__((tls_model("initial-exec")))

/* What stands before it is written before what stands behind it, for a signal handler that interrupts
 * the thread in between; and for what the thread finds, if the handler jumps away. */
#define MP_IN_ORDER()   __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* In a loop that waits for another thread. */
#ifdef __x86_64__
#define MP_SPIN()       __builtin_ia32_pause()
#elif defined __aarch64__
#define MP_SPIN()       __asm__ volatile("isb" : : : "memory")
#else
#define MP_SPIN()       __asm__ volatile("" : : : "memory")
#endif

#define MP_MUST_USE     __attribute__((warn_unused_result))

/*
 * Add to a counter that one thread writes and another process reads.  One instruction where the
 * machine has one, so that a signal handler that allocates cannot lose an update, and a reader
 * never sees half of one.  No lock prefix: nobody else writes.
 */
MP_INLINE void
mp_add(uint64_t *counter, uint64_t value)
{
#ifdef __x86_64__
    __asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
#else
    __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
#endif
}

MP_INLINE void
mp_add_32(uint32_t *counter, uint32_t value)
{
#ifdef __x86_64__
    __asm__ volatile("addl %1, %0" : "+m"(*counter) : "ir"(value) : "cc");
#else
    __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
#endif
}

MP_INLINE void
mp_add_signed(int64_t *counter, int64_t value)
{
    mp_add((uint64_t *)counter, (uint64_t)value);
}

#endif
