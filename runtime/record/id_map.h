/*
 * id_map.h -- one recorder's hash table from a number to an id.
 *
 * It uses open addressing, and entries are never removed. Only the recorder's thread uses it, without a lock. If
 * a signal handler jumps out of a function here, the map keeps its contents.
 *
 * The monitor's other hash tables only share mp_hash() with it. code_table is read by all threads while one
 * writes, and is discarded as a whole. name_table has entries of twelve words. pool and module_list remove
 * entries. The recorder's recent children (cct.h) and the frames of code_language.c are direct-mapped caches.
 */
#ifndef MP_ID_MAP_H
#define MP_ID_MAP_H

#include <stdbool.h>

#include "runtime/system/hash.h"

struct mp_id_entry {
    uint64_t key;
    uint32_t id;                /* 0 if free; written last */
};

/* A map of zeros is empty. */
struct mp_id_map {
    struct mp_id_entry *entries;
    uint32_t used, bits;        /* entries in use; log2 of the number of entries */
};

/* Returns the entry of KEY in MAP, which has entries, or the free entry where KEY belongs. */
MP_INLINE struct mp_id_entry *
mp_id_map_entry(const struct mp_id_map *map, uint64_t key)
{
    uint64_t at = mp_hash(key, 64 - map->bits), mask = ((uint64_t)1 << map->bits) - 1;

    while (map->entries[at].id && map->entries[at].key != key)
        at = (at + 1) & mask;
    return &map->entries[at];
}

/* Returns the id of KEY, or 0 if KEY is not in the map. */
MP_INLINE uint32_t
mp_id_map_find(const struct mp_id_map *map, uint64_t key)
{
    return map->entries ? mp_id_map_entry(map, key)->id : 0;
}

/* Ensures that one more entry fits. Returns false if there is no memory. */
bool mp_id_map_make_room(struct mp_id_map *map);

/* Adds KEY, which is not in the map, with ID. mp_id_map_make_room() has been called. */
void mp_id_map_put(struct mp_id_map *map, uint64_t key, uint32_t id);

/* Empties the map and releases its memory. */
void mp_id_map_clear(struct mp_id_map *map);

#endif
