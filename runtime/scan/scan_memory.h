/* SPDX-License-Identifier: MIT */
/*
 * scan_memory.h -- reads the process's own memory where it may be unreadable.
 *
 * Used in a copy of the process, which has one thread, so there is no lock. No read causes a fault, whatever the
 * program has unmapped or protected.
 */
#ifndef MP_SCAN_MEMORY_H
#define MP_SCAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MP_SCAN_PIECE ((size_t)65536)

/* The piece of memory that was read last. */
struct mp_scan_memory {
    uintptr_t start, end;               /* address range whose contents `words` has; empty if none */
    int pages;                          /* descriptor of /proc/self/pagemap; negative if unavailable */
    int pipe[2];                        /* for memory that only write(2) reads; negative if unavailable */
    bool shared;                        /* the next reads are in a shared mapping */
    uint64_t words[MP_SCAN_PIECE / 8];
};

/* Memory from START to END whose contents are at CONTENTS. mp_scan_memory_move() sets the list of all such memory, in
 * ascending order. The functions below then read at CONTENTS what is asked for at START. */
struct mp_scan_moved {
    uintptr_t start, end, contents;
};
void mp_scan_memory_move(const struct mp_scan_moved *list, uint32_t n);

void mp_scan_memory_open(struct mp_scan_memory *memory);
void mp_scan_memory_close(struct mp_scan_memory *memory);

/* Opens a pipe, which stays open. With it, mp_scan_read() also reads memory that process_vm_readv(2) refuses to
 * read. */
void mp_scan_memory_pipe(struct mp_scan_memory *memory);

/* Sets whether the next reads are in a shared mapping. The copy's page map has no entries for shared mappings.
 * Therefore the kernel is asked which pages of a shared mapping are in memory. Only these pages are read, because
 * reading a missing page would create it. */
void mp_scan_memory_shared(struct mp_scan_memory *memory, bool shared);

/* Returns the words from ADDRESS, a multiple of 8, up to END or to the end of the piece that is read, and sets *N to
 * their number. Returns NULL if they cannot be read; *N is then the number of words to skip. *N is at least 1. */
const uint64_t *mp_scan_read(struct mp_scan_memory *memory, uintptr_t address, uintptr_t end, size_t *n);

/* Reads the word at ADDRESS. Returns false if it cannot be read. */
bool mp_scan_word(struct mp_scan_memory *memory, uintptr_t address, uint64_t *word);

/* Copies SIZE bytes at ADDRESS, which may be any, to BUFFER. Returns false if they cannot be read. */
bool mp_scan_peek(uintptr_t address, void *buffer, size_t size);

/* Returns the first address from ADDRESS on, up to END, that is in a page that was ever touched or, in a shared
 * mapping, is in memory. Returns END if no address satisfies this. */
uintptr_t mp_scan_touched(const struct mp_scan_memory *memory, uintptr_t address, uintptr_t end);

#endif
