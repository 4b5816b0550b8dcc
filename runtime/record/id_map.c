#include "id_map.h"

#include "runtime/system/sys.h"

#define FIRST_BITS 8u

bool
mp_id_map_make_room(struct mp_id_map *map)
{
    const struct mp_id_map old = *map;
    const uint64_t size = old.entries ? (uint64_t)1 << old.bits : 0;
    struct mp_id_map new = { .used = old.used, .bits = size ? old.bits + 1 : FIRST_BITS };
    uint64_t mask;

    if ((uint64_t)old.used * 2 < size)
        return true;
    new.entries = mp_sys_map(sizeof *new.entries << new.bits);
    if (!new.entries)
        return false;
    for (uint64_t i = 0; i < size; i++)
        if (old.entries[i].id)
            *mp_id_map_entry(&new, old.entries[i].key) = old.entries[i];
    mp_sys_block_signals(&mask);        /* so that no handler jumps away in between */
    *map = new;
    mp_sys_unblock_signals(&mask);
    if (old.entries)
        mp_sys_unmap(old.entries, size * sizeof *old.entries);
    return true;
}

void
mp_id_map_put(struct mp_id_map *map, uint64_t key, uint32_t id)
{
    struct mp_id_entry *entry = mp_id_map_entry(map, key);

    entry->key = key;
    map->used++;
    MP_IN_ORDER();
    entry->id = id;
}

void
mp_id_map_clear(struct mp_id_map *map)
{
    if (map->entries)
        mp_sys_unmap(map->entries, sizeof *map->entries << map->bits);
    *map = (struct mp_id_map){ 0 };
}
