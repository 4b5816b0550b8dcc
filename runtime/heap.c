#include "heap.h"

#include <string.h>

#include "chain.h"
#include "check.h"
#include "counter.h"
#include "frame.h"
#include "name.h"
#include "object.h"
#include "session.h"
#include "sizeclass.h"
#include "sys.h"

#define GRANULE      16u
#define PAGE         4096u      /* a collector's block of memory holds objects of one size */
#define PAGE_WORDS   (PAGE / GRANULE)
#define PAGES        (MP_OBJECT_REGION_SIZE / PAGE)
#define HUGE         ((1u << 29) - 1)
#define OLDEST       4u
#define MAX_REGIONS  65536u     /* of 64 MiB */

static struct mp_object_table table;

static uint64_t **region_list;          /* in the order in which they came */
static uintptr_t *region_addresses;
static uint32_t n_regions;

static uint8_t described[MP_KIND_END];  /* kinds that the present file has a record of */
static bool looked;                     /* the present file has a heap_before */

/* ------------------------------------------------------------------ the table */

int
mp_heap_open(void)
{
    region_list = mp_sys_map(MAX_REGIONS * sizeof *region_list);
    region_addresses = mp_sys_map(MAX_REGIONS * sizeof *region_addresses);
    return region_list && region_addresses ? mp_object_open(&table, GRANULE, PAGES) : -1;
}

static MP_COLD uint64_t *
new_region(uintptr_t address)
{
    struct mp_gate_hold hold;
    uint64_t *region;

    mp_gate_lock(&hold);
    region = mp_object_region(&table, address);
    if (!region && n_regions < MAX_REGIONS &&
        (region = mp_object_new_region(&table, address))) {
        region_addresses[n_regions] = address & ~(MP_OBJECT_REGION_SIZE - 1);
        region_list[n_regions++] = region;
    }
    mp_gate_unlock(&hold);
    return region;
}

MP_INLINE uint64_t
make_word(uint32_t cell, size_t size, unsigned age)
{
    uint64_t granules = (size + GRANULE - 1) / GRANULE;

    return (uint64_t)cell << 32 | (MP_LIKELY(granules < HUGE) ? granules : HUGE) << 3 | age;
}

static size_t
word_size(uint64_t word, uintptr_t block)
{
    uint32_t granules = (uint32_t)word >> 3;

    return MP_LIKELY(granules != HUGE) ? (size_t)granules * GRANULE : mp_object_take_huge(block);
}

/* The word for BLOCK, whose page is known to be in use from now on; NULL: no memory. */
MP_INLINE uint64_t *
place(uintptr_t block)
{
    uint64_t *region = mp_object_region(&table, block);
    uint8_t *used;

    if (MP_UNLIKELY(!region) && !(region = new_region(block)))
        return NULL;
    used = (uint8_t *)mp_object_extra(&table, region) +
           (block & (MP_OBJECT_REGION_SIZE - 1)) / PAGE;
    if (MP_UNLIKELY(!*used))
        *used = 1;
    return mp_object_word(&table, region, block);
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
    unsigned plain = kind & (MP_KIND_AGES - 1);
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

static MP_COLD void
missed(struct mp_recorder *recorder)
{
    __atomic_add_fetch(&recorder->header->missing[MP_MISS_DROPPED], 1, __ATOMIC_RELAXED);
}

static void count_one_dead(uint64_t word, uintptr_t block);

MP_INLINE void
add_to_cell(struct mp_recorder *recorder, uint32_t id, size_t size, size_t requested)
{
    struct mp_live_cell *cell = &mp_store.cells[id];
    uint32_t size32 = MP_LIKELY(size < UINT32_MAX) ? (uint32_t)size : UINT32_MAX;

    mp_counter_touch(cell, id, recorder->header->epoch);
    mp_add(&cell->allocs, 1);
    mp_add(&cell->bytes, size);
    mp_add(&cell->temporary, requested);
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
    uint64_t *word;

    if (MP_UNLIKELY(!recorder))
        return 0;
    context = mp_chain_capture(recorder, hook_frame);
    if (MP_LIKELY(context))
        cell = MP_UNLIKELY(kind >= MP_KIND_OF_OWNER)
                   ? owned_cell(recorder, context, kind - MP_KIND_OF_OWNER)
                   : cell_of(recorder, context, kind);
    if (MP_UNLIKELY(!cell || !(word = place((uintptr_t)block)))) {
        missed(recorder);
        mp_leave(self, recorder);
        return 0;
    }
    if (MP_UNLIKELY(*word))
        count_one_dead(*word, (uintptr_t)block);    /* of which we were not told */
    *word = make_word(cell, size, 0);
    if (MP_UNLIKELY(size / GRANULE >= HUGE))
        mp_object_put_huge((uintptr_t)block, size);
    add_to_cell(recorder, cell, size, requested);
    mp_counter_grow(recorder, size);
    if (MP_UNLIKELY(recorder->special))
        mp_session_special(recorder, context, hook_frame);
    mp_leave(self, recorder);
    return cell;
}

uint32_t
mp_heap_context(uint32_t cell)
{
    return mp_store.cells[cell].context;
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
    mp_add(&from->temporary, -(uint64_t)requested);
    if (from->allocs == 0) {
        from->size_min = UINT32_MAX;
        from->size_max = 0;
    }
}

static void move_age(uint32_t from, uint32_t to, size_t size, unsigned age);

void
mp_heap_change_kind(const void *block, uint32_t cell, size_t requested, unsigned kind,
                    const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    uint64_t *word = mp_object_find(&table, (uintptr_t)block), old;
    uint32_t to;

    if (!recorder)
        return;
    old = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
    if (old >> 32 == cell && cell >= mp_store.first_cell &&
        mp_store.cells[cell].recorder == recorder->id &&
        (to = cell_of(recorder, mp_store.cells[cell].context, kind)) != 0 && to != cell &&
        __atomic_compare_exchange_n(word, &old, (uint64_t)to << 32 | (uint32_t)old, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        size_t size = (size_t)((uint32_t)old >> 3) * GRANULE;

        move(recorder, cell, to, size, requested);
        if (old & 7)
            move_age(cell, to, size, old & 7);
    }
    mp_leave(self, recorder);
}

/* ------------------------------------------------------------------ the collector's cells */

static struct {
    struct mp_recorder *recorder;       /* NULL: none in this file yet */
    struct pair { uint32_t dead, ages; } *cells;    /* by cell */
    uint32_t n_cells;
} collector;

void
mp_heap_reset(void)
{
    collector.recorder = NULL;
    if (collector.cells)
        memset(collector.cells, 0, collector.n_cells * sizeof *collector.cells);
    memset(described, 0, sizeof described);
    looked = false;
}

/* Room for the counterparts of all cells that there are. */
static bool
collector_ready(void)
{
    uint32_t end = mp_store_next(MP_EXT_CELLS), room = collector.n_cells ? collector.n_cells : 4096;
    struct pair *cells;

    if (!collector.recorder && !(collector.recorder = mp_session_collector()))
        return false;
    while (room < end)
        room *= 2;
    if (room == collector.n_cells)
        return true;
    if (!(cells = mp_sys_map(room * sizeof *cells)))
        return false;
    if (collector.cells) {
        memcpy(cells, collector.cells, collector.n_cells * sizeof *cells);
        mp_sys_unmap(collector.cells, collector.n_cells * sizeof *cells);
    }
    collector.cells = cells;
    collector.n_cells = room;
    return true;
}

static struct mp_live_cell *
dead_cell(uint32_t id)
{
    const struct mp_live_cell *origin = &mp_store.cells[id];
    uint32_t *dead = &collector.cells[id].dead;

    if (MP_UNLIKELY(!*dead))
        *dead = mp_counter_cell_apart(collector.recorder, origin->context, origin->kind);
    mp_counter_touch(&mp_store.cells[*dead], *dead, collector.recorder->header->epoch);
    return &mp_store.cells[*dead];
}

static struct mp_live_cell *
ages_cell(uint32_t id)
{
    const struct mp_live_cell *origin = &mp_store.cells[id];
    uint32_t *ages = &collector.cells[id].ages;

    if (MP_UNLIKELY(!*ages)) {
        *ages = mp_counter_cell_apart(collector.recorder, origin->context,
                                      origin->kind | MP_KIND_AGES);
        mp_store.cells[*ages].stamp = 0;
    }
    return &mp_store.cells[*ages];
}

static void
add_age(uint32_t cell, int64_t n, size_t size, unsigned age)
{
    struct mp_live_cell *ages = ages_cell(cell);

    mp_add(&ages->allocs, (uint64_t)n);
    mp_add(&ages->bytes, (uint64_t)(n * (int64_t)size));
    if (age >= 2)
        mp_add(&ages->temporary, (uint64_t)n);
    if (age >= OLDEST)
        mp_add(&ages->stamp, (uint64_t)n);
}

/* An object that survived AGE collections belongs to another cell. */
static MP_COLD void
move_age(uint32_t from, uint32_t to, size_t size, unsigned age)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);            /* under it the collector's cells are ours */
    if (mp_session_active() && collector_ready()) {
        add_age(from, -1, size, age);
        add_age(to, 1, size, age);
    }
    mp_gate_unlock(&hold);
}

/* ------------------------------------------------------------------ the sweep */

/* Objects of one cell that died or grew older, one after the other: counted together. */
struct run {
    uint32_t cell;
    uint64_t dead, dead_bytes;          /* all that died */
    uint64_t old_dead, old_dead_bytes;  /* of these: had survived a collection */
    uint64_t first, first_bytes, second, fourth;    /* survived their 1st, 2nd, 4th */
};

struct sweep {
    const struct mp_collector *ask;
    struct run run;
    uint64_t dead_bytes;
};

static void
end_run(struct sweep *sweep)
{
    const struct run *run = &sweep->run;

    if (run->dead) {
        struct mp_live_cell *cell = dead_cell(run->cell);

        mp_add(&cell->frees, run->dead);
        mp_add(&cell->freed, run->dead_bytes);
        sweep->dead_bytes += run->dead_bytes;
    }
    if (run->old_dead | run->first | run->second | run->fourth) {
        struct mp_live_cell *cell = ages_cell(run->cell);

        mp_add(&cell->allocs, run->first);
        mp_add(&cell->bytes, run->first_bytes);
        mp_add(&cell->frees, run->old_dead);
        mp_add(&cell->freed, run->old_dead_bytes);
        mp_add(&cell->temporary, run->second);
        mp_add(&cell->stamp, run->fourth);
    }
    sweep->run = (struct run){ 0 };
}

/* The object of WORD at BLOCK died, or survived once more.  Another thread may just be finding
 * out its class: whoever changes the word first has its way. */
static void
judge(struct sweep *sweep, uint64_t *word, uintptr_t block, bool alive)
{
    uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);
    unsigned age = old & 7;
    struct run *run = &sweep->run;
    uint64_t new = alive ? old + (age < OLDEST) : 0;
    size_t size;

    if (new == old)
        return;
    while (!__atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        new = alive ? old + (age < OLDEST) : 0;
    if (old >> 32 < mp_store.first_cell)
        return;
    if (MP_UNLIKELY(old >> 32 != run->cell)) {
        end_run(sweep);
        run->cell = (uint32_t)(old >> 32);
    }
    if (alive) {
        run->first += age == 0;
        run->first_bytes += age == 0 ? (size_t)((uint32_t)old >> 3) * GRANULE : 0;
        run->second += age == 1;
        run->fourth += age == 3;
        return;
    }
    size = word_size(old, block);
    run->dead++;
    run->dead_bytes += size;
    run->old_dead += age > 0;
    run->old_dead_bytes += age > 0 ? size : 0;
}

/* The objects of one page; the number of words that were in use. */
static void
sweep_page(struct sweep *sweep, uint64_t *words, uintptr_t address, uint8_t *used)
{
    bool known = false, there = false;

    for (unsigned i = 0; i < PAGE_WORDS; i++) {
        uintptr_t block = address + i * GRANULE;

        if (!words[i])
            continue;
        if (!known) {
            there = sweep->ask->in_use((const void *)block);
            known = true;
        }
        judge(sweep, &words[i], block, there && sweep->ask->marked((const void *)block));
    }
    if (known && !there)
        *used = 0;
}

static void
sweep_region(struct sweep *sweep, uint64_t *region, uintptr_t address)
{
    uint8_t *used = mp_object_extra(&table, region);

    for (uint32_t page = 0; page < PAGES; page++)
        if (used[page])
            sweep_page(sweep, region + (size_t)page * PAGE_WORDS, address + (size_t)page * PAGE,
                       &used[page]);
}

/* The lock is held. */
static void
sweep_all(struct sweep *sweep, uint64_t heap_now)
{
    struct mp_live_header *header = mp_store.header;

    mp_counter_commit(collector.recorder);
    for (uint32_t i = 0; i < n_regions; i++)
        sweep_region(sweep, region_list[i], region_addresses[i]);
    end_run(sweep);
    mp_counter_shrink(collector.recorder, sweep->dead_bytes);
    mp_counter_commit(collector.recorder);
    header->collections++;
    header->heap_now = heap_now;
    if (mp_frame_forget_dead(sweep->ask->alive))
        mp_gate_raise();
}

void
mp_heap_sweep(const struct mp_collector *ask, uint64_t heap_now)
{
    struct sweep sweep = { .ask = ask };
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    if (mp_session_active() && collector_ready())
        sweep_all(&sweep, heap_now);
    mp_gate_unlock(&hold);
}

void
mp_heap_look(uint64_t heap_now)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    if (mp_session_active()) {
        if (!looked)
            mp_store.header->heap_before = heap_now;
        looked = true;
        mp_store.header->heap_now = heap_now;
    }
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
    const struct mp_recorder *own = mp_thread.recorder;
    uint32_t end = mp_store_next(MP_EXT_CELLS);

    *sums = (struct mp_heap_sums){ 0 };
    if (this_thread && !own)
        return;
    for (uint32_t id = mp_store.first_cell; id < end; id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (cell->context && cell->kind >= MP_KIND_LISP && !(cell->kind & MP_KIND_AGES) &&
            (!this_thread || cell->recorder == own->id))
            add_to_sums(sums, cell);
    }
}

/* ------------------------------------------------------------------ freed by hand */

static MP_COLD void
count_one_dead(uint64_t word, uintptr_t block)
{
    struct sweep sweep = { .run = { .cell = (uint32_t)(word >> 32) } };
    size_t size = word_size(word, block);
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);            /* under it the collector's cells are ours */
    if (sweep.run.cell >= mp_store.first_cell && mp_session_active() && collector_ready()) {
        sweep.run.dead = 1;
        sweep.run.dead_bytes = size;
        sweep.run.old_dead = (word & 7) > 0;
        sweep.run.old_dead_bytes = sweep.run.old_dead ? size : 0;
        end_run(&sweep);
        mp_counter_shrink(collector.recorder, size);
    }
    mp_gate_unlock(&hold);
}

void
mp_heap_free(const void *block)
{
    uint64_t *word = table.regions ? mp_object_find(&table, (uintptr_t)block) : NULL;
    uint64_t old = word ? __atomic_exchange_n(word, 0, __ATOMIC_ACQ_REL) : 0;

    if (old)
        count_one_dead(old, (uintptr_t)block);
}
