/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <string.h>
#include <sys/auxv.h>

#define GAP  ((uint64_t)65536)         /* bytes between two mappings */
#define PAGE ((uint64_t)65536)          /* bytes; a multiple of the page size of every machine */

/* Returns the size of an eighth of the address space, which is also where the second eighth starts. The stack is
 * at the top of the address space, so its address has as many bits as the space. Returns 0 if the space is too
 * small. */
static uint64_t
eighth(void)
{
    uint64_t stack = getauxval(AT_RANDOM);

    return stack >> 32 ? (uint64_t)1 << (61 - __builtin_clzll(stack)) : 0;
}

uint64_t
mp_place_rows_size(void)
{
    return eighth() / 4;
}

/* Divides the second eighth of the address space. Its first sixteenth is left to programs that want a round address.
 * After a random distance of up to a quarter of the eighth follow a quarter for the rows and other mappings. */
char *
mp_place_rows(void)
{
    const void *random = (const void *)getauxval(AT_RANDOM);
    uint64_t chance;

    if (!eighth())
        return NULL;
    memcpy(&chance, random, sizeof chance);
    return (char *)(eighth() + eighth() / 16 + (chance % (eighth() / 4) & ~(PAGE - 1)));
}

static uint64_t next;                   /* where mp_place_next() continues; 0 before its first call */

static uint64_t
first_place(void)
{
    return (uint64_t)mp_place_rows() + mp_place_rows_size() + GAP;
}

void *
mp_place_next(size_t size)
{
    const uint64_t start = first_place();
    const uint64_t end = 2 * eighth(), step = ((size + PAGE - 1) & ~(PAGE - 1)) + GAP;
    uint64_t at = __atomic_load_n(&next, __ATOMIC_RELAXED), from;

    do
        from = at && at + step <= end ? at : start;
    while (!__atomic_compare_exchange_n(&next, &at, from + step, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    return from + step <= end ? (void *)from : NULL;
}

void
mp_place_range(uint64_t *start, uint64_t *end)
{
    *start = (uint64_t)mp_place_rows();
    *end = 2 * eighth();
}

bool
mp_place_was_next(uint64_t start, uint64_t end)
{
    return start < __atomic_load_n(&next, __ATOMIC_RELAXED) && end > first_place();
}

bool
mp_place_is_ours(uintptr_t address)
{
    return address - eighth() < eighth();
}
