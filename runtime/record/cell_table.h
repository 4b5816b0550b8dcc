/*
 * cell_table.h -- one recorder's hash table of cells, by context and kind.
 *
 * A context is linked to its newest cell (cct_slots.h), which usually is its only one. The table contains its
 * other cells, and all cells of contexts with branches.
 *
 * It uses open addressing, and entries are never removed. The key is read from the cells, so an entry has four
 * bytes, and one search finds all cells of a key. Only the recorder's thread uses the table, without a lock, and
 * a signal handler may jump out of any function here (as in id_map.h).
 */
#ifndef MP_CELL_TABLE_H
#define MP_CELL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/store/store.h"
#include "runtime/system/hash.h"

/* A table of zeros is empty. An entry is the id of a cell and, in the bits above it, part of its hash, so that
 * cells with other keys are rarely read. A free entry is 0. */
struct mp_cell_table {
    uint32_t *entries;
    uint32_t used, most;        /* entries in use; maximum number of entries in use */
    uint32_t bits;              /* log2 of the number of entries */
};

#define MP_CELL_TABLE_TAG (~(uint32_t)0 << MP_CELL_ID_BITS)

MP_INLINE uint64_t
mp_cell_table_hash(uint32_t context, unsigned kind)
{
    return mp_hash((uint64_t)kind << 32 | context, 0);
}

/* Returns the kind of CELL without MP_CELL_MIXED. */
MP_INLINE unsigned
mp_cell_table_kind(const struct mp_live_cell *cell)
{
    return cell->kind & ~MP_CELL_MIXED;
}

/* Returns the index where the search for HASH begins in TABLE. */
MP_INLINE uint32_t
mp_cell_table_begin(const struct mp_cell_table *table, uint64_t hash)
{
    return MP_LIKELY(table->bits) ? (uint32_t)(hash >> (64 - table->bits)) : 0;
}

/* Returns the next cell of CONTEXT and KIND in TABLE, oldest first, or 0 if there are no more. HASH is
 * mp_cell_table_hash() of both. *AT is the index where the search continues; it begins with
 * mp_cell_table_begin(). */
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

/* Ensure that one more entry fits. Return false if there is no memory. mp_cell_table_grow() is the slow path. */
bool mp_cell_table_grow(struct mp_cell_table *table);
MP_INLINE bool
mp_cell_table_make_room(struct mp_cell_table *table)
{
    return MP_LIKELY(table->used < table->most) || mp_cell_table_grow(table);
}

/* Adds cell ID to TABLE. mp_cell_table_make_room() has been called. */
void mp_cell_table_put(struct mp_cell_table *table, uint32_t id);

/* Empties the table and releases its memory. */
void mp_cell_table_clear(struct mp_cell_table *table);

#endif
