/* SPDX-License-Identifier: MIT */
/*
 * scan_roots.h -- finds the roots, which are words outside of malloc's blocks that point to blocks. The program can
 * still reach these blocks.
 *
 * As in valgrind's memcheck, roots are in all memory that the program can write, except for the allocator's own. By
 * /proc/self/maps this is the data of modules, the stacks of existing threads from their stack pointers on, with
 * their descriptors and thread-local storage, and other mappings. glibc's heaps and the stacks that it keeps of
 * ended threads are excluded. With another allocator, anonymous memory cannot be distinguished from its heaps, so
 * only what the program mapped itself counts (scan_mapped.h).
 *
 * Of libgc's memory, only words of objects that are in use are roots (scan_collected.h).
 *
 * libc's own data contain the allocator's lists, whose pointers lead into the preceding blocks. There, only words
 * that point to the beginning of a block count.
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

/* Writes the roots in libgc's objects. Called after the words of all blocks were noted, too. */
void mp_scan_roots_write_collected(const struct mp_scan_roots *roots);

#endif
