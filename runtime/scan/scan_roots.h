/* SPDX-License-Identifier: MIT */
/*
 * scan_roots.h -- finds the roots, which are words outside of malloc's blocks that point to blocks. The program can
 * still reach these blocks.
 *
 * As in valgrind's memcheck, roots are in all memory that the program can write, except for the allocator's own. The
 * mappings in /proc/self/maps that count are the data of modules, the stacks of existing threads from their stack
 * pointers on, with descriptors and thread-local storage, and other mappings. glibc's heaps, and the stacks of ended
 * threads that glibc keeps, do not count. The heaps of another allocator cannot be distinguished from other anonymous
 * memory, so with another allocator only the memory that the program mapped itself counts (scan_mapped.h).
 *
 * Of libgc's memory, only words of objects that are in use are roots (scan_collected.h).
 *
 * libc's own data contain the allocator's lists of free chunks. A chunk begins before its block, so a pointer to a free
 * chunk leads into the preceding block. Therefore only words that point to the beginning of a block count there.
 */
#ifndef MP_SCAN_ROOTS_H
#define MP_SCAN_ROOTS_H

#include "runtime/snapshot/snapshot_stream.h"
#include "scan_blocks.h"
#include "scan_collected.h"
#include "scan_descriptors.h"
#include "scan_maps.h"
#include "scan_threads.h"

struct mp_scan_roots {
    struct mp_stream *out;
    struct mp_scan_memory *memory;
    const struct mp_scan_blocks *blocks;
    const struct mp_scan_maps *maps;
    const struct mp_scan_threads *threads;
    const struct mp_scan_descriptors *descriptors;
    struct mp_scan_collected *collected;
};

/* Writes the roots to roots->out. */
void mp_scan_roots_write(const struct mp_scan_roots *roots);

/* Writes the roots in libgc's objects. mp_scan_collected_reach() must have been called for the words of all blocks. */
void mp_scan_roots_write_collected(const struct mp_scan_roots *roots);

#endif
