/* SPDX-License-Identifier: MIT */
/*
 * heap_quick.h -- the fast path of mp_heap_alloc() in heap_record.h, inlined into the hooks.
 *
 * It does for objects what allocations.h does for malloc's blocks. It handles the most common case, in which the
 * thread enters the monitor, the chain is known, the chain's last cell for the size counts only objects of this size
 * and kind, and no object is recorded at the address. All checks are made before a counter or the table is changed. If
 * a check fails, a function in heap_record.c does the work. In a sampled recording, the fast path handles an object
 * that is no sample: it counts the object, and does not put it into the table, which contains only samples.
 */
#ifndef MP_HEAP_QUICK_H
#define MP_HEAP_QUICK_H

#include "heap_record.h"
#include "object_table.h"
#include "runtime/language/language.h"
#include "runtime/record/counter.h"
#include "runtime/record/sample.h"
#include "runtime/session/activation.h"
#include "runtime/sizeclass.h"
#include "runtime/unwind/chain_known.h"

/* Does what mp_heap_alloc() does, for a thread that has entered the monitor. KNOWN is its chain, or NULL if the
 * chain is unknown. */
uint32_t mp_heap_alloc_entered(struct mp_known_chain *known, const void *block, size_t size,
                               size_t requested, unsigned kind, const void *hook_frame);

/* Returns the place where KNOWN keeps the cell used last for sizes like SIZE. */
MP_INLINE uint32_t *
mp_heap_quick_cell(struct mp_known_chain *known, size_t size)
{
    return &known->heap_cells[size / MP_HEAP_GRANULE % MP_KNOWN_HEAP_CELLS];
}

/* Keeps CELL in its place in KNOWN unless it is mixed. A cell that is not mixed counts only objects of SIZE bytes. */
MP_INLINE void
mp_heap_quick_keep(struct mp_known_chain *known, size_t size, uint32_t cell)
{
    if (!mp_counter_is_mixed(&mp_store.cells[cell]))
        *mp_heap_quick_cell(known, size) = cell;
}

/* Returns whether CELL, of the present chain, counts objects of SIZE bytes and KIND, which has the form described for
 * mp_heap_alloc(). Payload whose owner is in the language's family (language.h) has the kind of the thread's last
 * object. Other payload of a chain always has the same kind. */
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

/* Counts an object in CELL, which has the id ID and for which mp_heap_quick_fits() is true. Returns false if nothing
 * was done. */
MP_INLINE bool
mp_heap_quick_count(struct mp_recorder *recorder, struct mp_live_cell *cell, uint32_t id,
                    const void *block, size_t size, size_t requested)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, (uintptr_t)block), *word;
    const int64_t pending = recorder->live->pending_bytes + (int64_t)size;

    if (size > UINT32_MAX)
        __builtin_unreachable();        /* larger objects are in mixed cells only */
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

/* Returns whether the present recording is sampled. */
MP_INLINE bool
mp_heap_is_sampled(void)
{
    return !mp_is_equal(&mp_sample_period, 0);
}

/* Counts an object of SIZE bytes and KIND if it is no sample and the thread need not enter the monitor. Called in a
 * sampled recording. Returns whether it counted the object; then nothing else is to be done. As in
 * mp_count_unsampled(), each figure changes by one instruction. */
MP_INLINE bool
mp_heap_count_unsampled(size_t size, unsigned kind)
{
    const struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;

    if (MP_UNLIKELY(!mp_is_equal(&mp_gate->generation, self->generation)))
        return false;
    recorder = self->recorder;
    if (MP_UNLIKELY(!mp_is_equal(&recorder->live->pending_work, 0)) ||
        MP_UNLIKELY(!mp_sample_passes_quickly(recorder, size)))
        return false;
    mp_sample_count_object(recorder->live, size, kind);
    return true;
}

/* Does what mp_heap_alloc() does. In a sampled recording, mp_heap_count_unsampled() was called before, and the object
 * is probably a sample. */
MP_INLINE uint32_t
mp_heap_alloc_known(const void *block, size_t size, size_t requested, unsigned kind,
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
        return mp_heap_alloc_entered(NULL, block, size, requested, kind, hook_frame);
    known->met = MP_KNOWN_MET;
    id = *mp_heap_quick_cell(known, size);
    cell = &mp_store.cells[id];
    if (MP_UNLIKELY(!mp_heap_quick_fits(cell, size, kind)) ||
        MP_UNLIKELY(!mp_heap_quick_count(self->recorder, cell, id, block, size, requested)))
        return mp_heap_alloc_entered(known, block, size, requested, kind, hook_frame);
    mp_leave_quickly(self);
    return id;
}

/* Does what mp_heap_alloc() does. */
MP_INLINE uint32_t
mp_heap_alloc_quick(const void *block, size_t size, size_t requested, unsigned kind,
                    const void *hook_frame)
{
    if (MP_UNLIKELY(mp_heap_is_sampled()) && mp_heap_count_unsampled(size, kind))
        return 0;
    return mp_heap_alloc_known(block, size, requested, kind, hook_frame);
}

#endif
