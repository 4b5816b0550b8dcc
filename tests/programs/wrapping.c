/*
 * wrapping.c -- a library that wraps functions of libc and allocates in each, as libfaketime and fakeroot do in some.
 * tests/e2e/wrapped.sh makes the wrappers themselves, in assembly, and the table of their names.
 *
 * A wrapper saves all registers that contain arguments, calls wrapping_next(), and jumps to the function that it
 * returns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

extern const char *const wrapping_names[];
extern void *wrapping_found[];

static __thread int inside __attribute__((tls_model("initial-exec")));

/* Returns function NUMBER of the table in the next library. Allocates, unless the thread is already in a wrapper. */
__attribute__((visibility("hidden"))) void *
wrapping_next(unsigned number)
{
    static void *(*find)(void *, const char *);
    void *block;

    if (inside && wrapping_found[number])
        return wrapping_found[number];
    inside++;
    if (!find)
        *(void **)&find = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (!wrapping_found[number])
        wrapping_found[number] = find(RTLD_NEXT, wrapping_names[number]);
    block = malloc(100);
    __asm__ volatile("" : : "r"(block) : "memory");
    free(block);
    inside--;
    return wrapping_found[number];
}
/* SPDX-License-Identifier: MIT */
