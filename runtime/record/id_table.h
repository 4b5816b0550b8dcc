/* SPDX-License-Identifier: MIT */
/*
 * id_table.h -- the hash tables of one recorder: branches of the tree, cells, and numbers with an id.
 *
 * A table uses open addressing, and entries are never removed. Only the recorder's thread uses it, without a lock. If a
 * signal handler jumps out of a function here, the table keeps its contents.
 *
 * The monitor's other hash tables only share mp_hash() with this one. code_table is read by all threads while one
 * writes, and is discarded as a whole. name_table has entries of twelve words. pool and module_list remove entries. The
 * recorder's recent children (cct.h) and the frames of code_language.c are direct-mapped caches.
 */
#ifndef MP_ID_TABLE_H
#define MP_ID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/store/store.h"
#include "runtime/system/hash.h"

/* A table of zeros is empty. Each table has entries of one type. The first word of an entry is 0 if the entry is free,
 * and is written last. */
struct mp_id_table {
    void *entries;
    uint32_t used, most;        /* entries in use; maximum number of entries in use */
    uint32_t bits;              /* log2 of the number of entries */
};

/* Returns the index where the search for HASH begins in TABLE. */
MP_INLINE uint32_t
mp_id_table_begin(const struct mp_id_table *table, uint64_t hash)
{
    return MP_LIKELY(table->bits) ? (uint32_t)(hash >> (64 - table->bits)) : 0;
}

/* Returns the index where a search continues after AT. */
MP_INLINE uint32_t
mp_id_table_after(const struct mp_id_table *table, uint32_t at)
{
    return (at + 1) & (((uint32_t)1 << table->bits) - 1);
}

/* Returns the hash of ENTRY, which is in use. mp_id_table_grow() needs it to move the entry. */
typedef uint64_t mp_id_table_hash(const void *entry);

/* Ensure that one more entry of SIZE bytes fits. Return false if there is no memory. mp_id_table_grow() is the slow
 * path. */
bool mp_id_table_grow(struct mp_id_table *table, size_t size, mp_id_table_hash *hash_of);
MP_INLINE bool
mp_id_table_make_room(struct mp_id_table *table, size_t size, mp_id_table_hash *hash_of)
{
    return MP_LIKELY(table->used < table->most) || mp_id_table_grow(table, size, hash_of);
}

/* Adds ENTRY, of SIZE bytes and with HASH. mp_id_table_make_room() has been called. */
void mp_id_table_put(struct mp_id_table *table, size_t size, uint64_t hash, const void *entry);

/* Empties TABLE, whose entries have SIZE bytes, and releases its memory. */
void mp_id_table_clear(struct mp_id_table *table, size_t size);

/* ------------------------------------------------------------------ numbers */

struct mp_id_entry {
    uint32_t id;
    uint64_t key;
};

mp_id_table_hash mp_id_map_hash;

/* Returns the id of KEY in MAP, a table of struct mp_id_entry, or 0 if KEY is not in the map. */
MP_INLINE uint32_t
mp_id_map_find(const struct mp_id_table *map, uint64_t key)
{
    const struct mp_id_entry *entries = map->entries, *entry;
    uint64_t at;

    if (!entries)
        return 0;
    at = mp_hash(key, 64 - map->bits);
    while ((entry = &entries[at])->id && entry->key != key)
        at = mp_id_table_after(map, (uint32_t)at);
    return entry->id;
}

/* Ensures that mp_id_map_put() has space for one more entry. Returns false if there is no memory. */
MP_INLINE bool
mp_id_map_make_room(struct mp_id_table *map)
{
    return mp_id_table_make_room(map, sizeof(struct mp_id_entry), mp_id_map_hash);
}

/* Adds KEY, which is not in the map, with ID. mp_id_map_make_room() has been called. */
MP_INLINE void
mp_id_map_put(struct mp_id_table *map, uint64_t key, uint32_t id)
{
    const struct mp_id_entry entry = { id, key };

    mp_id_table_put(map, sizeof entry, mp_hash(key, 0), &entry);
}

/* ------------------------------------------------------------------ cells */

/* A table of cells finds all cells of a context and kind. A context is linked to its newest cell (cct_slots.h), which
 * usually is its only one. The table contains its other cells, and all cells of contexts with branches. An entry is the
 * id of a cell and, in the bits above it, part of its hash, so that cells with other keys are rarely read. */
#define MP_CELL_TAG (~(uint32_t)0 << MP_CELL_ID_BITS)

MP_INLINE uint64_t
mp_cell_hash(uint32_t context, unsigned kind)
{
    return mp_hash((uint64_t)kind << 32 | context, 0);
}

/* Returns the kind of CELL without MP_CELL_MIXED. */
MP_INLINE unsigned
mp_cell_kind(const struct mp_live_cell *cell)
{
    return cell->kind & ~MP_CELL_MIXED;
}

/* Returns the next cell of CONTEXT and KIND in TABLE, oldest first, or 0 if there are no more. HASH is mp_cell_hash()
 * of both. *AT is the index where the search continues; it begins with mp_id_table_begin(). */
MP_INLINE uint32_t
mp_cell_next(const struct mp_id_table *table, uint64_t hash, uint32_t context, unsigned kind, uint32_t *at)
{
    const uint32_t *entries = table->entries;
    uint32_t entry;

    if (MP_UNLIKELY(!entries))
        return 0;
    while ((entry = entries[*at]) != 0) {
        const struct mp_live_cell *cell = &mp_store.cells[entry & ~MP_CELL_TAG];

        *at = mp_id_table_after(table, *at);
        if (((entry ^ (uint32_t)hash) & MP_CELL_TAG) == 0 && cell->context == context && mp_cell_kind(cell) == kind)
            return entry & ~MP_CELL_TAG;
    }
    return 0;
}

mp_id_table_hash mp_cell_entry_hash;

/* Ensures that one more cell fits into TABLE. Returns false if there is no memory. */
MP_INLINE bool
mp_cell_make_room(struct mp_id_table *table)
{
    return mp_id_table_make_room(table, sizeof(uint32_t), mp_cell_entry_hash);
}

/* Adds cell ID to TABLE. mp_cell_make_room() has been called. */
void mp_cell_put(struct mp_id_table *table, uint32_t id);

#endif
