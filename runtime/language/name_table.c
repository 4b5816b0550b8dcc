/* SPDX-License-Identifier: MIT */
#include "name_table.h"

#include <string.h>

#include "runtime/system/gate.h"
#include "runtime/system/hash.h"
#include "runtime/system/sys.h"

#define FIRST_BITS 13u
#define MAX_BITS   22u
#define ARENA_SIZE ((size_t)1 << 18)

/* The whole table. A single pointer refers to it, so that a child that another thread forks meanwhile finds either
 * the old or the new table. */
struct table {
    uint32_t n, bits;
    struct mp_name_entry entries[];
};

static struct table *names;     /* NULL before the first entry */

/* ------------------------------------------------------------------ texts */

static char *arena;
static size_t arena_left;

const char *
mp_name_keep(const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy;

    if (size == 0 || size > ARENA_SIZE)
        return NULL;
    if (size > arena_left) {
        if (!(arena = mp_sys_map(ARENA_SIZE)))
            return NULL;
        arena_left = ARENA_SIZE;
    }
    copy = arena;
    memcpy(copy, text, size);
    arena += size;
    arena_left -= size;
    return copy;
}

/* ------------------------------------------------------------------ entries */

static struct mp_name_entry *
slot(struct table *table, uintptr_t start)
{
    size_t mask = ((size_t)1 << table->bits) - 1;
    size_t at = mp_hash(start, 64 - table->bits);

    while (table->entries[at].start && table->entries[at].start != start)
        at = (at + 1) & mask;
    return &table->entries[at];
}

/* Returns the number of entries in TABLE, free ones included. */
static uint32_t
room_of(const struct table *table)
{
    return table ? 1u << table->bits : 0;
}

static size_t
bytes_of(uint32_t bits)
{
    return sizeof(struct table) + (sizeof(struct mp_name_entry) << bits);
}

static bool
make_room(void)
{
    uint32_t bits = names ? names->bits + 1 : FIRST_BITS;
    struct table *old = names, *table;

    if (old && old->n * 2 < room_of(old))
        return true;
    if (bits > MAX_BITS || !(table = mp_sys_map(bytes_of(bits))))
        return false;
    table->bits = bits;
    table->n = old ? old->n : 0;
    for (uint32_t i = 0; i < room_of(old); i++)
        if (old->entries[i].start)
            *slot(table, old->entries[i].start) = old->entries[i];
    __atomic_store_n(&names, table, __ATOMIC_RELEASE);
    if (old)
        mp_sys_unmap(old, bytes_of(old->bits));
    return true;
}

struct mp_name_entry *
mp_name_entry_at(uintptr_t start)
{
    static struct mp_name_entry none;

    return names ? slot(names, start) : &none;
}

struct mp_name_entry *
mp_name_entry_of(uintptr_t start)
{
    MP_LOCK_HELD();
    struct mp_name_entry *entry;

    if (!make_room())
        return NULL;
    entry = slot(names, start);
    if (!entry->start) {
        entry->start = start;
        names->n++;
    }
    return entry;
}

struct mp_name_entry *
mp_name_entries(struct mp_name_entry **end)
{
    MP_LOCK_HELD();
    *end = names ? names->entries + room_of(names) : NULL;
    return names ? names->entries : NULL;
}
