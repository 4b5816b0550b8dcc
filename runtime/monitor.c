#include "monitor.h"

#include "chain.h"
#include "counter.h"
#include "diag.h"
#include "heap.h"
#include "module.h"
#include "name.h"
#include "object.h"
#include "options.h"
#include "rule.h"
#include "session.h"
#include "store.h"
#include "store_rows.h"

unsigned mp_monitor_block_distance = 8;

/* ------------------------------------------------------------------ the object table's words */

static MP_COLD size_t
huge_size(const void *block)
{
    return mp_object_take_huge((uintptr_t)block);
}

MP_INLINE size_t
size_of(const void *block, uint64_t record)
{
    uint32_t size = (uint32_t)record;

    return MP_LIKELY(size != MP_OBJECT_HUGE) ? size : huge_size(block);
}

static MP_COLD uint64_t *
force_object(const void *block)
{
    struct mp_gate_hold hold;
    uint64_t *region;

    mp_gate_lock(&hold);
    region = mp_object_force_region(&mp_objects, (uintptr_t)block);
    mp_gate_unlock(&hold);
    return region ? mp_object_word(&mp_objects, region, (uintptr_t)block) : NULL;
}

static MP_COLD void
missed(struct mp_recorder *recorder, enum mp_missing why)
{
    __atomic_add_fetch(&recorder->header->missing[why], 1, __ATOMIC_RELAXED);
}

/* The block of RECORD stood where another is allocated now: it was freed, and we were not told. */
static MP_COLD void
count_unseen_free(struct mp_recorder *recorder, const void *block, uint64_t record)
{
    uint32_t cell = (uint32_t)(record >> 32);
    size_t size = size_of(block, record);

    if (cell < mp_store.first_cell)
        return;
    mp_counter_free(recorder, cell, size, false);
    missed(recorder, MP_MISS_UNSEEN_FREE);
}

/* Write the block's word; false: no memory for it. */
MP_INLINE bool
put_object(struct mp_recorder *recorder, const void *block, size_t size, uint32_t cell)
{
    uint64_t *word = mp_object_make(&mp_objects, (uintptr_t)block);

    if (MP_UNLIKELY(!word) && !(word = force_object(block)))
        return false;
    if (MP_UNLIKELY(*word))
        count_unseen_free(recorder, block, *word);
    *word = (uint64_t)cell << 32 | size;
    if (MP_UNLIKELY(size >= MP_OBJECT_HUGE)) {
        *word = (uint64_t)cell << 32 | MP_OBJECT_HUGE;
        if (mp_object_put_huge((uintptr_t)block, size) != 0) {
            *word = 0;
            return false;
        }
    }
    return true;
}

/* The block of RECORD is freed, and counted nowhere: its size must not stay in the list. */
MP_INLINE void
forget_size(const void *block, uint64_t record)
{
    if (MP_UNLIKELY((uint32_t)record == MP_OBJECT_HUGE))
        huge_size(block);
}

/* ------------------------------------------------------------------ counting */

MP_INLINE void
count_alloc(struct mp_recorder *recorder, const void *block, size_t size, unsigned kind,
            const void *hook_frame)
{
    uint32_t context = mp_chain_capture(recorder, hook_frame), cell;

    if (MP_UNLIKELY(!context || !(cell = mp_counter_cell(recorder, context, kind)) ||
                    !put_object(recorder, block, size, cell))) {
        recorder->last_block = NULL;
        missed(recorder, MP_MISS_DROPPED);
        return;
    }
    mp_counter_alloc(recorder, cell, size);
    recorder->last_block = block;
    if (MP_UNLIKELY(mp_recorder_attention(recorder)))
        mp_session_special(recorder, context, hook_frame);
}

MP_INLINE void
count_free(struct mp_recorder *recorder, const void *block, uint64_t record)
{
    uint32_t cell = (uint32_t)(record >> 32);

    if (MP_UNLIKELY(cell < mp_store.first_cell)) {
        forget_size(block, record);
        missed(recorder, cell ? MP_MISS_FOREIGN_FREE : MP_MISS_UNKNOWN_FREE);
        return;
    }
    mp_counter_free(recorder, cell, size_of(block, record), block == recorder->last_block);
}

/* Take the block's record out of the table; 0: there is none. */
MP_INLINE uint64_t
take_record(const void *block)
{
    uint64_t *word, record;

    if (MP_UNLIKELY(!mp_objects.regions) ||
        !(word = mp_object_find(&mp_objects, (uintptr_t)block)))
        return 0;
    record = *word;
    *word = 0;
    return record;
}

/* The thread was not let in to count that the block of RECORD, 0: none, is freed. */
static MP_COLD void
drop_free(const struct mp_thread *self, const void *block, uint64_t record, const void *hook_frame)
{
    if (record >> 32 >= mp_store.first_cell && record)
        mp_session_free_dropped(self, hook_frame);
    forget_size(block, record);
}

/* ------------------------------------------------------------------ hooks */

void
mp_alloc(const void *block, size_t size, unsigned kind, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);

    if (MP_UNLIKELY(!recorder)) {
        mp_session_dropped(self, hook_frame);
        return;
    }
    count_alloc(recorder, block, size, kind, hook_frame);
    mp_leave(self, recorder);
}

bool
mp_free(const void *block, const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    uint64_t record = take_record(block);
    struct mp_recorder *recorder = mp_enter(self, hook_frame);

    if (MP_LIKELY(recorder)) {
        count_free(recorder, block, record);
        mp_leave(self, recorder);
    } else {
        drop_free(self, block, record, hook_frame);
    }
    return record != 0;
}

uint64_t
mp_realloc_begin(const void *old)
{
    return old ? take_record(old) : 0;
}

void
mp_realloc_done(const void *old, uint64_t record, const void *block, size_t size, unsigned kind,
                const void *hook_frame)
{
    struct mp_thread *self = &mp_thread;
    struct mp_recorder *recorder = mp_enter(self, hook_frame);

    if (MP_UNLIKELY(!recorder)) {
        drop_free(self, old, record, hook_frame);
        if (block)
            mp_session_dropped(self, hook_frame);
        return;
    }
    if (old)
        count_free(recorder, old, record);
    if (block)
        count_alloc(recorder, block, size, kind, hook_frame);
    mp_leave(self, recorder);
}

void
mp_realloc_failed(const void *old, uint64_t record)
{
    uint64_t *word = record ? mp_object_find(&mp_objects, (uintptr_t)old) : NULL;

    if (word)
        *word = record;
}

/* ------------------------------------------------------------------ events */

void
mp_monitor_open(void)
{
    mp_session_open();
}

void
mp_monitor_operator_new(void)
{
    mp_session_not_seen(MP_MISS_OPERATOR_NEW);
}

void
mp_monitor_own_malloc(void)
{
    mp_session_not_seen(MP_MISS_MALLOC);
}

void
mp_monitor_library(void)
{
    mp_session_not_seen(MP_MISS_LIBRARY);
}

void
mp_monitor_exit(int status)
{
    mp_session_exit(status);
}

void
mp_monitor_exec(bool profiled)
{
    mp_session_exec(profiled);
}

void
mp_monitor_exec_failed(bool profiled)
{
    mp_session_exec_failed(profiled);
}

void
mp_monitor_spawned(bool profiled)
{
    mp_session_spawned(profiled);
}

void
mp_monitor_forked(void)
{
    mp_session_forked();
}

void
mp_monitor_forked_child(void)
{
    mp_session_forked_child();
}

void
mp_monitor_limit(uint64_t bytes)
{
    struct mp_gate_hold hold;

    if (!mp_gate)
        return;
    mp_gate_lock(&hold);
    mp_rows_limit(bytes);
    mp_gate_unlock(&hold);
}

int
mp_monitor_descriptor(void)
{
    return mp_store_number();
}

bool
mp_monitor_has_file_open(void)
{
    return mp_store_is_open();
}

/* Not in the child of a vfork, whose descriptors are not its parent's as its memory is. */
void
mp_monitor_move_descriptor(void)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    if (mp_session_is_ours())
        mp_store_move();
    mp_gate_unlock(&hold);
}

void
mp_monitor_code_unloaded(void)
{
    mp_session_code_unloaded();
}

bool
mp_monitor_follows(void)
{
    return mp_options.follow != 0;
}

bool
mp_monitor_can_begin(void)
{
    return mp_session_can_make_file(mp_options.file);
}

int
mp_monitor_begin(const char *file, unsigned depth, bool fold)
{
    int result;

    mp_diag_quiet++;
    result = mp_session_begin(file, depth, fold);
    mp_diag_quiet--;
    return result;
}

void
mp_monitor_end(void)
{
    mp_session_end();
}

bool
mp_monitor_active(void)
{
    return mp_session_active();
}

const char *
mp_monitor_file(void)
{
    return mp_store_path();
}

void
mp_monitor_open_late(void)
{
    mp_session_open_late();
}

int
mp_monitor_language(const struct mp_language *language)
{
    return mp_session_language(language);
}

uintptr_t
mp_monitor_function(uintptr_t ip)
{
    uintptr_t start = 0;
#ifdef MP_HAVE_RULES
    struct mp_code_place place;
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    mp_module_find(ip - 1, &place);
    if (place.object.eh_frame_hdr)
        mp_rule_find(&place.object, ip - 1, &start);
    mp_gate_unlock(&hold);
#else
    (void)ip;
#endif
    return start;
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
mp_monitor_outer(uint32_t context, uintptr_t *ip)
{
    const struct mp_live_context *record = &mp_store.contexts[context];

    while (record->parent && is_note(&mp_store.frames[record->frame]))
        record = &mp_store.contexts[record->parent];
    *ip = mp_store.frames[record->frame].ip;
    return record->parent;
}

uint32_t
mp_monitor_pause(void)
{
    return mp_pause(&mp_thread);
}

void
mp_monitor_resume(uint32_t saved)
{
    mp_resume(&mp_thread, saved);
}

void
mp_monitor_locked(void (*what)(void *data), void *data)
{
    struct mp_gate_hold hold;

    mp_gate_lock(&hold);
    what(data);
    mp_gate_unlock(&hold);
}

void
mp_monitor_loader(uintptr_t *start, uintptr_t *end)
{
    mp_module_loader(start, end);
}

bool
mp_monitor_same_object(uintptr_t a, uintptr_t b)
{
    return mp_module_same(a, b);
}
