/*
 * scan_usable.h -- what glibc's malloc makes of the sizes that are asked for.
 *
 * It keeps the size of each chunk, with flags, in the word before the block.  For a copy of the process: no lock.
 */
#ifndef MP_SCAN_USABLE_H
#define MP_SCAN_USABLE_H

#include "runtime/snapshot/snapshot_stream.h"
#include "scan_blocks.h"
#include "scan_memory.h"

/* Write the usable bytes of BLOCKS by size class; nothing if it is another malloc, or if a block is none of its own. */
void mp_scan_usable_write(struct mp_stream *out, const struct mp_scan_blocks *blocks, struct mp_scan_memory *memory);

#endif
