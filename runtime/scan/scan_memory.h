/*
 * scan_memory.h -- the process's own memory, read where it may not be readable.
 *
 * For a copy of the process, which has one thread: no lock.  Nothing here is a fault, whatever the program has
 * unmapped or protected.
 */
#ifndef MP_SCAN_MEMORY_H
#define MP_SCAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_SCAN_PIECE ((size_t)65536)

/* A piece of memory that was read last. */
struct mp_scan_memory {
    uintptr_t start, end;               /* what is in `words`; equal: nothing */
    int pages;                          /* /proc/self/pagemap, negative: not to be had */
    bool shared;                        /* what is read next is a mapping that others share */
    uint64_t words[MP_SCAN_PIECE / 8];
};

void mp_scan_memory_open(struct mp_scan_memory *memory);

/* What is read next is a mapping that others share, or not.  Of such a one the copy's page map has nothing; the kernel
 * tells what is in memory, and only that is read, because reading would make pages where there are none. */
void mp_scan_memory_shared(struct mp_scan_memory *memory, bool shared);

/* The words at ADDRESS, a multiple of 8, up to END: *N of them, at most a piece's; NULL: the words up to where *N
 * words later cannot be read, or were never touched.  *N is at least 1. */
const uint64_t *mp_scan_read(struct mp_scan_memory *memory, uintptr_t address, uintptr_t end, size_t *n);

/* The word at ADDRESS; false: it cannot be read. */
bool mp_scan_word(struct mp_scan_memory *memory, uintptr_t address, uint64_t *word);

/* ADDRESS or, where the pages up to END were never touched (shared ones: are not in memory), the first one that was, or
 * END. */
uintptr_t mp_scan_touched(const struct mp_scan_memory *memory, uintptr_t address, uintptr_t end);

#endif
