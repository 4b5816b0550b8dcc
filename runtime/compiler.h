/* SPDX-License-Identifier: MIT */
/* compiler.h -- compiler attributes and machine instructions for the hot path. */
#ifndef MP_COMPILER_H
#define MP_COMPILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"           /* defines MP_HAVE_RULES */

#define MP_LIKELY(x)    __builtin_expect(!!(x), 1)
#define MP_UNLIKELY(x)  __builtin_expect(!!(x), 0)
#define MP_NOINLINE     __attribute__((noinline))
#define MP_COLD         __attribute__((noinline, cold))
#define MP_INLINE       static inline __attribute__((always_inline))
#define MP_PUBLIC       __attribute__((visibility("default")))
/* Attribute for declarations of variables that the hot path reads. -fvisibility=hidden affects only definitions.
 * Without this attribute, each use would load the variable's address from a table. */
#define MP_HIDDEN       __attribute__((visibility("hidden")))
/* Attribute for large variables without an initial value. They are placed behind all small ones, which therefore share
 * few pages: a page is only touched, which takes time in a short process, if something on it is used. */
#if defined __x86_64__ && !defined __clang__
#define MP_LARGE        __attribute__((section(".lbss")))
#else
#define MP_LARGE
#endif
#define MP_TLS          __thread __attribute__((tls_model("initial-exec")))

/* Attributes for a function that must end in a tail call, so that the called function has the same caller, stack
 * and registers. WITH_JUMPS is written before the function, and JUMP in place of its last return. gcc and clang
 * need different attributes. gcc makes no tail calls with -Og, not even with this attribute. clang makes one only
 * to a function with the same parameters. */
#ifdef __clang__
#define WITH_JUMPS
#define JUMP __attribute__((musttail)) return
#else
#define WITH_JUMPS __attribute__((optimize("O2", "optimize-sibling-calls")))
#define JUMP return
#endif

/* Compiler barrier: memory accesses before it precede those after it. A signal handler that interrupts the
 * thread, or that jumps out of it, sees them in this order. */
#define MP_IN_ORDER()   __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Body of a loop that waits for another thread. */
#ifdef __x86_64__
#define MP_SPIN()       __builtin_ia32_pause()
#elif defined __aarch64__
#define MP_SPIN()       __asm__ volatile("isb" : : : "memory")
#else
#define MP_SPIN()       __asm__ volatile("" : : : "memory")
#endif

/*
 * Returns whether *WORD equals VALUE. Other threads may write *WORD at any time. Compares in memory, because gcc
 * uses two instructions for an atomic load and a comparison. Later reads are not moved before this one.
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

/* Subtracts VALUE from *COUNTER. Returns whether the result is negative. */
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

/* Returns VALUE, an argument of the caller, in another register. Otherwise gcc keeps the argument in a
 * callee-saved register, which it saves on entry even on paths that do not need it. */
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

#define MP_MUST_USE     __attribute__((warn_unused_result))

/*
 * Adds VALUE to a counter that one thread writes and another process reads. Uses one instruction where the machine
 * has one. So a signal handler that allocates cannot lose an update, and a reader never sees half of an update.
 * Needs no lock prefix, because there is only one writer.
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
