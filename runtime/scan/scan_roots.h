/*
 * scan_roots.h -- the words outside of malloc's blocks that point to blocks: what the program can still get at.
 *
 * As valgrind's memcheck does: all memory that the program can write, but for the allocator's own.  That is, by
 * /proc/self/maps: data of modules; stacks of threads that are there, from their stack pointers on, with their
 * descriptors and thread-local storage; other mappings, of which glibc's heaps, and stacks that it keeps of threads
 * that have ended, are none.  With another allocator anonymous memory is not told from its heaps: of it only what the
 * program mapped itself counts (scan_mapped.h).
 *
 * libc's own data hold the allocator's lists, whose places lie within the blocks before: there only words count that
 * point to where a block begins.
 */
#ifndef MP_SCAN_ROOTS_H
#define MP_SCAN_ROOTS_H

#include "runtime/snapshot/snapshot_stream.h"
#include "scan_blocks.h"
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
};

/* Write them. */
void mp_scan_roots_write(const struct mp_scan_roots *roots);

#endif
