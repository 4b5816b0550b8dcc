/*
 * scan_usable.h -- sums the usable sizes of glibc's blocks.
 *
 * glibc stores the size of each chunk, with flags, in the word before the block. Used in a copy of the process, so
 * there is no lock.
 */
#ifndef MP_SCAN_USABLE_H
#define MP_SCAN_USABLE_H

#include "runtime/snapshot/snapshot_stream.h"
#include "scan_blocks.h"
#include "scan_memory.h"

/* Writes the usable bytes of BLOCKS by size class. Writes nothing if the allocator is not glibc's malloc, or if any
 * block is not its own. */
void mp_scan_usable_write(struct mp_stream *out, const struct mp_scan_blocks *blocks, struct mp_scan_memory *memory);

#endif
