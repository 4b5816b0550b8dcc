/* SPDX-License-Identifier: MIT */
#include "mapping_calls.h"

#include <sys/auxv.h>

#include "runtime/session/activation.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/system/place.h"
#include "runtime/unwind/chain.h"

/* The start and the end of memory. The end is that of a page, except for the break. */
struct extent {
    uint64_t start, end;
};

static struct extent
pages_of(const void *address, size_t size, enum mp_mapped_kind kind)
{
    const uint64_t mask = kind == MP_MAPPED_BREAK ? 0 : getauxval(AT_PAGESZ) - 1;
    const uint64_t start = (uint64_t)address, end = (start + size + mask) & ~mask;

    return (struct extent){ start, end > start ? end : start };
}

/* Returns whether the program maps something over memory of the monitor, which may be empty now. */
static bool
is_ours(const struct extent *pages)
{
    return mp_place_was_next(pages->start, pages->end) || mp_store_overlaps(pages->start, pages->end);
}

/* Returns whether the file of this process may contain mappings. Only then, the functions below take the lock, which a
 * signal handler cannot do if it interrupted the holder. */
static bool
is_recording(void)
{
    const struct mp_live_header *header = mp_store.header;

    return header && mp_gate_is_ours() && !mp_thread.held && header->state == MP_STATE_RUNNING;
}

static bool
begin(struct mp_gate_hold *hold)
{
    return mp_gate_lock(hold) && mp_store.header && mp_gate_is_ours() && mp_store.header->state == MP_STATE_RUNNING;
}

static void
count_missing(void)
{
    if (is_recording())
        __atomic_add_fetch(&mp_store.header->mappings.missing, 1, __ATOMIC_RELAXED);
}

/* Removes what was recorded at the addresses of a mapping that is not recorded itself. */
static void
replace(const struct extent *pages)
{
    struct mp_mapping_pieces pieces = { .n = 0 };
    struct mp_gate_hold hold;

    if (!is_recording())
        return;
    if (begin(&hold))
        mp_mappings_cut(pages->start, pages->end, &pieces);
    mp_gate_unlock(&hold);
    if (!mp_thread.internal)
        count_missing();
}

void
mp_mapped(const void *address, size_t size, enum mp_mapped_kind kind, const void *hook_frame)
{
    const struct extent pages = pages_of(address, size, kind);
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder;
    struct mp_gate_hold hold;
    uint32_t context;
    bool taken;

    if (is_ours(&pages))
        return;
    recorder = mp_enter(self, hook_frame);
    if (!recorder) {
        replace(&pages);
        return;
    }
    context = kind == MP_MAPPED_ALLOCATOR ? 0 : mp_chain_capture(recorder, hook_frame);
    taken = begin(&hold) && mp_recorder_is_current(recorder);
    if (taken)
        mp_mappings_add(recorder, context, kind, pages.start, pages.end);
    mp_gate_unlock(&hold);
    if (!taken)
        count_missing();
    mp_chain_done(recorder);
    mp_leave(self, recorder);
}

void
mp_unmapping(const void *address, size_t size, struct mp_mapping_pieces *pieces)
{
    const struct extent pages = pages_of(address, size, MP_MAPPED_PRIVATE);
    struct mp_gate_hold hold;
    bool taken;

    pieces->n = 0;
    if (is_ours(&pages) || !is_recording() || mp_store.header->mappings.n_ranges == 0)
        return;
    taken = begin(&hold);
    if (taken)
        mp_mappings_cut(pages.start, pages.end, pieces);
    mp_gate_unlock(&hold);
    if (!taken)
        count_missing();
}

void
mp_unmapping_failed(const struct mp_mapping_pieces *pieces)
{
    struct mp_gate_hold hold;

    if (pieces->n == 0)
        return;
    if (begin(&hold))
        mp_mappings_restore(pieces);
    mp_gate_unlock(&hold);
}

void
mp_discarded(const void *address, size_t size)
{
    const struct extent pages = pages_of(address, size, MP_MAPPED_PRIVATE);
    struct mp_gate_hold hold;

    if (is_ours(&pages) || !is_recording() || mp_store.header->mappings.n_ranges == 0)
        return;
    if (begin(&hold))
        mp_mappings_discard(pages.start, pages.end);
    mp_gate_unlock(&hold);
}

enum mp_mapped_kind
mp_mapped_kind_at(const void *address)
{
    enum mp_mapped_kind kind = 0;
    struct mp_gate_hold hold;

    if (!is_recording())
        return MP_MAPPED_OTHER;
    if (begin(&hold))
        kind = mp_mappings_kind((uint64_t)address);
    mp_gate_unlock(&hold);
    return kind ? kind : MP_MAPPED_OTHER;
}
