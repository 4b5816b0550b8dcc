/* SPDX-License-Identifier: MIT */
/*
 * block_trim.h -- releases the pages of the block table for addresses that are no longer heap.
 *
 * Except for malloc_trim(), the allocator does not announce that it releases memory to the system. So each thread
 * checks every MP_FREES_BETWEEN_TRIMS frees whether much less is live than before. If so, it asks the kernel
 * which pages of the table and of the heap are present, at once and some more times at growing intervals. It
 * releases the pages of slots that have no block and whose heap has no present page. The slots of memory that the
 * allocator keeps present are not released, because they would soon be needed again. The time for all this is
 * small compared with that of the frees that caused it.
 *
 * Other threads allocate and free meanwhile, without a lock. A page is not discarded but moved elsewhere (mremap,
 * MREMAP_DONTUNMAP), and the kernel provides a zeroed page in its place. Each load and store of a slot sees
 * either the old or the new page, and a thread that has seen the new one no longer sees the old one. When the
 * call returns, the old page contains all earlier stores and does not change any more. Records stored in one of
 * its slots after it was found empty are put back, unless the new slot is in use:
 *   - If the block was freed meanwhile, and the free read the record in the old page, the new slot contains its
 *     level. That is why a free does not leave 0.
 *   - If the block is being freed, and the free read the slot in the new page before the record was put back,
 *     it finds no record. It notices by the count of moves (mp_block_moves) that it must search again under the
 *     lock, when all records are back.
 *   - If the block was not freed, nobody else writes this slot. Slots of shared units, too, are claimed by other blocks
 *     only after a free or after make_claimable(), which needs the lock.
 */
#ifndef MP_BLOCK_TRIM_H
#define MP_BLOCK_TRIM_H

#include "runtime/compiler.h"

struct mp_recorder;

/* Checks whether pages can be released, or only adds a point to the trace if the check is for later (frees_later). Sets
 * RECORDER's frees_left again. Called when frees_left has become 0. Takes the lock. */
MP_COLD void mp_trim_due(struct mp_recorder *recorder);

/* Releases pages after malloc_trim(). Takes the lock, and does nothing if the thread holds it. */
void mp_trim_now(void);

#endif
