/*
 * block_trim.h -- gives back the pages of the object table behind which there is no heap any more.
 *
 * Nobody tells us when the allocator gives memory back to the system, unless malloc_trim() is called.  So
 * each thread looks every MP_TRIM_FREES frees whether much less is live than there was; if so, then and some
 * more times, at growing intervals, the kernel is asked which pages of
 * the table are there and which of the heap are not, and pages of words without a block, behind which
 * no page of the heap is there, are given back.  The cost is paid by the frees of what is gone.  What the
 * allocator keeps for itself, touched, keeps its words: they would be back at once.
 *
 * All that while other threads allocate and free, which take no lock.  A page is not thrown away but
 * moved elsewhere (mremap, MREMAP_DONTUNMAP), and the kernel lets zeros grow in its place.  Each load
 * and store of a word sees the one page or the other, whole, and whoever has seen the new one sees the
 * old one no more; so, when the call returns, the old page is what all that came before have left, and
 * changes no more.  A record that came into it after it was found empty is put where it was, unless
 * something is there now:
 *   - Its block was freed meanwhile, the record read in the old page: then there is MP_BLOCK_FREED in the new
 *     one, which is why a free does not leave 0.
 *   - Its block is being freed, and the word read in the new page, before the record was put back: a free
 *     that finds no record sees by the count of moves that it must look again under the lock, where all is
 *     in place (mp_trim_look_again()).
 *   - Its block was not freed: nobody else writes this word.
 */
#ifndef MP_BLOCK_TRIM_H
#define MP_BLOCK_TRIM_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"

#define MP_TRIM_FREES 4096u

struct mp_recorder;

/* The region of ADDRESS is there.  Lock held. */
void mp_trim_add(uintptr_t address);

/* RECORDER's frees_left have been freed. */
MP_COLD void mp_trim_due(struct mp_recorder *recorder);

/* The allocator was just asked to give back what it can. */
void mp_trim_now(void);

/* Odd while words are being moved. */
extern uint64_t mp_trim_moves;

/* What WORD holds, seen not to have been under way. */
uint64_t mp_trim_look_again(const uint64_t *word);

#endif
