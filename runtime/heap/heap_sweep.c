/* SPDX-License-Identifier: MIT */
/*
 * heap_sweep.c -- counts objects that die, with a recorder of the collector's own, under the lock.
 */
#include "heap_sweep.h"

#include <string.h>

#include "heap_record.h"
#include "object_table.h"
#include "runtime/language/language.h"
#include "runtime/record/counter.h"
#include "runtime/record/events.h"
#include "runtime/record/sample.h"
#include "runtime/session/session.h"
#include "runtime/session/session_marks.h"
#include "runtime/sizeclass.h"
#include "runtime/system/gate.h"
#include "runtime/system/options.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/chain_check.h"
#include "runtime/unwind/code_language.h"

#define OLDEST 4u               /* collections; higher ages are not counted */

/* ------------------------------------------------------------------ the collector's cells */

static struct {
    uint32_t session;                   /* session to which the other members belong */
    struct mp_recorder *recorder;       /* NULL if there is none yet */
    struct pair { uint32_t dead, ages; } *cells;    /* ids, indexed by cell minus the file's first cell */
    uint32_t n_cells;
} collector;

/* Begins a new session. Recycles the collector's recorder only if it is still of the earlier session, because in the
 * child of a fork it may have been given to a thread. */
static void
begin(void)
{
    struct pair *old = collector.cells;
    uint32_t n_old = collector.n_cells;

    if (collector.recorder && collector.recorder->session == collector.session)
        mp_recorder_recycle(collector.recorder);
    collector.recorder = NULL;
    collector.session = mp_session_number();
    /* The number is cleared first, because another thread may fork in between, and the child must not find the number
     * without its array. */
    __atomic_store_n(&collector.n_cells, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&collector.cells, NULL, __ATOMIC_RELEASE);
    if (old)
        mp_sys_unmap(old, n_old * sizeof *old);
}

/* Makes space for the counterparts of all present cells. Returns false if there is no memory. Lock held; the
 * session is active. */
static bool
collector_ready(void)
{
    MP_LOCK_HELD();
    uint32_t end = mp_store_next(MP_EXT_CELLS) - mp_store.first_cell, room, n_old;
    struct pair *old, *cells;

    if (collector.session != mp_session_number())
        begin();
    if (!collector.recorder && !(collector.recorder = mp_session_collector()))
        return false;
    old = collector.cells;
    n_old = collector.n_cells;
    room = n_old ? n_old : 4096;
    while (room < end)
        room *= 2;
    if (room == n_old)
        return true;
    if (!(cells = mp_sys_map(room * sizeof *cells)))
        return false;
    if (old)
        memcpy(cells, old, n_old * sizeof *cells);
    /* The number is stored last, because another thread may fork in between, and the child must not find the number
     * without its array. */
    __atomic_store_n(&collector.cells, cells, __ATOMIC_RELEASE);
    __atomic_store_n(&collector.n_cells, room, __ATOMIC_RELEASE);
    if (old)
        mp_sys_unmap(old, n_old * sizeof *old);
    return true;
}

static struct mp_live_cell *
dead_cell(uint32_t id)
{
    uint32_t *dead = &collector.cells[id - mp_store.first_cell].dead;

    if (MP_UNLIKELY(!*dead))
        *dead = mp_counter_unlisted_cell(collector.recorder, id);
    mp_counter_touch(collector.recorder, &mp_store.cells[*dead]);
    return &mp_store.cells[*dead];
}

/* Returns the ages of the objects that cell ID counts, or record 0 if there is no space. */
static struct mp_live_ages *
ages_of(uint32_t id)
{
    const struct mp_live_cell *origin = &mp_store.cells[id];
    uint32_t *ages = &collector.cells[id - mp_store.first_cell].ages;

    if (MP_UNLIKELY(!*ages) && (*ages = mp_store_take(MP_EXT_AGES, 1)) != 0) {
        mp_store.ages[*ages].kind = origin->kind & (uint16_t)~MP_CELL_MIXED;
        mp_store.ages[*ages].size = mp_counter_is_mixed(origin) ? MP_AGES_ANY_SIZE : origin->size;
        __atomic_store_n(&mp_store.ages[*ages].context, origin->context, __ATOMIC_RELEASE);
    }
    return &mp_store.ages[*ages];
}

static void
add_age(uint32_t cell, int64_t n, size_t size, unsigned age)
{
    struct mp_live_ages *ages = ages_of(cell);

    mp_add(&ages->survived[0], (uint64_t)n);
    mp_add(&ages->aged, (uint64_t)(n * (int64_t)size));
    if (age >= 2)
        mp_add(&ages->survived[1], (uint64_t)n);
    if (age >= OLDEST)
        mp_add(&ages->survived[2], (uint64_t)n);
}

MP_COLD void
mp_heap_move_age(uint32_t from, uint32_t to, size_t size, unsigned age)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_session_active() && collector_ready()) {
        add_age(from, -1, size, age);
        add_age(to, 1, size, age);
    }
    mp_gate_unlock(&hold);
}

/* ------------------------------------------------------------------ the sweep */

/* Objects of one cell that died or became older. They are counted together. */
struct run {
    uint32_t cell;
    bool disputed;                      /* another thread may be discovering their class */
    uint64_t dead, dead_bytes;          /* all that died */
    uint64_t old_dead, old_dead_bytes;  /* the dead objects that had survived a collection */
    uint64_t first, first_bytes, second, fourth;    /* survived their 1st, 2nd or 4th collection */
};

#define RUNS 64u                        /* number of runs; a run's index is its cell modulo RUNS */

struct sweep {
    const struct mp_collector *ask;
    struct run runs[RUNS];
    uint64_t dead_bytes;
};

/* Adds the figures of RUN to the collector's cell and to the ages, and clears RUN. Returns the bytes that died; in a
 * sampled recording, the bytes that the dead samples represent. */
static uint64_t
end_run(struct run *run)
{
    uint64_t dead_bytes = run->dead_bytes;

    if (run->cell < mp_store.first_cell) {      /* a cell of an earlier file */
        run->cell = 0;
        return 0;
    }
    if (run->dead) {
        struct mp_live_cell *cell = dead_cell(run->cell);

        mp_add_32(&cell->frees, (uint32_t)run->dead);
        if (mp_counter_is_mixed(cell))
            mp_add(&mp_counter_mixed(cell)->freed, dead_bytes);
        if (mp_sample_period > 0)
            dead_bytes = mp_sample_bytes(mp_sample_period, cell, run->dead, dead_bytes);
    }
    if (run->old_dead | run->first | run->second | run->fourth) {
        struct mp_live_ages *ages = ages_of(run->cell);

        mp_add(&ages->survived[0], run->first);
        mp_add(&ages->aged, run->first_bytes);
        mp_add(&ages->aged_frees, run->old_dead);
        mp_add(&ages->aged_freed, run->old_dead_bytes);
        mp_add(&ages->survived[1], run->second);
        mp_add(&ages->survived[2], run->fourth);
    }
    *run = (struct run){ 0 };
    return dead_bytes;
}

static void
end_all(struct sweep *sweep)
{
    for (unsigned i = 0; i < RUNS; i++)
        if (sweep->runs[i].cell)
            sweep->dead_bytes += end_run(&sweep->runs[i]);
}

MP_INLINE struct run *
run_of(struct sweep *sweep, uint32_t cell)
{
    struct run *run = &sweep->runs[cell % RUNS];

    if (MP_UNLIKELY(run->cell != cell)) {
        if (run->cell)
            sweep->dead_bytes += end_run(run);
        run->cell = cell;
        run->disputed = cell >= mp_store.first_cell && mp_language->disputed(
                            mp_store.cells[cell].kind & ~(MP_KIND_PAYLOAD | MP_CELL_MIXED));
    }
    return run;
}

/* Counts in RUN that N objects survived another collection if ALIVE, and died otherwise. All have the size of the
 * object at BLOCK with WORD. */
static void
count(struct run *run, uint64_t word, uintptr_t block, bool alive, uint32_t n)
{
    unsigned age = word & 7;
    uint64_t bytes;

    if (MP_UNLIKELY(run->cell < mp_store.first_cell))
        return;
    if (alive && age > 0) {
        run->second += age == 1 ? n : 0;
        run->fourth += age == 3 ? n : 0;
        return;
    }
    bytes = (uint64_t)n * mp_heap_word_size(word, block, !alive);
    if (alive) {
        run->first += n;
        run->first_bytes += bytes;
        return;
    }
    run->dead += n;
    run->dead_bytes += bytes;
    run->old_dead += age > 0 ? n : 0;
    run->old_dead_bytes += age > 0 ? bytes : 0;
}

/* State of one page in the sweep. Consecutive objects with the same word that all died or all survived form a
 * *streak*. The objects of a streak are counted together, and their words become `next`. */
struct page {
    uint64_t word, next;                /* word 0 means that there is no streak */
    bool alive;
    bool young;                         /* some objects survived and can still become older */
    uint32_t n;
};

static void
end_streak(struct sweep *sweep, struct page *page)
{
    if (page->n)
        count(run_of(sweep, (uint32_t)(page->word >> 32)), page->word, 0, page->alive, page->n);
    page->word = 0;
    page->n = 0;
}

/* Records the fate of the object at BLOCK alone, not in a streak, because another thread may change *WORD, which was
 * OLD, or because the object's size is stored in the list of huge sizes. */
static MP_COLD void
judge_alone(struct sweep *sweep, uint64_t *word, uint64_t old, uintptr_t block, bool alive)
{
    struct run *run;

    do {
        if (!old)
            return;
        run = run_of(sweep, (uint32_t)(old >> 32));
    } while (!__atomic_compare_exchange_n(word, &old, alive ? old + 1 : 0, 0, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    count(run, old, block, alive, 1);
}

/* Begins a streak with the object of WORD. Returns false if the object cannot be counted together with others; then its
 * fate has been recorded, or it was freed explicitly. */
static MP_NOINLINE bool
begin_streak(struct sweep *sweep, struct page *page, uint64_t *word, uint64_t old, uintptr_t block,
             bool alive)
{
    end_streak(sweep, page);
    if (!old)                           /* freed explicitly */
        return false;
    page->young |= alive && (old & 7) + 1 < OLDEST;
    if (run_of(sweep, (uint32_t)(old >> 32))->disputed || mp_heap_word_is_huge(old)) {
        judge_alone(sweep, word, old, block, alive);
        return false;
    }
    page->word = old;
    page->next = alive ? old + 1 : 0;
    page->alive = alive;
    return true;
}

/* Returns the word of the objects in the present streak if their fate is ALIVE, and an impossible word otherwise. */
MP_INLINE uint64_t
word_of_streak(const struct page *page, bool alive)
{
    return page->word && page->alive == alive ? page->word : UINT64_MAX;
}

/* Records the fate of objects. LOOK has a bit for each of 64 granules, set if an object begins there. The objects
 * survived another collection if ALIVE, and died otherwise. The first granule has the word *WORDS and the address
 * ADDRESS. */
static void
judge(struct sweep *sweep, struct page *page, uint64_t *words, uintptr_t address, uint64_t look,
      bool alive)
{
    uint64_t word = word_of_streak(page, alive), next = page->next;
    uint32_t n = 0;

    for (; look; look &= look - 1) {
        const size_t bit = (size_t)__builtin_ctzll(look);
        const uint64_t old = __atomic_load_n(&words[bit], __ATOMIC_RELAXED);

        if (MP_UNLIKELY(old != word)) {
            if (alive && (old & 7) == OLDEST)
                continue;
            page->n += n;
            n = 0;
            if (begin_streak(sweep, page, &words[bit], old, address + bit * MP_HEAP_GRANULE, alive))
                next = page->next;
            word = word_of_streak(page, alive);
            if (old != word)
                continue;
        }
        words[bit] = next;
        n++;
    }
    page->n += n;
}

/* Finds where objects of the page begin. Returns false if the page has no objects. */
static bool
find_recorded(const uint64_t *words, uint64_t bits[MP_HEAP_PAGE_BITS])
{
    uint64_t any = 0;

    for (unsigned i = 0; i < MP_HEAP_PAGE_BITS; i++, words += 64) {
        uint64_t found = 0;

        for (unsigned j = 0; j < 64; j++)
            found |= (uint64_t)(words[j] != 0) << j;
        bits[i] = found;
        any |= found;
    }
    return any != 0;
}

/* Sets the state of page NUMBER, which was STATE before the sweep. BITS are the places of the objects that are
 * left. YOUNG means that some of these can still become older. */
static void
settle(struct mp_heap_pages *pages, uint32_t number, uint8_t state, bool young,
       const uint64_t bits[MP_HEAP_PAGE_BITS])
{
    uint8_t new = young ? MP_HEAP_AGING : MP_HEAP_SETTLED;

    if (!(bits[0] | bits[1] | bits[2] | bits[3]))
        new = MP_HEAP_UNUSED;
    if (state == mp_heap_fresh)         /* objects may have been recorded during the sweep */
        return;
    if (new != MP_HEAP_UNUSED)
        memcpy(pages->left[number], bits, sizeof pages->left[number]);
    __atomic_compare_exchange_n(&pages->state[number], &state, new, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

static MP_COLD void
check(const struct sweep *sweep, uintptr_t address, const uint64_t of[MP_HEAP_PAGE_BITS],
      const uint64_t alive[MP_HEAP_PAGE_BITS])
{
    for (unsigned i = 0; i < MP_HEAP_PAGE_WORDS; i++)
        if (of[i / 64] >> i % 64 & 1) {
            const void *block = (const void *)(address + i * MP_HEAP_GRANULE);

            mp_check_object(block, alive[i / 64] >> i % 64 & 1, sweep->ask->is_alive(block));
        }
}

static MP_COLD void
note_dead(uintptr_t address, const uint64_t of[MP_HEAP_PAGE_BITS], const uint64_t alive[MP_HEAP_PAGE_BITS])
{
    for (unsigned i = 0; i < MP_HEAP_PAGE_BITS; i++)
        if (of[i] & ~alive[i])
            mp_events_note_held(MP_EVENT_DEAD, address / MP_EVENT_SPAN + i, of[i] & ~alive[i]);
}

/* Sweeps one page. In a settled page, only the words of dead objects are read. */
static void
sweep_page(struct sweep *sweep, struct mp_heap_pages *pages, uint32_t number, uint64_t *words,
           uintptr_t address)
{
    uint8_t state = __atomic_load_n(&pages->state[number], __ATOMIC_RELAXED);
    const bool settled = state == MP_HEAP_SETTLED, known = settled || state == MP_HEAP_AGING;
    uint64_t left[MP_HEAP_PAGE_BITS], alive[MP_HEAP_PAGE_BITS] = { 0 };
    struct page page = { 0 };

    if (known)
        memcpy(left, pages->left[number], sizeof left);
    if (known || find_recorded(words, left))
        sweep->ask->find_alive(address, left, alive);
    if (MP_UNLIKELY(mp_options.check == 1))
        check(sweep, address, left, alive);
    if (MP_UNLIKELY(mp_options.record))
        note_dead(address, left, alive);
    for (unsigned i = 0; i < MP_HEAP_PAGE_BITS; i++) {
        const uintptr_t first = address + i * 64 * MP_HEAP_GRANULE;

        judge(sweep, &page, &words[64 * i], first, left[i] & ~alive[i], false);
        left[i] &= alive[i];
        if (!settled)
            judge(sweep, &page, &words[64 * i], first, left[i], true);
    }
    end_streak(sweep, &page);
    settle(pages, number, state, page.young, left);
}

static bool
eight_in_use(const uint8_t *state)
{
    uint64_t all;

    memcpy(&all, state, sizeof all);
    return all != 0;
}

static void
sweep_region(struct sweep *sweep, uint64_t *region, uintptr_t address)
{
    struct mp_heap_pages *pages = mp_heap_pages(region);

    for (uint32_t number = 0; number < MP_HEAP_PAGES; number++) {
        if (number % 8 == 0 && !eight_in_use(&pages->state[number]))
            number += 7;
        else if (pages->state[number])
            sweep_page(sweep, pages, number, region + (size_t)number * MP_HEAP_PAGE_WORDS,
                       address + (size_t)number * MP_HEAP_PAGE);
    }
}

/* Returns the bytes of all objects that are not known to be dead; an estimate in a sampled recording. */
static uint64_t
live_objects(void)
{
    const uint32_t end = mp_store_next(MP_EXT_CELLS);
    uint64_t sum = 0;

    for (uint32_t id = mp_store.first_cell; id < end; id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];
        const uint64_t bytes = mp_counter_bytes(cell) - mp_counter_freed(cell);

        if (cell->context && (cell->kind & ~(MP_CELL_MIXED | MP_KIND_PAYLOAD)) >= MP_KIND_LISP)
            sum += mp_sample_period == 0 ? bytes
                                         : mp_sample_bytes(mp_sample_period, cell,
                                                           (uint64_t)(int64_t)(int32_t)(cell->allocs - cell->frees),
                                                           bytes);
    }
    return sum;
}

static MP_COLD void
note_collection(const struct mp_collected *what)
{
    const struct mp_live_header *header = mp_store.header;

    mp_events_note_held(MP_EVENT_FIGURE, MP_EVENT_PAUSE,
                        what->began && what->ended > what->began ? what->ended - what->began : 0);
    mp_events_note_held(MP_EVENT_FIGURE, MP_EVENT_HEAP, what->heap_size);
    mp_events_note_held(MP_EVENT_FIGURE, MP_EVENT_ALLOCATED, what->allocated);
    mp_events_note_held(MP_EVENT_COLLECTED, header->collector_divisor, header->collector_flags);
}

/* Sweeps all regions and records the collection. */
static void
sweep_all(struct sweep *sweep)
{
    MP_LOCK_HELD();
    struct mp_live_header *header = mp_store.header;
    struct mp_shadow_walk walk = { 0 };
    struct mp_collected what;
    uint64_t *region, after;

    mp_heap_table_begin(collector.session);
    mp_counter_commit(collector.recorder);
    while ((region = mp_shadow_next(&mp_heap_table, &walk)) != NULL)
        sweep_region(sweep, region, walk.address);
    end_all(sweep);
    mp_counter_shrink(collector.recorder, sweep->dead_bytes);
    mp_counter_commit(collector.recorder);
    header->collections++;
    header->heap_now = mp_language->allocated();
    after = live_objects();
    what = (struct mp_collected){
        .began = sweep->ask->began, .ended = sweep->ask->ended, .heap_before = after + sweep->dead_bytes,
        .heap_after = after, .heap_size = mp_language->collector(header), .allocated = header->heap_now };
    mp_session_collected(&what);
    if (mp_options.record)
        note_collection(&what);
    if (mp_code_forget_dead(sweep->ask->is_alive))
        mp_gate_raise();
}

bool
mp_heap_sweep(const struct mp_collector *ask)
{
    static MP_LARGE struct sweep sweep; /* static, because stacks may be small; guarded by the lock */
    struct mp_gate_hold hold;
    bool can;

    can = mp_gate_lock(&hold) && mp_session_active() && collector_ready();
    if (can) {
        sweep.ask = ask;
        sweep.dead_bytes = 0;
        sweep_all(&sweep);
    }
    mp_gate_unlock(&hold);
    return can;
}

/* ------------------------------------------------------------------ freed explicitly */

MP_COLD void
mp_heap_count_dead(uint64_t word, uintptr_t block)
{
    struct run run = { .cell = (uint32_t)(word >> 32), .dead = 1, .old_dead = (word & 7) > 0 };
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold)) {
        if (mp_options.record && mp_session_active())
            mp_events_note_held(MP_EVENT_FREE, 0, block);
        run.dead_bytes = mp_heap_word_size(word, block, true);
        run.old_dead_bytes = run.old_dead ? run.dead_bytes : 0;
        if (mp_session_active() && collector_ready())
            mp_counter_shrink(collector.recorder, end_run(&run));
    } else if (mp_session_active()) {
        __atomic_add_fetch(&mp_store.header->missing[MP_MISS_UNSEEN_FREE], 1, __ATOMIC_RELAXED);
    }
    mp_gate_unlock(&hold);
}

void
mp_heap_free(const void *block)
{
    uint64_t *region = mp_shadow_region(&mp_heap_table, (uintptr_t)block);
    uint64_t old = region ? __atomic_exchange_n(mp_heap_place(region, block), 0, __ATOMIC_ACQ_REL) : 0;

    if (old) {
        mp_heap_has_changed(region, (uintptr_t)block);
        mp_heap_count_dead(old, (uintptr_t)block);
    }
    mp_code_forget_function((uintptr_t)block);
}
