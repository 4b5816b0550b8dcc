#include "heap.h"

#include <errno.h>
#include <string.h>

#include "form.h"
#include "heap_sweep.h"
#include "heap_table.h"
#include "runtime/record/counter.h"
#include "runtime/session/activation.h"
#include "runtime/session/session.h"
#include "runtime/sizeclass.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/module.h"
#include "runtime/unwind/rule.h"

/* The session whose file has a record of each kind.  Written under the lock; who reads without it that its
 * own session is there also sees the object table emptied of earlier objects. */
static uint32_t described[MP_KIND_END];

static bool
is_described(unsigned kind, uint32_t session)
{
    return __atomic_load_n(&described[kind], __ATOMIC_ACQUIRE) == session;
}

int
mp_heap_open(const struct mp_language *language)
{
    struct mp_gate_hold hold;
    int result = -EPERM;

    if (mp_gate_lock(&hold))
        result = mp_language ? 0 : mp_heap_table_open();
    if (result == 0) {
        mp_language = language;
        if (mp_store.header)
            mp_language_note(mp_store.header);
    }
    mp_gate_unlock(&hold);
    return result;
}

/* ------------------------------------------------------------------ cells */

static void
describe_kind(unsigned kind)
{
    struct mp_kind_name name = { "", kind, 'o' };
    uint32_t id = mp_store_take(MP_EXT_OBJECT_KINDS, 1);
    struct mp_live_kind *record = &mp_store.object_kinds[id];

    __atomic_store_n(&described[kind], mp_session_number(), __ATOMIC_RELEASE);
    if (!id)
        return;
    mp_language->describe_kind(kind, &name);
    record->name = mp_store_string(name.name, strlen(name.name));
    record->kind = (uint16_t)kind;
    record->base = (uint16_t)name.base;
    __atomic_store_n(&record->category, (uint8_t)name.category, __ATOMIC_RELEASE);
    if (!is_described(name.base, mp_session_number()))
        describe_kind(name.base);
}

/* RECORDER has its first object of KIND, which may be the first object of its session.  False: that is
 * over, or the lock was not to be had. */
static bool
meet_kind(const struct mp_recorder *recorder, unsigned kind)
{
    struct mp_gate_hold hold;
    bool current = mp_gate_lock(&hold) && mp_recorder_is_current(recorder);

    if (current) {
        mp_heap_table_begin(recorder->session);
        if (!is_described(kind, recorder->session))
            describe_kind(kind);
    }
    mp_gate_unlock(&hold);
    return current;
}

static MP_COLD uint32_t
new_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, uint32_t last)
{
    unsigned plain = kind & ~MP_KIND_PAYLOAD;

    if (!is_described(plain, recorder->session) && !meet_kind(recorder, plain))
        return 0;
    return mp_counter_new_cell(recorder, context, kind, last);
}

MP_INLINE uint32_t
cell_of(struct mp_recorder *recorder, uint32_t context, unsigned kind)
{
    uint32_t cell = mp_store.context_cells[context], last = 0;

    while (MP_LIKELY(cell)) {
        if (MP_LIKELY(mp_store.cells[cell].kind == kind))
            return cell;
        last = cell;
        cell = mp_store.tails[cell].next;
    }
    return new_cell(recorder, context, kind, last);
}

/* The kind that owns the blocks of CONTEXT that are no objects: known from an earlier one. */
static unsigned
owner_of(uint32_t context)
{
    for (uint32_t cell = mp_store.context_cells[context]; cell; cell = mp_store.tails[cell].next) {
        unsigned kind = mp_store.cells[cell].kind;

        if (kind & MP_KIND_PAYLOAD && (kind & ~MP_KIND_PAYLOAD) < MP_KIND_CLASS)
            return kind & ~MP_KIND_PAYLOAD;
    }
    return mp_language->owner(context);
}

/* The cell for such a block; LAST: kind of the thread's last object. */
static uint32_t
owned_cell(struct mp_recorder *recorder, uint32_t context, unsigned last)
{
    const unsigned first = mp_language->family.first, n = mp_language->family.n;
    unsigned kind = owner_of(context);

    if (kind - first < n && last - first < n)
        kind = last;
    return cell_of(recorder, context, kind | MP_KIND_PAYLOAD);
}

/* ------------------------------------------------------------------ allocation */

MP_INLINE void
add_to_cell(struct mp_recorder *recorder, uint32_t id, size_t size, size_t requested)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;

    mp_counter_touch(cell, id, recorder->header->epoch);
    mp_add(&cell->allocs, 1);
    mp_add(&cell->bytes, size);
    mp_add(&cell->requested, requested);
    if (MP_UNLIKELY(size32 < cell->size_min))
        cell->size_min = size32;
    if (MP_UNLIKELY(size32 > cell->size_max))
        cell->size_max = size32;
}

uint32_t
mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
              const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    uint32_t context, cell = 0;
    uint64_t *region, *word;

    if (MP_UNLIKELY(!recorder)) {
        mp_activation_dropped(self, hook_frame);
        return 0;
    }
    if (MP_UNLIKELY(!recorder->root_known))
        mp_form_find_root(recorder);
    context = mp_chain_capture(recorder, hook_frame);
    if (MP_LIKELY(context))
        cell = MP_UNLIKELY(kind >= MP_KIND_OF_OWNER)
                   ? owned_cell(recorder, context, kind - MP_KIND_OF_OWNER)
                   : cell_of(recorder, context, kind);
    if (MP_UNLIKELY(!cell || !(region = mp_heap_region((uintptr_t)block)))) {
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
        mp_leave(self, recorder);
        return 0;
    }
    word = region + mp_shadow_index(&mp_heap_table, (uintptr_t)block);
    if (MP_UNLIKELY(*word))             /* the object before died, and no sweep has seen that */
        mp_heap_count_dead(*word, (uintptr_t)block);
    *word = mp_heap_word(cell, size, 0);
    mp_heap_has_put(region, (uintptr_t)block);
    if (MP_UNLIKELY(size / MP_HEAP_GRANULE >= MP_HEAP_HUGE))
        mp_shadow_put_huge((uintptr_t)block, size);
    add_to_cell(recorder, cell, size, requested);
    mp_counter_grow(recorder, size);
    recorder->last_block = NULL;
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_activation_after_alloc(recorder, context, hook_frame);
    mp_leave(self, recorder);
    return cell;
}

uint32_t
mp_heap_context(uint32_t cell)
{
    return cell >= mp_store.first_cell ? mp_store.cells[cell].context : 0;
}

/* A frame that is no caller: it says something of those inside of it. */
static bool
is_note(const struct mp_live_frame *frame)
{
    uint32_t name = frame->flags >> MP_LIVE_FRAME_NAME_SHIFT;

    return frame->flags & MP_LIVE_FRAME_INTERPRETED &&
           (frame->flags & MP_LIVE_FRAME_SIGNAL ||
            (name && mp_store.names[name].flags & MP_LIVE_NAME_DISPATCH));
}

uint32_t
mp_heap_outer(uint32_t context, uintptr_t *ip)
{
    const struct mp_live_context *record = &mp_store.contexts[context];

    while (record->parent && is_note(&mp_store.frames[record->frame]))
        record = &mp_store.contexts[record->parent];
    *ip = mp_store.frames[record->frame].ip;
    return record->parent;
}

uintptr_t
mp_heap_function(uintptr_t ip)
{
    uintptr_t start = 0;
#ifdef MP_HAVE_RULES
    struct mp_code_place place;
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        mp_module_find(ip - 1, &place);
        if (place.object.eh_frame_hdr)
            mp_rule_find(&place.object, ip - 1, &start);
    }
    mp_gate_unlock(&hold);
#else
    (void)ip;
#endif
    return start;
}

bool
mp_heap_holds(const void *block, uint32_t cell)
{
    const uint64_t *word = mp_heap_find(block);

    return word && cell && cell >= mp_store.first_cell &&
           __atomic_load_n(word, __ATOMIC_RELAXED) >> 32 == cell;
}

/* Move one block from one cell to another of the same recorder. */
static void
move(struct mp_recorder *recorder, uint32_t from_id, uint32_t to, size_t size, size_t requested)
{
    struct mp_live_cell *from = &mp_store.cells[from_id];

    add_to_cell(recorder, to, size, requested);
    mp_counter_touch(from, from_id, recorder->header->epoch);
    mp_add(&from->allocs, (uint64_t)-1);
    mp_add(&from->bytes, -(uint64_t)size);
    mp_add(&from->requested, -(uint64_t)requested);
    if (from->allocs == 0) {
        from->size_min = UINT32_MAX;
        from->size_max = 0;
    }
}

void
mp_heap_change_kind(const void *block, uint32_t cell, size_t requested, unsigned kind,
                    const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_gate_is_ours() ? mp_enter(self, hook_frame) : NULL;
    uint64_t *word = mp_heap_find(block), old;
    uint32_t to;

    if (!recorder)
        return;
    old = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
    if (old >> 32 == cell && cell >= mp_store.first_cell &&
        mp_store.cells[cell].recorder == recorder->id &&
        (to = cell_of(recorder, mp_store.cells[cell].context, kind)) != 0 && to != cell &&
        __atomic_compare_exchange_n(word, &old, (uint64_t)to << 32 | (uint32_t)old, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        size_t size = (size_t)((uint32_t)old >> 3) * MP_HEAP_GRANULE;

        move(recorder, cell, to, size, requested);
        if (old & 7)
            mp_heap_move_age(cell, to, size, old & 7);
    }
    mp_leave(self, recorder);
}

void
mp_heap_look(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active())
        mp_store.header->heap_now = mp_language->allocated();
    mp_gate_unlock(&hold);
}

void
mp_heap_only_thread(uint32_t tid)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active())
        mp_store.header->one_thread = tid;
    mp_gate_unlock(&hold);
}

static void
add_to_sums(struct mp_heap_sums *sums, const struct mp_live_cell *cell)
{
    bool object = !(cell->kind & MP_KIND_PAYLOAD);

    sums->objects += object ? cell->allocs : 0;
    sums->bytes += cell->bytes;
    sums->live_objects += object ? cell->allocs - cell->frees : 0;
    sums->live_bytes += cell->bytes - cell->freed;
}

void
mp_heap_totals(struct mp_heap_sums *sums, bool this_thread)
{
    const struct mp_recorder *own = mp_activation_recorder();
    struct mp_gate_hold hold;
    bool taken;

    *sums = (struct mp_heap_sums){ 0 };
    if (!mp_gate_is_ours() || (this_thread && !own))
        return;
    taken = mp_gate_lock(&hold);        /* no cells are given up meanwhile */
    for (uint32_t id = mp_store.first_cell; taken && id < mp_store_next(MP_EXT_CELLS); id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (cell->context && cell->kind >= MP_KIND_LISP &&
            (!this_thread || cell->recorder == own->id))
            add_to_sums(sums, cell);
    }
    mp_gate_unlock(&hold);
}
