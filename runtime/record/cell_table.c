#include "cell_table.h"

#include "runtime/system/sys.h"

#define FIRST_BITS 8u

/* Stores cell ID in the first free entry. */
static void
put(const struct mp_cell_table *table, uint32_t id)
{
    const struct mp_live_cell *cell = &mp_store.cells[id];
    const uint64_t hash = mp_cell_table_hash(cell->context, mp_cell_table_kind(cell));
    uint32_t *entries = table->entries;
    const uint32_t mask = ((uint32_t)1 << table->bits) - 1;
    uint32_t at = mp_cell_table_begin(table, hash);

    while (entries[at])
        at = (at + 1) & mask;
    entries[at] = id | ((uint32_t)hash & MP_CELL_TABLE_TAG);
}

MP_COLD bool
mp_cell_table_grow(struct mp_cell_table *table)
{
    const struct mp_cell_table old = *table;
    const size_t size = old.entries ? (size_t)1 << old.bits : 0;
    struct mp_cell_table new = old;
    uint64_t mask;

    new.bits = size ? old.bits + 1 : FIRST_BITS;
    new.most = (uint32_t)5 << (new.bits - 3);   /* 5/8 of the entries */
    new.entries = mp_sys_map(sizeof *new.entries << new.bits);
    if (!new.entries)
        return false;
    for (size_t i = 0; i < size; i++)
        if (old.entries[i])
            put(&new, old.entries[i] & ~MP_CELL_TABLE_TAG);
    mp_sys_block_signals(&mask);        /* so that no handler jumps away in between */
    *table = new;
    mp_sys_unblock_signals(&mask);
    if (old.entries)
        mp_sys_unmap(old.entries, size * sizeof *old.entries);
    return true;
}

void
mp_cell_table_put(struct mp_cell_table *table, uint32_t id)
{
    table->used++;
    MP_IN_ORDER();
    put(table, id);
}

void
mp_cell_table_clear(struct mp_cell_table *table)
{
    if (table->entries)
        mp_sys_unmap(table->entries, sizeof *table->entries << table->bits);
    *table = (struct mp_cell_table){ 0 };
}
