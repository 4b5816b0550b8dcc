/* compiler.h -- what the hot path asks of the compiler. */
#ifndef MP_COMPILER_H
#define MP_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
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

/* A hook whose caller is to be that of the next function: it ends in a jump, which gcc and clang are
 * asked for in different places; gcc makes none with -Og, whatever else it is asked for.  clang jumps only
 * to a function that has the hook's parameters. */
#ifdef __clang__
#define WITH_JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("O2", "optimize-sibling-calls")))
#define JUMP return
#endif

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

/*
 * What others may write at any moment, compared where it stands: gcc takes two instructions for that if it
 * is told that the load is an atomic one.  What is read later is not read before.
 */
MP_INLINE bool
mp_is_equal(const uint32_t *word, uint32_t value)
{
#ifdef __x86_64__
    bool equal;

    __asm__ volatile("cmpl %2, %1" : "=@cce"(equal) : "m"(*word), "ri"(value) : "memory");
    return equal;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) == value;
#endif
}

MP_INLINE bool
mp_is_zero_byte(const uint8_t *byte)
{
#ifdef __x86_64__
    bool zero;

    __asm__ volatile("cmpb $0, %1" : "=@cce"(zero) : "m"(*byte));
    return zero;
#else
    return __atomic_load_n(byte, __ATOMIC_RELAXED) == 0;
#endif
}

/* Subtract VALUE from *COUNTER: is it less than 0 then? */
MP_INLINE bool
mp_subtract(int64_t *counter, int64_t value)
{
#ifdef __x86_64__
    bool negative;

    __asm__ volatile("subq %2, %0" : "+m"(*counter), "=@ccl"(negative) : "er"(value));
    return negative;
#else
    return __atomic_sub_fetch(counter, value, __ATOMIC_RELAXED) < 0;
#endif
}

/* An address in the stack frame of the function that this is written in, also if it has no frame pointer. */
MP_INLINE const void *
mp_stack_address(void)
{
#ifdef __x86_64__
    const void *address;

    __asm__ volatile("movq %%rsp, %0" : "=r"(address));
    return address;
#else
    return __builtin_frame_address(0);
#endif
}

/* VALUE, an argument, in another register.  Else gcc takes one for both that the function has to save, and
 * does so at the entry, also for a branch that does without. */
MP_INLINE size_t
mp_copied(size_t value)
{
#ifdef __x86_64__
    size_t copy;

    __asm__("movq %1, %0" : "=r"(copy) : "r"(value));
    return copy;
#else
    return value;
#endif
}

/* For a function that calls another at its end by a jump, so that this has its caller, stack and registers.
 * gcc and clang are asked for that in different places; gcc makes no jump with -Og, whatever else it is asked for. */
#ifdef __clang__
#define WITH_JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("O2", "optimize-sibling-calls")))
#define JUMP return
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

#endif
