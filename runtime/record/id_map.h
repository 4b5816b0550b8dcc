/*
 * id_map.h -- from a number to an id, in a table that one recorder owns.
 *
 * Open addressing; nothing is ever taken out.  Only the recorder's thread uses it, without a lock;
 * a signal handler may jump out of any function here and leaves a map that holds what it held.
 *
 * The monitor's other hash tables share mp_hash() with it and not more: code_table is read by all
 * threads while one writes and is given up as a whole; name_table has entries of twelve words; in
 * pool objects are taken out and linked in rings, in module_list modules are taken out; the
 * recorder's recent children (cct.h) and the frames to be used again (code_language.c) are caches
 * of one place for each key.
 */
#ifndef MP_ID_MAP_H
#define MP_ID_MAP_H

#include <stdbool.h>

#include "runtime/system/hash.h"

struct mp_id_entry {
    uint64_t key;
    uint32_t id;                /* written last; 0: free */
};

/* All zero: empty. */
struct mp_id_map {
    struct mp_id_entry *entries;
    uint32_t used, bits;        /* entries that are not free; log2 of how many there are */
};

/* The entry of KEY in MAP, which is not empty, or the free one where it would be put. */
MP_INLINE struct mp_id_entry *
mp_id_map_entry(const struct mp_id_map *map, uint64_t key)
{
    uint64_t at = mp_hash(key, 64 - map->bits), mask = ((uint64_t)1 << map->bits) - 1;

    while (map->entries[at].id && map->entries[at].key != key)
        at = (at + 1) & mask;
    return &map->entries[at];
}

/* The id of KEY; 0: none. */
MP_INLINE uint32_t
mp_id_map_find(const struct mp_id_map *map, uint64_t key)
{
    return map->entries ? mp_id_map_entry(map, key)->id : 0;
}

/* Room for one more; false: no memory. */
bool mp_id_map_make_room(struct mp_id_map *map);

/* KEY, which is not there, has ID from now on.  mp_id_map_make_room() was called before. */
void mp_id_map_put(struct mp_id_map *map, uint64_t key, uint32_t id);

/* Give its memory back: it is empty. */
void mp_id_map_clear(struct mp_id_map *map);

#endif
