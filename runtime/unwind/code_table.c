/* SPDX-License-Identifier: MIT */
#include "code_table.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "rule.h"
#include "runtime/store/store.h"
#include "runtime/store/store_past.h"
#include "runtime/system/gate.h"
#include "runtime/system/sys.h"

#define FIRST_BITS 8u           /* 256 entries, 4 KiB: a short process soon touches all pages of its first table */
#define MAX_BITS   24u

struct mp_code_table *mp_code_table;

const struct mp_code mp_code_no_memory = { .rule = MP_RULE_MISSING, .frame = MP_FRAME_CUT_MEMORY };

/* Tables of files in which somebody may still read, and empty tables for reuse. All of them stay mapped, because a
 * function that reads without the lock (mp_code_forget_function()) may read any of them. */
static struct mp_code_table *tables, *unused;

/* ------------------------------------------------------------------ memory */

static size_t
size_of(unsigned shift)
{
    return sizeof(struct mp_code_table) + (sizeof(struct mp_code) << (64 - shift));
}

static struct mp_code_table *
take_unused(unsigned shift)
{
    struct mp_code_table **link = &unused, *table;

    while (*link && (*link)->shift != shift)
        link = &(*link)->next;
    table = *link;
    if (table)
        *link = table->next;
    return table;
}

static struct mp_code_table *
new_table(unsigned bits)
{
    struct mp_code_table *table = take_unused(64 - bits);

    if (!table && !(table = mp_sys_map(size_of(64 - bits))))
        return NULL;
    table->shift = 64 - bits;
    table->file = mp_past_present();
    table->next = tables;
    tables = table;
    return table;
}

/* Empties TABLE and returns its memory to the system, except for the page with its size. */
static void
empty(struct mp_code_table *table)
{
    size_t page = getauxval(AT_PAGESZ), size = size_of(table->shift);
    const size_t begin = offsetof(struct mp_code_table, entries);

    if (size <= page || mp_sys_madvise((char *)table + page, size - page, MADV_DONTNEED) == 0)
        size = size < page ? size : page;
    memset(table->entries, 0, size - begin);
    table->used = 0;
}

static void
give_up_tables(void)
{
    struct mp_code_table **link = &tables, *table;

    while ((table = *link)) {
        if (mp_past_is_there(table->file)) {
            link = &table->next;
            continue;
        }
        *link = table->next;
        empty(table);
        table->next = unused;
        unused = table;
    }
}

/* ------------------------------------------------------------------ entries */

static struct mp_code *
insert(struct mp_code_table *table, uint64_t key, uint32_t rule, uint32_t frame)
{
    uint64_t mask = ~(uint64_t)0 >> table->shift;
    uint64_t at = mp_hash(key, table->shift);

    while (table->entries[at].key != 0)
        at = (at + 1) & mask;
    table->entries[at].rule = rule;
    table->entries[at].frame = frame;
    __atomic_store_n(&table->entries[at].key, key, __ATOMIC_RELEASE);
    table->used++;
    return &table->entries[at];
}

/* Returns the key that FRAME has, or had until its code was unloaded. */
static uint64_t
key_of(uint32_t frame)
{
    const struct mp_live_frame *record = &mp_store.frames[frame];

    return record->ip | (record->flags & MP_LIVE_FRAME_SIGNAL ? MP_KEY_EXACT : 0) |
           (record->flags & MP_LIVE_FRAME_INTERPRETED ? MP_KEY_INTERPRETED : 0);
}

/* Copies the entry CODE to TABLE, which is larger. The entry of unloaded code is copied, too, because the code may be
 * loaded again. The entry of a dead interpreted function is dropped. */
static void
move(struct mp_code_table *table, const struct mp_code *code)
{
    bool dead = code->key == MP_KEY_DEAD;
    struct mp_code *moved;

    if (dead && mp_store.frames[code->frame].flags & MP_LIVE_FRAME_INTERPRETED)
        return;
    moved = insert(table, key_of(code->frame), code->rule, code->frame);
    if (dead)
        moved->key = MP_KEY_DEAD;
}

/* Makes space for one more entry, with the table at most two thirds full. Returns false if there is no memory. */
static bool
make_room(void)
{
    struct mp_code_table *old = mp_code_table, *table;
    uint64_t entries = (uint64_t)1 << (64 - old->shift);

    if ((old->used + 1) * 3 < entries * 2)
        return true;
    if (64 - old->shift >= MAX_BITS || !(table = new_table(64 - old->shift + 1)))
        return false;
    for (uint64_t i = 0; i < entries; i++)
        if (old->entries[i].key != 0)
            move(table, &old->entries[i]);
    __atomic_store_n(&mp_code_table, table, __ATOMIC_RELEASE);
    return true;
}

uint32_t
mp_code_table_new_frame(void)
{
    MP_LOCK_HELD();
    return make_room() ? mp_store_take(MP_EXT_FRAMES, 1) : 0;
}

const struct mp_code *
mp_code_table_put(uint64_t key, uint32_t rule, uint32_t frame, const struct mp_live_frame *record)
{
    MP_LOCK_HELD();
    struct mp_live_frame *to = &mp_store.frames[frame];

    to->ip = record->ip;
    to->module = record->module;
    __atomic_store_n(&to->flags, record->flags | MP_LIVE_FRAME_VALID, __ATOMIC_RELEASE);
    return insert(mp_code_table, key, rule, frame);
}

/* Returns the entry that KEY and FRAME had before mp_code_table_forget(), or NULL if the table has been enlarged since
 * without it (see move()). */
static struct mp_code *
find_forgotten(uint64_t key, uint32_t frame)
{
    struct mp_code_table *table = mp_code_table;
    uint64_t mask = ~(uint64_t)0 >> table->shift;

    for (uint64_t at = mp_hash(key, table->shift); table->entries[at].key != 0;
         at = (at + 1) & mask)
        if (table->entries[at].key == MP_KEY_DEAD && table->entries[at].frame == frame)
            return &table->entries[at];
    return NULL;
}

const struct mp_code *
mp_code_table_put_again(uint64_t key, uint32_t frame, uintptr_t ip)
{
    MP_LOCK_HELD();
    struct mp_code *code;

    if (!make_room())
        return NULL;
    mp_store.frames[frame].ip = ip;
    code = find_forgotten(key, frame);
    if (!code)
        return insert(mp_code_table, key, MP_RULE_END, frame);
    __atomic_store_n(&code->key, key, __ATOMIC_RELEASE);
    return code;
}

void
mp_code_table_forget(struct mp_code *code)
{
    MP_LOCK_HELD();
    __atomic_store_n(&code->key, MP_KEY_DEAD, __ATOMIC_RELEASE);
}

/* ------------------------------------------------------------------ all of them */

static struct mp_code *
end_of(struct mp_code_table *table)
{
    return table->entries + ((uint64_t)1 << (64 - table->shift));
}

/* Makes the entries of MODULE findable if ALIVE, and hides them otherwise. */
static void
revive(uint32_t module, bool alive)
{
    struct mp_code_table *table = mp_code_table;

    for (struct mp_code *code = table->entries, *end = end_of(table); code < end; code++)
        if (code->key != 0 && mp_store.frames[code->frame].module == module)
            __atomic_store_n(&code->key, alive ? key_of(code->frame) : MP_KEY_DEAD,
                             __ATOMIC_RELEASE);
}

void
mp_code_table_hide(uint32_t module)
{
    MP_LOCK_HELD();
    revive(module, false);
}

void
mp_code_table_show(uint32_t module)
{
    MP_LOCK_HELD();
    revive(module, true);
}

bool
mp_code_table_forget_generated(uintptr_t start, uintptr_t end)
{
    MP_LOCK_HELD();
    struct mp_code_table *table = mp_code_table;
    bool some = false;

    for (struct mp_code *code = table->entries, *last = end_of(table); code < last; code++) {
        const struct mp_live_frame *frame = &mp_store.frames[code->frame];

        if (code->key != 0 && code->key != MP_KEY_DEAD && code->frame >= MP_FRAME_FIRST &&
            frame->module == 0 && !(frame->flags & MP_LIVE_FRAME_INTERPRETED) &&
            frame->ip - start < end - start) {
            mp_code_table_forget(code);
            some = true;
        }
    }
    return some;
}

bool
mp_code_table_forget_dead(bool (*alive)(const void *object), void (*forgotten)(uint32_t frame))
{
    MP_LOCK_HELD();
    struct mp_code_table *table = mp_code_table;
    bool some = false;

    for (struct mp_code *code = table->entries, *end = end_of(table); code < end; code++)
        if (code->key != MP_KEY_DEAD && code->key & MP_KEY_INTERPRETED &&
            !(code->key & MP_KEY_EXACT) &&
            !alive((const void *)(uintptr_t)(code->key & ~MP_KEY_INTERPRETED))) {
            mp_code_table_forget(code);
            forgotten(code->frame);
            some = true;
        }
    return some;
}

int
mp_code_table_reset(void)
{
    MP_LOCK_HELD();
    struct mp_code_table *table;

    give_up_tables();
    table = new_table(FIRST_BITS);
    if (!table || mp_store_take(MP_EXT_FRAMES, MP_FRAME_FIRST) == 0)
        return -ENOMEM;
    __atomic_store_n(&mp_code_table, table, __ATOMIC_RELEASE);
    return 0;
}
