/* SPDX-License-Identifier: MIT */
#include "map.h"

#include <string.h>

#include "fnv.h"

#define FIRST_SLOTS 64u

/* A slot of a table with open addressing, at most 3/4 full. */
struct mp_map_slot {
    uint32_t hash;              /* mixed hash */
    uint32_t id;                /* id + 1, or 0 for an empty slot */
};

struct mp_map_bytes {
    const char *key;
    size_t size;
};

/* The key that the comparison functions look for: a number, or a string of bytes. */
struct sought {
    const struct mp_map *map;
    uint64_t number;
    struct mp_map_bytes bytes;
};

/* Mixing step of splitmix64 (Steele, Lea, Flood 2014). */
static uint32_t
mix(uint64_t hash)
{
    hash += UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(hash ^ hash >> 31);
}

/* Returns the slot of the key, or the empty slot where it belongs. It is inlined because IS_SAME mostly is a constant
 * of the caller. */
static inline __attribute__((always_inline)) struct mp_map_slot *
slot_of(const struct mp_map *map, uint32_t hash, bool (*is_same)(const void *data, uint32_t id),
        const void *data)
{
    uint32_t mask = map->n_slots - 1, i = hash & mask;

    for (; map->slots[i].id != 0; i = (i + 1) & mask)
        if (map->slots[i].hash == hash && is_same(data, map->slots[i].id - 1))
            break;
    return &map->slots[i];
}

static void
grow(struct mp_map *map)
{
    struct mp_map_slot *old = map->slots;
    uint32_t n_old = map->n_slots, mask;

    if (n_old > UINT32_MAX / 2)
        mp_no_memory();
    map->n_slots = n_old == 0 ? FIRST_SLOTS : 2 * n_old;
    map->slots = mp_arena_alloc(map->arena, map->n_slots * sizeof *map->slots);
    mask = map->n_slots - 1;
    for (uint32_t i = 0; i < n_old; i++) {
        uint32_t to = old[i].hash & mask;

        if (old[i].id == 0)
            continue;
        while (map->slots[to].id != 0)
            to = (to + 1) & mask;
        map->slots[to] = old[i];
    }
    mp_arena_drop(old, n_old * sizeof *old);
}

static inline __attribute__((always_inline)) uint32_t
add_hashed(struct mp_map *map, uint64_t hash, bool (*is_same)(const void *data, uint32_t id), const void *data)
{
    const uint32_t mixed = mix(hash);
    struct mp_map_slot *slot;

    if (map->count >= map->n_slots / 4 * 3)
        grow(map);
    slot = slot_of(map, mixed, is_same, data);
    if (slot->id == 0)
        *slot = (struct mp_map_slot){.hash = mixed, .id = ++map->count};
    return slot->id - 1;
}

uint32_t
mp_map_add_hashed(struct mp_map *map, uint64_t hash, bool (*is_same)(const void *data, uint32_t id), const void *data)
{
    return add_hashed(map, hash, is_same, data);
}

static inline __attribute__((always_inline)) uint32_t
find(const struct mp_map *map, uint64_t hash, bool (*is_same)(const void *data, uint32_t id),
     const void *data)
{
    const struct mp_map_slot *slot = map->count ? slot_of(map, mix(hash), is_same, data) : NULL;

    return slot && slot->id ? slot->id - 1 : MP_NO_ID;
}

/* Returns LIST, which has COUNT items of SIZE bytes by id, with capacity for one more. If it is copied, the old
 * list is dropped. */
static void *
make_room(struct mp_map *map, void *list, uint32_t count, size_t size)
{
    const uint32_t room = map->keys_room;
    void *larger = mp_arena_grow(map->arena, list, count, &map->keys_room, size);

    if (larger != list)
        mp_arena_drop(list, room * size);
    return larger;
}

static bool
same_number(const void *data, uint32_t id)
{
    const struct sought *sought = data;

    return sought->map->numbers[id] == sought->number;
}

uint32_t
mp_map_add_u64(struct mp_map *map, uint64_t key)
{
    const struct sought sought = {.map = map, .number = key};
    uint32_t count = map->count;
    uint32_t id = add_hashed(map, key, same_number, &sought);

    if (id < count)
        return id;
    map->numbers = make_room(map, map->numbers, count, sizeof *map->numbers);
    map->numbers[id] = key;
    return id;
}

uint32_t
mp_map_find_u64(const struct mp_map *map, uint64_t key)
{
    const struct sought sought = {.map = map, .number = key};

    return find(map, key, same_number, &sought);
}

static struct sought
seek_bytes(const struct mp_map *map, const void *key, size_t size)
{
    return (struct sought){.map = map, .bytes = {size > 0 ? key : "", size}};
}

static bool
same_bytes(const void *data, uint32_t id)
{
    const struct sought *sought = data;
    const struct mp_map_bytes *known = &sought->map->bytes[id];

    return known->size == sought->bytes.size &&
           memcmp(known->key, sought->bytes.key, known->size) == 0;
}

uint32_t
mp_map_add(struct mp_map *map, const void *key, size_t size)
{
    const struct sought sought = seek_bytes(map, key, size);
    uint32_t count = map->count;
    uint32_t id = mp_map_add_hashed(map, mp_fnv(MP_FNV_BEGIN, key, size), same_bytes, &sought);
    char *copy;

    if (id < count)
        return id;
    copy = mp_arena_alloc(map->arena, size + 1);
    memcpy(copy, sought.bytes.key, size);
    map->bytes = make_room(map, map->bytes, count, sizeof *map->bytes);
    map->bytes[id] = (struct mp_map_bytes){copy, size};
    return id;
}

uint32_t
mp_map_find(const struct mp_map *map, const void *key, size_t size)
{
    const struct sought sought = seek_bytes(map, key, size);

    return find(map, mp_fnv(MP_FNV_BEGIN, key, size), same_bytes, &sought);
}

const char *
mp_map_key(const struct mp_map *map, uint32_t id)
{
    return map->bytes[id].key;
}

size_t
mp_map_key_size(const struct mp_map *map, uint32_t id)
{
    return map->bytes[id].size;
}

const char *
mp_map_text(struct mp_map *map, const char *text)
{
    return mp_map_key(map, mp_map_add(map, text, strlen(text)));
}
