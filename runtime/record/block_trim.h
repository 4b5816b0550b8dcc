/*
 * block_trim.h -- gives back the pages of malloc's object table behind which there is no heap any more.
 *
 * The allocator does not say when it gives memory back to the system, unless malloc_trim() is called.  So
 * each thread looks every MP_FREES_BETWEEN_TRIMS frees whether much less is live than there was; if so, then
 * and some more times, at growing intervals, it asks the kernel which pages of the table are there and which
 * of the heap are not, and gives pages of slots without a block back, behind which no page of the heap is
 * there.  The cost is paid by the frees of what is gone.  What the allocator keeps for itself, touched, keeps
 * its words: they would be back at once.
 *
 * All that while other threads allocate and free, which take no lock.  A page is not thrown away but moved
 * elsewhere (mremap, MREMAP_DONTUNMAP), and the kernel lets zeros grow in its place.  Each load and store of
 * a slot sees the one page or the other, whole, and whoever has seen the new one sees the old one no more;
 * so, when the call returns, the old page is what all that came before have left, and changes no more.  What
 * came into one of its slots after it was found empty is put where it was, unless something is there now:
 *   - The block was freed meanwhile, which was read in the old page: then there is MP_BLOCK_FREED in the new
 *     one, which is why a free does not leave 0.
 *   - The block is being freed, and the slot read in the new page, before it was put back: a free that
 *     finds no record sees by the count of moves (mp_block_moves) that it must look again under the lock,
 *     where all is in place.
 *   - The block was not freed: nobody else writes this slot.
 * That holds for each slot by itself, so a block's two may stand in two pages, of which one is moved, or
 * both.  A free that has read the first one and does not find the size in the second looks at both again,
 * in the same way; and it leaves MP_BLOCK_FREED in both, so that neither can come back alone.
 */
#ifndef MP_BLOCK_TRIM_H
#define MP_BLOCK_TRIM_H

#include "runtime/compiler.h"

struct mp_recorder;

/* RECORDER's frees_left have been freed: look, and set frees_left anew.  Takes the lock. */
MP_COLD void mp_trim_due(struct mp_recorder *recorder);

/* The allocator was just asked to give back what it can.  Takes the lock, unless the thread has it. */
void mp_trim_now(void);

#endif
