/* SPDX-License-Identifier: MIT */
/*
 * map.h -- the reporter's hash table, which maps keys to ids.
 *
 * Keys get the ids 0, 1, 2 ... in the order of their first appearance. So callers store data of keys in a list
 * of their own, indexed by id. All keys of a map are of the same sort: numbers, strings of bytes, or keys of the
 * caller.
 */
#ifndef MP_MAP_H
#define MP_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define MP_NO_ID UINT32_MAX

/* To create an empty map, set the arena and zero everything else. */
struct mp_map {
    struct mp_arena *arena;     /* not owned; contains keys and tables */
    uint32_t count;             /* number of keys, which is the next id */
    uint32_t n_slots;           /* 0 or a power of 2 */
    struct mp_map_slot *slots;
    uint64_t *numbers;          /* keys by id, if they are numbers */
    struct mp_map_bytes *bytes; /* keys by id, if they are strings of bytes */
    uint32_t keys_room;
};

/* Keys that are numbers. */
uint32_t mp_map_add_u64(struct mp_map *map, uint64_t key);          /* returns its id, new or not */
uint32_t mp_map_find_u64(const struct mp_map *map, uint64_t key);   /* returns its id or MP_NO_ID */

/* Keys of SIZE bytes, which are copied; KEY may be NULL if SIZE is 0. Return the id as the functions above do. */
uint32_t mp_map_add(struct mp_map *map, const void *key, size_t size);
uint32_t mp_map_find(const struct mp_map *map, const void *key, size_t size);
const char *mp_map_key(const struct mp_map *map, uint32_t id);      /* a NUL follows it */
size_t mp_map_key_size(const struct mp_map *map, uint32_t id);

/* Returns the copy of TEXT in the keys of MAP. Texts from the same map are equal if and only if their addresses are. */
const char *mp_map_text(struct mp_map *map, const char *text);

/* Adds a key that only the caller stores, and returns its id, new or not. IS_SAME returns whether the key with
 * ID equals the one that DATA describes. It is rarely called for keys with another HASH. */
uint32_t mp_map_add_hashed(struct mp_map *map, uint64_t hash,
                           bool (*is_same)(const void *data, uint32_t id), const void *data);

#endif
