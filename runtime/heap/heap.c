#include "heap.h"

#include <errno.h>
#include <string.h>

#include "runtime/language/name.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/session/session.h"
#include "runtime/sizeclass.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/code_language.h"

#define MAX_REGIONS 65536u      /* of 64 MiB */

struct mp_shadow_table mp_heap_table;
struct mp_heap_regions mp_heap_regions;

static uint8_t described[MP_KIND_END];  /* kinds that the present file has a record of */

/* ------------------------------------------------------------------ the table */

int
mp_heap_open(void)
{
    mp_heap_regions.words = mp_sys_map(MAX_REGIONS * sizeof *mp_heap_regions.words);
    mp_heap_regions.addresses = mp_sys_map(MAX_REGIONS * sizeof *mp_heap_regions.addresses);
    if (!mp_heap_regions.words || !mp_heap_regions.addresses)
        return -ENOMEM;
    return mp_shadow_open(&mp_heap_table, MP_HEAP_GRANULE, 0, MP_HEAP_PAGES);
}

/* Objects of earlier files: what became of them meanwhile nobody has told us, and where they were
 * may now be the middle of something else, of which the collector must not be asked. */
static void
forget_objects(void)
{
    for (uint32_t i = 0; i < mp_heap_regions.n; i++) {
        uint64_t *words = mp_heap_regions.words[i];
        uint8_t *used = mp_shadow_extra(&mp_heap_table, words);

        for (uint32_t page = 0; page < MP_HEAP_PAGES; page++)
            if (used[page]) {
                memset(words + (size_t)page * MP_HEAP_PAGE_WORDS, 0,
                       MP_HEAP_PAGE_WORDS * sizeof *words);
                used[page] = 0;
            }
    }
}

void
mp_heap_reset(void)
{
    mp_heap_reset_dead();
    forget_objects();
    memset(described, 0, sizeof described);
}

static MP_COLD uint64_t *
new_region(uintptr_t address)
{
    struct mp_gate_hold hold;
    uint64_t *region;

    mp_gate_lock(&hold);
    region = mp_shadow_region(&mp_heap_table, address);
    if (!region && mp_heap_regions.n < MAX_REGIONS &&
        (region = mp_shadow_force_region(&mp_heap_table, address))) {
        mp_heap_regions.addresses[mp_heap_regions.n] = address & ~(MP_SHADOW_REGION_SIZE - 1);
        mp_heap_regions.words[mp_heap_regions.n++] = region;
    }
    mp_gate_unlock(&hold);
    return region;
}

/* The word for BLOCK, whose page is known to be in use from now on; NULL: no memory. */
MP_INLINE uint64_t *
place(uintptr_t block)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, block);
    uint8_t *used;

    if (MP_UNLIKELY(!region) && !(region = new_region(block)))
        return NULL;
    used = (uint8_t *)mp_shadow_extra(&mp_heap_table, region) +
           (block & (MP_SHADOW_REGION_SIZE - 1)) / MP_HEAP_PAGE;
    if (MP_UNLIKELY(!*used))
        *used = 1;
    return mp_shadow_word(&mp_heap_table, region, block);
}

/* ------------------------------------------------------------------ cells */

static void
describe_kind(unsigned kind)
{
    struct mp_kind_name name = { "", kind, 'o' };
    uint32_t id = mp_store_take(MP_EXT_OBJECT_KINDS, 1);
    struct mp_live_kind *record = &mp_store.object_kinds[id];

    described[kind] = 1;
    if (!id)
        return;
    mp_language->describe_kind(kind, &name);
    record->name = mp_store_string(name.name, strlen(name.name));
    record->kind = (uint16_t)kind;
    record->base = (uint16_t)name.base;
    __atomic_store_n(&record->category, (uint8_t)name.category, __ATOMIC_RELEASE);
    if (!described[name.base])
        describe_kind(name.base);
}

static MP_COLD uint32_t
new_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, uint32_t last)
{
    unsigned plain = kind & ~MP_KIND_PAYLOAD;
    struct mp_gate_hold hold;

    if (!described[plain]) {
        mp_gate_lock(&hold);
        if (!described[plain] && mp_recorder_is_current(recorder))
            describe_kind(plain);
        mp_gate_unlock(&hold);
    }
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

/* What the thread's chains begin with.  Those that are remembered begin with nothing. */
MP_COLD void
mp_heap_find_root(struct mp_recorder *recorder)
{
    char room[256];
    const char *name = mp_language->thread ? mp_language->thread(room, sizeof room) : "";
    uint32_t frame;

    if (!name)
        return;
    recorder->root_known = true;
    if (!*name || (frame = mp_code_of_thread(name)) == 0)
        return;
    mp_recorder_forget_chains(recorder);
    recorder->root = mp_cct_child(recorder, 0, frame);
}

uint32_t
mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
              const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    uint32_t context, cell = 0;
    uint64_t *word;

    if (MP_UNLIKELY(!recorder)) {
        mp_session_dropped(self, hook_frame);
        return 0;
    }
    if (MP_UNLIKELY(!recorder->root_known))
        mp_heap_find_root(recorder);
    context = mp_chain_capture(recorder, hook_frame);
    if (MP_LIKELY(context))
        cell = MP_UNLIKELY(kind >= MP_KIND_OF_OWNER)
                   ? owned_cell(recorder, context, kind - MP_KIND_OF_OWNER)
                   : cell_of(recorder, context, kind);
    if (MP_UNLIKELY(!cell || !(word = place((uintptr_t)block)))) {
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
        mp_leave(self, recorder);
        return 0;
    }
    if (MP_UNLIKELY(*word))
        mp_heap_count_dead(*word, (uintptr_t)block);    /* of which we were not told */
    *word = mp_heap_word(cell, size, 0);
    if (MP_UNLIKELY(size / MP_HEAP_GRANULE >= MP_HEAP_HUGE))
        mp_shadow_put_huge((uintptr_t)block, size);
    add_to_cell(recorder, cell, size, requested);
    mp_counter_grow(recorder, size);
    recorder->last_block = NULL;
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_session_after_alloc(recorder, context, hook_frame);
    mp_leave(self, recorder);
    return cell;
}

uint32_t
mp_heap_context(uint32_t cell)
{
    return cell >= mp_store.first_cell ? mp_store.cells[cell].context : 0;
}

bool
mp_heap_holds(const void *block, uint32_t cell)
{
    const uint64_t *word =
        mp_shadow_is_open(&mp_heap_table) ? mp_shadow_find(&mp_heap_table, (uintptr_t)block) : NULL;

    return word && cell && __atomic_load_n(word, __ATOMIC_RELAXED) >> 32 == cell;
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
    uint64_t *word = mp_shadow_find(&mp_heap_table, (uintptr_t)block), old;
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

    mp_gate_lock(&hold);
    if (mp_session_active())
        mp_store.header->heap_now = mp_language->allocated();
    mp_gate_unlock(&hold);
}

void
mp_heap_only_thread(uint32_t tid)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    if (mp_session_active())
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
    const struct mp_recorder *own = mp_session_recorder();
    struct mp_gate_hold hold;

    *sums = (struct mp_heap_sums){ 0 };
    if (!mp_gate_is_ours() || (this_thread && !own))
        return;
    mp_gate_lock(&hold);                /* no cells are given up meanwhile */
    for (uint32_t id = mp_store.first_cell; id < mp_store_next(MP_EXT_CELLS); id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (cell->context && cell->kind >= MP_KIND_LISP &&
            (!this_thread || cell->recorder == own->id))
            add_to_sums(sums, cell);
    }
    mp_gate_unlock(&hold);
}

