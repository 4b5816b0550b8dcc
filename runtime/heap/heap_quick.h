/*
 * heap_quick.h -- the shortest way of mp_heap_alloc() in heap.h, for hooks to have inline.
 *
 * As monitor_quick.h has it for blocks of malloc's: what happens nearly always is one straight way, on which
 * all is asked before anything is changed, and where one answer is no, a function of heap.c does it.  Here
 * the thread is let in, the chain is known, its last cell for such a size is uniform and fits, and where the
 * object stands, none is recorded.
 */
#ifndef MP_HEAP_QUICK_H
#define MP_HEAP_QUICK_H

#include "heap.h"
#include "heap_table.h"
#include "runtime/language/language.h"
#include "runtime/record/counter.h"
#include "runtime/session/activation.h"
#include "runtime/sizeclass.h"
#include "runtime/unwind/chain_known.h"

/* The rest of mp_heap_alloc_quick(): the thread was let in; KNOWN: its chain, NULL: that is not known. */
uint32_t mp_heap_alloc_inside(struct mp_known_chain *known, const void *block, size_t size,
                              size_t requested, unsigned kind, const void *hook_frame);

/* Where KNOWN keeps its last cell for sizes like SIZE. */
MP_INLINE uint32_t *
mp_heap_quick_cell(struct mp_known_chain *known, size_t size)
{
    return &known->heap_cells[size / MP_HEAP_GRANULE % MP_KNOWN_CELLS];
}

/* Keep CELL there if it is uniform, for objects of SIZE bytes then. */
MP_INLINE void
mp_heap_quick_keep(struct mp_known_chain *known, size_t size, uint32_t cell)
{
    if (!mp_counter_is_mixed(&mp_store.cells[cell]))
        *mp_heap_quick_cell(known, size) = cell;
}

/* Does CELL, of this chain, count objects of KIND (as in mp_heap_alloc()) of SIZE bytes?  Payload's kind is
 * that of the last object if both are of the family, and always the same if none of them is. */
MP_INLINE bool
mp_heap_quick_fits(const struct mp_live_cell *cell, size_t size, unsigned kind)
{
    const unsigned its_kind = cell->kind;

    if (MP_UNLIKELY(cell->size != size))
        return false;
    if (kind < MP_KIND_OF_OWNER)
        return its_kind == kind;
    return its_kind & MP_KIND_PAYLOAD && !(its_kind & MP_CELL_MIXED) &&
           ((its_kind ^ MP_KIND_PAYLOAD) - mp_language->family.first >= mp_language->family.n ||
            (its_kind ^ MP_KIND_PAYLOAD) == kind - MP_KIND_OF_OWNER);
}

/* Count an object in CELL, whose id is ID and which fits; false: nothing was done. */
MP_INLINE bool
mp_heap_quick_count(struct mp_recorder *recorder, struct mp_live_cell *cell, uint32_t id,
                    const void *block, size_t size, size_t requested)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, (uintptr_t)block), *word;
    const int64_t pending = recorder->live->pending_bytes + (int64_t)size;

    if (size > UINT32_MAX)
        __builtin_unreachable();        /* in no uniform cell */
    if (MP_UNLIKELY(!recorder->root_known) || MP_UNLIKELY(mp_counter_is_full(cell)) ||
        MP_UNLIKELY(!mp_counter_is_saved(recorder, cell)) ||
        MP_UNLIKELY(mp_recorder_pending_work(recorder)) || MP_UNLIKELY(pending > recorder->batch) ||
        MP_UNLIKELY(!region) || MP_UNLIKELY(*(word = mp_heap_place(region, block))))
        return false;
    *word = mp_heap_word(id, size, 0);
    mp_heap_has_changed(region, (uintptr_t)block);
    recorder->live->pending_bytes = pending;
    recorder->last_block = NULL;
    mp_add_32(&cell->allocs, 1);
    mp_add_32(&cell->slack, (uint32_t)(size - requested));
    return true;
}

/* The same as mp_heap_alloc(). */
MP_INLINE uint32_t
mp_heap_alloc_quick(const void *block, size_t size, size_t requested, unsigned kind,
                    const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_known_chain *known;
    struct mp_live_cell *cell;
    uint32_t id;

    if (MP_UNLIKELY(!mp_enter_quickly(self, hook_frame)))
        return mp_heap_alloc(block, size, requested, kind, hook_frame);
    known = mp_known_find(self->recorder, hook_frame);
    if (MP_UNLIKELY(!known))
        return mp_heap_alloc_inside(NULL, block, size, requested, kind, hook_frame);
    id = *mp_heap_quick_cell(known, size);
    cell = &mp_store.cells[id];
    if (MP_UNLIKELY(!mp_heap_quick_fits(cell, size, kind)) ||
        MP_UNLIKELY(!mp_heap_quick_count(self->recorder, cell, id, block, size, requested)))
        return mp_heap_alloc_inside(known, block, size, requested, kind, hook_frame);
    mp_leave_quickly(self);
    return id;
}

#endif
