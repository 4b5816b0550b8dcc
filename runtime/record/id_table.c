/* SPDX-License-Identifier: MIT */
#include "id_table.h"

#include <string.h>

#include "runtime/system/sys.h"

#define FIRST_BITS 8u

/* Copies ENTRY, of SIZE bytes and with HASH, to the first free entry of TABLE. */
static void
put(const struct mp_id_table *table, size_t size, uint64_t hash, const void *entry)
{
    uint32_t at = mp_id_table_begin(table, hash), *to;

    while (*(to = (uint32_t *)((char *)table->entries + at * size)) != 0)
        at = mp_id_table_after(table, at);
    memcpy(to + 1, (const uint32_t *)entry + 1, size - sizeof *to);
    MP_IN_ORDER();
    *to = *(const uint32_t *)entry;
}

void
mp_id_table_put(struct mp_id_table *table, size_t size, uint64_t hash, const void *entry)
{
    table->used++;
    MP_IN_ORDER();
    put(table, size, hash, entry);
}

MP_COLD bool
mp_id_table_grow(struct mp_id_table *table, size_t size, mp_id_table_hash *hash_of)
{
    const struct mp_id_table old = *table;
    const char *entry = old.entries, *end = entry ? entry + (size << old.bits) : NULL;
    struct mp_id_table new = old;
    uint64_t mask;

    new.bits = entry ? old.bits + 1 : FIRST_BITS;
    new.most = (uint32_t)5 << (new.bits - 3);   /* 5/8 of the entries */
    new.entries = mp_sys_map(size << new.bits);
    if (!new.entries)
        return false;
    for (; entry < end; entry += size)
        if (*(const uint32_t *)entry)
            put(&new, size, hash_of(entry), entry);
    mp_sys_block_signals(&mask);        /* so that no handler jumps away in between */
    *table = new;
    mp_sys_unblock_signals(&mask);
    if (old.entries)
        mp_sys_unmap(old.entries, size << old.bits);
    return true;
}

void
mp_id_table_clear(struct mp_id_table *table, size_t size)
{
    if (table->entries)
        mp_sys_unmap(table->entries, size << table->bits);
    *table = (struct mp_id_table){ 0 };
}

uint64_t
mp_id_map_hash(const void *entry)
{
    return mp_hash(((const struct mp_id_entry *)entry)->key, 0);
}

uint64_t
mp_cell_entry_hash(const void *entry)
{
    const struct mp_live_cell *cell = &mp_store.cells[*(const uint32_t *)entry & ~MP_CELL_TAG];

    return mp_cell_hash(cell->context, mp_cell_kind(cell));
}

void
mp_cell_put(struct mp_id_table *table, uint32_t id)
{
    const uint64_t hash = mp_cell_entry_hash(&id);
    const uint32_t entry = id | ((uint32_t)hash & MP_CELL_TAG);

    mp_id_table_put(table, sizeof entry, hash, &entry);
}
