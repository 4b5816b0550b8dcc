/*
 * map.h -- keys to ids: the hash table of the reporter.
 *
 * Keys get the ids 0, 1, 2 ... in the order of their first appearance, so that what belongs to a
 * key stands in a list of the caller's, by id.  The keys of one map are all of one sort.
 */
#ifndef MP_MAP_H
#define MP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MP_NO_ID UINT32_MAX

/* Has the arena only, at first; the rest is zero. */
struct mp_map {
    struct mp_arena *arena;     /* not owned; keys and tables are in it */
    uint32_t count;             /* keys, and so the next id */
    uint32_t n_slots;           /* 0 or a power of 2 */
    struct mp_map_slot *slots;
    uint64_t *numbers;          /* keys by id, if they are numbers, */
    struct mp_map_bytes *bytes; /* or strings of bytes */
    uint32_t keys_room;
};

/* Numbers. */
uint32_t mp_map_add_u64(struct mp_map *map, uint64_t key);          /* its id, new or not */
uint32_t mp_map_find_u64(const struct mp_map *map, uint64_t key);   /* its id or MP_NO_ID */

/* Strings of SIZE bytes, which are copied. */
uint32_t mp_map_add(struct mp_map *map, const void *key, size_t size);
uint32_t mp_map_find(const struct mp_map *map, const void *key, size_t size);
const char *mp_map_key(const struct mp_map *map, uint32_t id);      /* and a NUL behind it */

/* Keys that only the caller knows: IS_SAME tells whether the one with ID is the one that DATA describes.
 * It is asked about few with another HASH. */
uint32_t mp_map_add_hashed(struct mp_map *map, uint64_t hash,
                           bool (*is_same)(const void *data, uint32_t id), const void *data);

#endif
