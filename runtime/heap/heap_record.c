/* SPDX-License-Identifier: MIT */
#include "heap_record.h"

#include <errno.h>
#include <string.h>

#include "heap_quick.h"
#include "heap_sweep.h"
#include "object_table.h"
#include "runtime/record/cct.h"
#include "runtime/record/counter.h"
#include "runtime/record/events.h"
#include "runtime/record/sample.h"
#include "runtime/session/activation.h"
#include "runtime/session/session.h"
#include "runtime/sizeclass.h"
#include "runtime/store/store.h"
#include "runtime/system/gate.h"
#include "runtime/unwind/chain.h"
#include "runtime/unwind/code_language.h"
#include "runtime/unwind/module.h"
#include "runtime/unwind/rule.h"

#define MAX_SLACK 65536u        /* bytes of slack (size less requested bytes); an object with this much is counted
                                   in a mixed cell, which has the sum of requested bytes */

/* For each kind, the session in whose file its record was made last. Written under the lock. A thread that reads the
 * number of its own session here without the lock knows that the object table has no objects of earlier sessions. */
static MP_LARGE uint32_t described[MP_KIND_END];

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

    if (mp_gate_lock(&hold)) {
        result = 0;
        mp_heap_table_open();
        mp_language = language;
        if (mp_store.header)
            mp_language_note(mp_store.header);
    }
    mp_gate_unlock(&hold);
    return result;
}

void
mp_heap_unrecorded(const char *name)
{
    mp_language_unrecorded = name;
    mp_heap_rename();
}

void
mp_heap_rename(void)
{
    struct mp_gate_hold hold;

    if (mp_gate_lock(&hold) && mp_store.header)
        mp_language_rename(mp_store.header);
    mp_gate_unlock(&hold);
}

/* ------------------------------------------------------------------ cells */

/* Stores the record of KIND. First stores the record of its base, the kind that KIND belongs to, so that no record in
 * the file lacks the record of its base even if the file becomes full. Returns false if there is no space. */
static bool
describe_kind(unsigned kind)
{
    struct mp_kind_name name = { "", kind, 'o' };
    struct mp_live_kind *record;
    uint32_t id, string;

    mp_language->describe_kind(kind, &name);
    string = mp_store_string(name.name, strlen(name.name));     /* the next call may replace the name */
    if (name.base != kind && !is_described(name.base, mp_session_number()) && !describe_kind(name.base))
        return false;
    id = mp_store_take(MP_EXT_OBJECT_KINDS, 1);
    if (!id)
        return false;
    record = &mp_store.object_kinds[id];
    record->name = string;
    record->kind = (uint16_t)kind;
    record->base = (uint16_t)name.base;
    __atomic_store_n(&record->category, (uint8_t)name.category, __ATOMIC_RELEASE);
    __atomic_store_n(&described[kind], mp_session_number(), __ATOMIC_RELEASE);
    return true;
}

/* Describes KIND when RECORDER has its first object of this kind. The object may be the first one of the session.
 * Returns false if the session is over, the lock is unavailable, or there is no space for the description. */
static bool
meet_kind(const struct mp_recorder *recorder, unsigned kind)
{
    struct mp_gate_hold hold;
    bool current = mp_gate_lock(&hold) && mp_recorder_is_current(recorder);

    if (current) {
        mp_heap_table_begin(recorder->session);
        current = is_described(kind, recorder->session) || describe_kind(kind);
    }
    mp_gate_unlock(&hold);
    return current;
}

static MP_NOINLINE uint32_t
find_cell(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size)
{
    unsigned plain = kind & ~MP_KIND_PAYLOAD;

    if (!is_described(plain, recorder->session) && !meet_kind(recorder, plain))
        return 0;
    return mp_counter_find_cell(recorder, context, kind, size);
}

/* Returns the cell for an object of KIND that occupies SIZE bytes, of which SLACK bytes were not requested. Returns 0
 * on failure. */
MP_INLINE uint32_t
cell_of(struct mp_recorder *recorder, uint32_t context, unsigned kind, size_t size, size_t slack)
{
    uint32_t cell;

    if (MP_UNLIKELY(slack >= MAX_SLACK))
        size = MP_COUNTER_ANY_SIZE;
    cell = mp_counter_recent_cell(recorder, context, kind, size);
    return MP_LIKELY(cell) ? cell : find_cell(recorder, context, kind, size);
}

/* Returns the kind of the objects that own the payload of CONTEXT, the blocks that are not objects. */
static unsigned
owner_of(struct mp_recorder *recorder, uint32_t context)
{
    unsigned kind = mp_id_map_find(&recorder->owners, context);

    if (MP_UNLIKELY(!kind)) {
        kind = mp_language->owner(context);
        if (mp_id_map_make_room(&recorder->owners))
            mp_id_map_put(&recorder->owners, context, kind);
    }
    return kind;
}

/* Returns the cell for a block of CONTEXT that is not an object. LAST is the kind of the thread's last object. */
static uint32_t
owned_cell(struct mp_recorder *recorder, uint32_t context, unsigned last, size_t size, size_t slack)
{
    const unsigned first = mp_language->family.first, n = mp_language->family.n;
    unsigned kind = owner_of(recorder, context);

    if (kind - first < n && last - first < n)
        kind = last;
    return cell_of(recorder, context, kind | MP_KIND_PAYLOAD, size, slack);
}

/* ------------------------------------------------------------------ allocation */

MP_INLINE void
add_to_cell(struct mp_recorder *recorder, uint32_t id, size_t size, size_t requested)
{
    struct mp_live_cell *cell = &mp_store.cells[id];

    mp_counter_touch(recorder, cell);
    mp_add_32(&cell->allocs, 1);
    if (MP_LIKELY(!mp_counter_is_mixed(cell))) {
        mp_add_32(&cell->slack, (uint32_t)(size - requested));
    } else {
        mp_counter_mixed_grow(mp_counter_mixed(cell), size);
        mp_add(&mp_counter_mixed(cell)->requested, requested);
    }
}

/* Finds the frame with the thread's name, with which all chains of RECORDER's thread begin. Called before each capture
 * until the name is known (root_known). Also forgets the remembered chains, because they begin without this frame. */
static MP_COLD void
find_root(struct mp_recorder *recorder)
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

/* Returns the context of HOOK_FRAME's callers, or 0 if there is no memory. *KNOWN is the known chain of these callers,
 * or NULL. Sets *KNOWN to NULL if find_root() forgets the known chains. */
MP_INLINE uint32_t
capture(struct mp_recorder *recorder, struct mp_known_chain **known, const void *hook_frame)
{
    if (MP_UNLIKELY(!recorder->root_known)) {
        find_root(recorder);
        *known = NULL;
    }
    if (!*known)
        return mp_chain_capture_in_use(recorder, hook_frame);
    (*known)->met = MP_KNOWN_MET;
    return (*known)->context;
}

/* Puts the object, which CELL will count, into the table. Returns false if there is no memory. */
MP_INLINE bool
put(const void *block, size_t size, uint32_t cell)
{
    uint64_t *region = mp_heap_region((uintptr_t)block), *word;

    if (MP_UNLIKELY(!region))
        return false;
    word = mp_heap_place(region, block);
    if (MP_UNLIKELY(*word))             /* an earlier object at this address died, and no sweep has counted its death */
        mp_heap_count_dead(*word, (uintptr_t)block);
    *word = mp_heap_word(cell, size, 0);
    mp_heap_has_changed(region, (uintptr_t)block);
    if (MP_UNLIKELY(size / MP_HEAP_GRANULE >= MP_HEAP_HUGE))
        mp_shadow_put_huge((uintptr_t)block, size);
    return true;
}

/* Returns the cell for an object or block of CONTEXT, of the kind and sizes that mp_heap_alloc() describes, or 0. */
MP_INLINE uint32_t
cell_for(struct mp_recorder *recorder, uint32_t context, size_t size, size_t requested, unsigned kind)
{
    if (MP_UNLIKELY(!context))
        return 0;
    return MP_UNLIKELY(kind >= MP_KIND_OF_OWNER)
               ? owned_cell(recorder, context, kind - MP_KIND_OF_OWNER, size, size - requested)
               : cell_of(recorder, context, kind, size, size - requested);
}

/* Does what count() does, in a sampled recording. KNOWN may also be NULL because the chain was not searched yet.
 * Objects with too much slack are not counted in a mixed cell, because readers compute the probability with which a
 * sample was taken from its size. The cell is not kept in KNOWN, because the fast path with KNOWN counts every
 * object. */
static MP_NOINLINE uint32_t
count_sampled(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
              size_t requested, unsigned kind, const void *hook_frame)
{
    const bool passes = mp_sample_passes_quickly(recorder, size);
    uint32_t context = 0, cell = 0;

    mp_sample_count_object(recorder->live, size, kind);
    if (!passes) {
        mp_sample_draw(recorder);
        if (!known)
            known = mp_known_find(recorder, hook_frame);
        if (size - requested >= MAX_SLACK)
            requested = size - MAX_SLACK + 1;
        context = capture(recorder, &known, hook_frame);
        cell = cell_for(recorder, context, size, requested, kind);
        if (cell && put(block, size, cell)) {
            add_to_cell(recorder, cell, size, requested);
            mp_counter_grow(recorder, mp_sample_bytes(recorder->sample_period, &mp_store.cells[cell], 1, size));
        } else {
            mp_recorder_missing(recorder, MP_MISS_DROPPED);
            cell = 0;
        }
    }
    recorder->last_block = NULL;
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder)))
        mp_activation_after_alloc(recorder, context, hook_frame);
    mp_chain_done(recorder);
    return cell;
}

/* Counts an object. KNOWN is the chain of HOOK_FRAME's callers, or NULL if it is not known. Returns the cell or 0. */
MP_INLINE uint32_t
count(struct mp_recorder *recorder, struct mp_known_chain *known, const void *block, size_t size,
      size_t requested, unsigned kind, const void *hook_frame)
{
    uint32_t context, cell;

    if (MP_UNLIKELY(recorder->sample_period))
        return count_sampled(recorder, known, block, size, requested, kind, hook_frame);
    context = capture(recorder, &known, hook_frame);
    cell = cell_for(recorder, context, size, requested, kind);
    if (MP_UNLIKELY(!cell || !put(block, size, cell))) {
        mp_recorder_missing(recorder, MP_MISS_DROPPED);
        mp_chain_done(recorder);
        return 0;
    }
    if (known)
        mp_heap_quick_keep(known, size, cell);
    add_to_cell(recorder, cell, size, requested);
    mp_counter_grow(recorder, size);
    recorder->last_block = NULL;
    if (MP_UNLIKELY(mp_recorder_pending_work(recorder))) {
        if (recorder->events)
            mp_events_note(mp_language->treated(block), (size + MP_HEAP_GRANULE - 1) / MP_HEAP_GRANULE,
                           (uintptr_t)block);
        mp_activation_after_alloc(recorder, context, hook_frame);
    }
    mp_chain_done(recorder);
    return cell;
}

uint32_t
mp_heap_alloc(const void *block, size_t size, size_t requested, unsigned kind,
              const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    uint32_t cell;

    if (MP_UNLIKELY(!recorder)) {
        mp_activation_dropped(self, hook_frame);
        return 0;
    }
    cell = count(recorder, recorder->sample_period ? NULL : mp_known_find(recorder, hook_frame), block, size, requested,
                 kind, hook_frame);
    mp_leave(self, recorder);
    return cell;
}

uint32_t
mp_heap_alloc_entered(struct mp_known_chain *known, const void *block, size_t size, size_t requested,
                      unsigned kind, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = self->recorder;
    uint32_t cell = count(recorder, known, block, size, requested, kind, hook_frame);

    mp_leave(self, recorder);
    return cell;
}

uint32_t
mp_heap_here(const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_gate_is_ours() ? mp_enter(self, hook_frame) : NULL;
    struct mp_known_chain *known;
    uint32_t context;

    if (!recorder)
        return 0;
    known = mp_known_find(recorder, hook_frame);
    context = capture(recorder, &known, hook_frame);
    mp_chain_done(recorder);
    mp_leave(self, recorder);
    return context;
}

void
mp_heap_change_counted(uint32_t session, size_t size, unsigned from, unsigned to)
{
    struct mp_live_recorder *live;

    if (!mp_is_equal(&mp_gate->generation, mp_thread.generation) || mp_thread.recorder->session != session)
        return;
    live = mp_thread.recorder->live;
    mp_add(&mp_sample_objects(live, from)->allocs, UINT64_MAX);
    mp_add(&mp_sample_objects(live, from)->bytes, -(uint64_t)size);
    mp_sample_count_object(live, size, to);
}

uint32_t
mp_heap_sampled(void)
{
    return mp_sample_period > 0 ? mp_session_number() : 0;
}

uint32_t
mp_heap_context(uint32_t cell)
{
    return cell >= mp_store.first_cell ? mp_store.cells[cell].context : 0;
}

uint32_t
mp_heap_site(const void *block)
{
    const uint64_t *word = mp_heap_find(block);
    uint64_t value = word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;

    return value ? mp_heap_context((uint32_t)(value >> 32)) : 0;
}

/* Returns whether FRAME is no caller, but a note about the frames that it calls: the name of a thread, of a generic
 * function, or of an interpreted function of the Lisp module. */
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
    uint32_t parent = context ? mp_cct_parent(context) : 0;

    while (parent && is_note(&mp_store.frames[mp_cct_frame(context)])) {
        context = parent;
        parent = mp_cct_parent(context);
    }
    *ip = mp_store.frames[mp_cct_frame(context)].ip;
    return parent;
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

/* Moves one block from the cell FROM_ID to the cell TO of the same recorder. */
static void
move(struct mp_recorder *recorder, uint32_t from_id, uint32_t to, size_t size, size_t requested)
{
    struct mp_live_cell *from = &mp_store.cells[from_id];

    add_to_cell(recorder, to, size, requested);
    mp_counter_touch(recorder, from);
    if (mp_counter_is_mixed(from)) {
        struct mp_live_mixed *mixed = mp_counter_mixed(from);

        mp_add(&mixed->bytes, -(uint64_t)size);
        mp_add(&mixed->requested, -(uint64_t)requested);
        if (from->allocs == 1) {
            mixed->size_min = UINT32_MAX;
            mixed->size_max = 0;
        }
    } else {
        mp_add_32(&from->slack, (uint32_t)(requested - size));
    }
    mp_add_32(&from->allocs, UINT32_MAX);
}

static void
change_kind(struct mp_recorder *recorder, const struct mp_heap_counted *counted, unsigned kind)
{
    const struct mp_live_cell *from = &mp_store.cells[counted->cell];
    uint64_t *word = mp_heap_find(counted->block), old;
    uint32_t to;
    size_t size;

    if (counted->cell < mp_store.first_cell || !word || from->recorder != recorder->id)
        return;
    old = __atomic_load_n(word, __ATOMIC_RELAXED);
    size = (size_t)((uint32_t)old >> 3) * MP_HEAP_GRANULE;
    if (old >> 32 == counted->cell &&
        (to = cell_of(recorder, from->context, kind, size, size - counted->requested)) != 0 &&
        to != counted->cell &&
        __atomic_compare_exchange_n(word, &old, (uint64_t)to << 32 | (uint32_t)old, 0,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        move(recorder, counted->cell, to, size, counted->requested);
        if (old & 7)
            mp_heap_move_age(counted->cell, to, size, old & 7);
    }
}

void
mp_heap_change_kind(const struct mp_heap_counted *object, const struct mp_heap_counted *payload,
                    unsigned kind, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_gate_is_ours() ? mp_enter(self, hook_frame) : NULL;

    if (!recorder)
        return;
    change_kind(recorder, object, kind);
    if (payload)
        change_kind(recorder, payload, kind | MP_KIND_PAYLOAD);
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
    sums->bytes += mp_counter_bytes(cell);
    sums->live_objects += object ? (uint64_t)cell->allocs - cell->frees : 0;
    sums->live_bytes += mp_counter_bytes(cell) - mp_counter_freed(cell);
}

/* Adds the estimated live objects and bytes of CELL, which counts samples. add_counted() adds what was allocated. */
static void
add_to_estimates(struct mp_heap_sums *sums, const struct mp_live_cell *cell)
{
    const uint64_t live = (uint64_t)(int64_t)(int32_t)(cell->allocs - cell->frees);
    const uint64_t bytes = mp_sample_bytes(mp_sample_period, cell, live,
                                           mp_counter_bytes(cell) - mp_counter_freed(cell));

    sums->live_bytes += bytes;
    if (!(cell->kind & MP_KIND_PAYLOAD))
        sums->live_objects += mp_counter_is_mixed(cell) ? live : (uint64_t)((int64_t)bytes / (int64_t)cell->size);
}

uint32_t
mp_heap_recorder(const void *hook_frame)
{
    struct mp_recorder *recorder = mp_activation_recorder();

    if (recorder)
        return recorder->id;
    mp_activation_begin(hook_frame);
    recorder = mp_activation_recorder();
    return recorder ? recorder->id : 0;
}

/* Sums the cells of the recorder with the id OWN, or of all recorders if OWN is 0. The lock is held, so no cells
 * are released. */
static void
add_cells(struct mp_heap_sums *sums, uint32_t own)
{
    MP_LOCK_HELD();
    const uint32_t end = mp_store_next(MP_EXT_CELLS);

    for (uint32_t id = mp_store.first_cell; id < end; id++) {
        const struct mp_live_cell *cell = &mp_store.cells[id];

        if (!cell->context || (cell->kind & ~MP_CELL_MIXED) < MP_KIND_LISP || (own && cell->recorder != own))
            continue;
        if (mp_sample_period > 0)
            add_to_estimates(sums, cell);
        else
            add_to_sums(sums, cell);
    }
}

/* Adds all objects that were allocated, which a sampled recording counts without cells. */
static void
add_counted(struct mp_heap_sums *sums, bool this_thread)
{
    const struct mp_allocated all = mp_recorder_objects(this_thread ? mp_activation_recorder() : NULL);

    sums->objects += all.blocks;
    sums->bytes += all.bytes;
}

void
mp_heap_totals(struct mp_heap_sums *sums, bool this_thread, const void *hook_frame)
{
    const uint32_t own = this_thread ? mp_heap_recorder(hook_frame) : 0;
    struct mp_gate_hold hold;

    *sums = (struct mp_heap_sums){ 0 };
    if (!mp_gate_is_ours() || (this_thread && !own))
        return;
    if (mp_gate_lock(&hold)) {
        add_cells(sums, own);
        if (mp_sample_period > 0)
            add_counted(sums, this_thread);
        sums->lost = mp_store.header ? mp_store.header->missing[MP_MISS_DROPPED] : 0;
        sums->lost += this_thread ? mp_thread.loans : 0;
        sums->session = mp_session_active() ? mp_session_number() : 0;
    }
    mp_gate_unlock(&hold);
}

/* ------------------------------------------------------------------ forms */

/*
 * The functions below note in the header the contexts in which a recorded form is entered. Readers let the chains of
 * the form's allocations begin at these contexts.
 */

/* Returns whether FRAME is code through which a form is entered. Such code belongs to the module that calls us,
 * like the frame OWN, or to the runtime. */
static bool
is_entrance(const struct mp_live_frame *frame, const struct mp_live_frame *own)
{
    if (frame->flags & MP_LIVE_FRAME_INTERPRETED)
        return is_note(frame);
    return frame->flags & MP_LIVE_FRAME_RUNTIME || mp_module_same(frame->ip, own->ip);
}

/* Returns the context of the caller of the function that contains the form, or 0 if it is unknown. */
static uint32_t
way_to_form(uint32_t context)
{
    const struct mp_live_frame *own = &mp_store.frames[mp_cct_frame(context)];

    while (mp_cct_frame(context) >= MP_FRAME_FIRST &&
           is_entrance(&mp_store.frames[mp_cct_frame(context)], own))
        context = mp_cct_parent(context);
    if (mp_cct_frame(context) < MP_FRAME_FIRST)
        return 0;
    context = mp_cct_parent(context);
    return mp_cct_frame(context) < MP_FRAME_FIRST ? 0 : context;
}

/* Adds CONTEXT to the header's forms. */
static void
note_form(struct mp_live_header *header, uint32_t context)
{
    MP_LOCK_HELD();
    uint32_t n = header->n_forms;

    for (uint32_t i = 0; i < n; i++)
        if (header->forms[i] == context)
            return;
    if (n == MP_MAX_FORMS)
        return;
    header->forms[n] = context;
    __atomic_store_n(&header->n_forms, n + 1, __ATOMIC_RELEASE);
}

void
mp_heap_form(const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);
    struct mp_gate_hold hold;
    uint32_t context;

    if (!recorder)
        return;
    if (!recorder->root_known)
        find_root(recorder);
    context = mp_chain_capture(recorder, hook_frame);
    if (context)
        context = way_to_form(context);
    if (context) {
        if (mp_gate_lock(&hold) && mp_recorder_is_current(recorder))
            note_form(recorder->header, context);
        mp_gate_unlock(&hold);
    }
    mp_chain_done(recorder);
    mp_leave(self, recorder);
}
