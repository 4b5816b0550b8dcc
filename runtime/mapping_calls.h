/* SPDX-License-Identifier: MIT */
/*
 * mapping_calls.h -- what a bridge calls for memory that the program maps itself, beside the allocator.
 *
 * The bridge calls mp_mapped() after a call has mapped something, and mp_unmapping() before a call unmaps something,
 * because right after it another thread may get the same addresses. HOOK_FRAME is the frame address of the hook, as for
 * allocations (allocations.h). Sizes are extended to whole pages, as the kernel does it, except for the
 * break.
 */
#ifndef MP_MAPPING_CALLS_H
#define MP_MAPPING_CALLS_H

#include <stddef.h>

#include "runtime/record/mappers.h"

/* Records that SIZE bytes of KIND were mapped at ADDRESS. The chain of an allocator's own memory is not recorded. */
void mp_mapped(const void *address, size_t size, enum mp_mapped_kind kind, const void *hook_frame);

/* Records that SIZE bytes at ADDRESS are about to be unmapped. If the call fails, mp_unmapping_failed() takes that
 * back. PIECES connects both calls. */
void mp_unmapping(const void *address, size_t size, struct mp_mapping_pieces *pieces);
void mp_unmapping_failed(const struct mp_mapping_pieces *pieces);

/* Records that madvise(2) has released SIZE bytes at ADDRESS. */
void mp_discarded(const void *address, size_t size);

/* Returns the kind of the memory at ADDRESS, or MP_MAPPED_OTHER if it is unknown. */
enum mp_mapped_kind mp_mapped_kind_at(const void *address);

#endif
