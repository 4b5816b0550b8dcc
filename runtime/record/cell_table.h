/*
 * cell_table.h -- from context and kind to the cells that no context is linked to (cct_slots.h), in a
 * table of ids that one recorder owns.
 *
 * A context's newest cell, which for most is the only one, is found by the link.  The others are here, and
 * all cells of a context that has branches.
 *
 * Open addressing; nothing is ever taken out.  The key stands in the cells, so an entry is four bytes, and
 * all cells of a key are met in one search.  As with id_map.h, only the recorder's thread uses the table,
 * without a lock, and a signal handler may jump out of any function here.
 */
#ifndef MP_CELL_TABLE_H
#define MP_CELL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/store/store.h"
#include "runtime/system/hash.h"

/* All zero: empty.  An entry, 0: free, is the id of a cell and above it bits of its hash, so that other
 * cells are seldom looked at. */
struct mp_cell_table {
    uint32_t *entries;
    uint32_t used, most;        /* entries that are not free, and how many may be */
    uint32_t bits;              /* log2 of how many there are */
};

#define MP_CELL_TABLE_TAG (~(uint32_t)0 << MP_CELL_ID_BITS)

MP_INLINE uint64_t
mp_cell_table_hash(uint32_t context, unsigned kind)
{
    return mp_hash((uint64_t)kind << 32 | context, 0);
}

/* The kind of CELL, mixed or not. */
MP_INLINE unsigned
mp_cell_table_kind(const struct mp_live_cell *cell)
{
    return cell->kind & ~MP_CELL_MIXED;
}

/* Where the search for HASH begins in TABLE. */
MP_INLINE uint32_t
mp_cell_table_begin(const struct mp_cell_table *table, uint64_t hash)
{
    return MP_LIKELY(table->bits) ? (uint32_t)(hash >> (64 - table->bits)) : 0;
}

/* The next cell of CONTEXT and KIND in TABLE, whose hash is HASH, oldest first; 0: there are no more.  *AT: from
 * where on, and then where it goes on. */
MP_INLINE uint32_t
mp_cell_table_next(const struct mp_cell_table *table, uint64_t hash, uint32_t context, unsigned kind,
                   uint32_t *at)
{
    const uint32_t mask = ((uint32_t)1 << table->bits) - 1;
    uint32_t entry;

    if (MP_UNLIKELY(!table->entries))
        return 0;
    while ((entry = table->entries[*at]) != 0) {
        const struct mp_live_cell *cell = &mp_store.cells[entry & ~MP_CELL_TABLE_TAG];

        *at = (*at + 1) & mask;
        if (((entry ^ (uint32_t)hash) & MP_CELL_TABLE_TAG) == 0 && cell->context == context &&
            mp_cell_table_kind(cell) == kind)
            return entry & ~MP_CELL_TABLE_TAG;
    }
    return 0;
}

/* Room for one more; false: no memory. */
bool mp_cell_table_grow(struct mp_cell_table *table);
MP_INLINE bool
mp_cell_table_make_room(struct mp_cell_table *table)
{
    return MP_LIKELY(table->used < table->most) || mp_cell_table_grow(table);
}

/* Put cell ID into TABLE.  mp_cell_table_make_room() was called before. */
void mp_cell_table_put(struct mp_cell_table *table, uint32_t id);

/* Give its memory back: it is empty. */
void mp_cell_table_clear(struct mp_cell_table *table);

#endif
