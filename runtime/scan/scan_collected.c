/* SPDX-License-Identifier: MIT */
#include "scan_collected.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/system/dynamic.h"
#include "runtime/system/sys.h"
#include "runtime/unwind/module.h"
#include "scan_mapped.h"

#define PAGE        ((uintptr_t)4096)   /* small objects of one size share a page */
#define GRANULE     ((uintptr_t)16)
#define SHARED      (PAGE / 2)          /* maximum size of small objects */
#define MOST_RANGES 65536u

/* Kinds of objects (gc_priv.h). */
enum { POINTERFREE, NORMAL, UNCOLLECTABLE, POINTERFREE_UNCOLLECTABLE };

/* struct finalizable_object (finalize.c), which libgc allocates as an object. `hidden` is the inverted address of the
 * object with the finalizer. */
struct finalizer {
    uintptr_t hidden;
    const void *next;
    uintptr_t function, data;
    size_t size;                /* of the object with the finalizer, in bytes */
    uintptr_t mark;
};

/* ------------------------------------------------------------------ libgc */

static bool
is_library(const struct mp_scan_map *map)
{
    const char *slash = strrchr(map->path, '/');

    return map->executable && slash && strncmp(slash, "/libgc.so", 9) == 0;
}

/* Finds the functions and variables of libgc in the object that contains ADDRESS. Returns false if some are missing. */
static bool
find_functions(struct mp_scan_collected *collected, uintptr_t address)
{
    const uintptr_t *least = NULL, *greatest = NULL;
    const struct { const char *name; void *to; } wanted[] = {
        { "GC_base", &collected->base }, { "GC_get_kind_and_size", &collected->kind },
        { "GC_is_marked", &collected->is_marked }, { "GC_least_plausible_heap_addr", &least },
        { "GC_greatest_plausible_heap_addr", &greatest },
    };
    struct dl_find_object found;
    struct mp_dynamic dynamic;

    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    dynamic = mp_dynamic_read(found.dlfo_link_map);
    for (uint32_t i = 0; i < dynamic.n_symbols; i++)
        for (unsigned k = 0; k < sizeof wanted / sizeof *wanted; k++)
            if (dynamic.symbols[i].st_shndx != SHN_UNDEF &&
                strcmp(dynamic.strings + dynamic.symbols[i].st_name, wanted[k].name) == 0) {
                const uintptr_t place = found.dlfo_link_map->l_addr + dynamic.symbols[i].st_value;

                memcpy(wanted[k].to, &place, sizeof place);
            }
    if (!collected->base || !collected->kind || !collected->is_marked || !least || !greatest || *greatest <= *least)
        return false;
    collected->code = address;
    collected->low = *least & ~(PAGE - 1);
    collected->span = ((*greatest + PAGE) & ~(PAGE - 1)) - collected->low;
    return true;
}

/* Finds the memory that libgc mapped, by who called mmap(2). */
static void
find_ranges(struct mp_scan_collected *collected)
{
    const struct mp_scan_maps *maps = collected->maps;
    uintptr_t stop;

    for (uint32_t i = 0; i < maps->n; i++)
        for (uintptr_t at = maps->list[i].start; at < maps->list[i].end && collected->n_ranges < MOST_RANGES;
             at = stop) {
            stop = maps->list[i].end;
            if (maps->list[i].path[0] == '\0' &&
                mp_scan_collected_owns(collected, mp_scan_mapped_caller(at, &stop)))
                collected->ranges[collected->n_ranges++] = (struct mp_scan_range){ at, stop };
        }
}

static bool
is_uncollectable(int kind)
{
    return kind == UNCOLLECTABLE || kind == POINTERFREE_UNCOLLECTABLE;
}

/* Reaches the objects that begin in PAGE and are never collected, if they are in use. libgc has marked these. */
static void
reach_uncollectable(struct mp_scan_collected *collected, uintptr_t page)
{
    size_t size = 0;

    if (collected->base((void *)page) != (void *)page || !is_uncollectable(collected->kind((void *)page, &size)))
        return;
    for (uintptr_t at = page; size > 0 && (at == page || at + size <= page + PAGE); at += size)
        if (collected->is_marked((void *)at))
            mp_scan_collected_reach(collected, at, MP_SCAN_TO_ALL);
}

void
mp_scan_collected_find(struct mp_scan_collected *collected, const struct mp_scan_maps *maps)
{
    uint32_t i = 0;

    *collected = (struct mp_scan_collected){ .maps = maps };
    while (i < maps->n && !is_library(&maps->list[i]))
        i++;
    if (i < maps->n && find_functions(collected, maps->list[i].start)) {
        collected->ranges = mp_sys_map_sparse(MOST_RANGES * sizeof *collected->ranges);
        collected->reached = mp_sys_map_sparse(collected->span / GRANULE / 8 + 1);
        collected->waiting = mp_sys_map_sparse(collected->span / GRANULE * sizeof *collected->waiting);
    }
    if (!collected->ranges || !collected->reached || !collected->waiting) {
        collected->base = NULL;
        return;
    }
    find_ranges(collected);
    for (uint32_t k = 0; k < collected->n_ranges; k++)
        for (uintptr_t page = collected->ranges[k].start; page < collected->ranges[k].end; page += PAGE)
            reach_uncollectable(collected, page);
}

bool
mp_scan_collected_has(const struct mp_scan_collected *collected, uintptr_t address, uintptr_t *stop)
{
    uint32_t low = 0, high = collected->base ? collected->n_ranges : 0;
    const uint32_t n = high;
    uintptr_t change;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (collected->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n)
        return false;
    change = address < collected->ranges[low].start ? collected->ranges[low].start : collected->ranges[low].end;
    if (change < *stop)
        *stop = change;
    return address >= collected->ranges[low].start;
}

bool
mp_scan_collected_owns(const struct mp_scan_collected *collected, uintptr_t address)
{
    return collected->base && address && mp_module_same(address, collected->code);
}

/* ------------------------------------------------------------------ objects */

void
mp_scan_collected_reach(struct mp_scan_collected *collected, uint64_t word, enum mp_scan_to to)
{
    uintptr_t object, granule;
    uint8_t bit;
    size_t size;

    if (!collected->base || to == MP_SCAN_TO_NONE || word - collected->low >= collected->span)
        return;
    object = (uintptr_t)collected->base((void *)word);
    granule = (object - collected->low) / GRANULE;
    bit = (uint8_t)(1u << granule % 8);
    if (!object || object - collected->low >= collected->span || collected->reached[granule / 8] & bit ||
        (to == MP_SCAN_TO_POINTERS && collected->kind((void *)object, &size) == POINTERFREE))
        return;
    collected->reached[granule / 8] |= bit;
    collected->waiting[collected->n_waiting++] = object;
}

/* If OBJECT of SIZE bytes is a struct finalizer, reaches the object with that finalizer. */
static void
reach_finalized(struct mp_scan_collected *collected, uintptr_t object, size_t size)
{
    const struct finalizer *finalizer = (const void *)object;
    const struct mp_scan_map *map;
    size_t its_size = 0;

    if (size < sizeof *finalizer || size > 2 * sizeof *finalizer ||
        ~finalizer->hidden - collected->low >= collected->span ||
        collected->base((void *)~finalizer->hidden) != (void *)~finalizer->hidden)
        return;
    collected->kind((void *)~finalizer->hidden, &its_size);
    map = mp_scan_maps_at(collected->maps, finalizer->function);
    if (its_size == finalizer->size && map && map->executable)
        mp_scan_collected_reach(collected, ~finalizer->hidden, MP_SCAN_TO_ALL);
}

bool
mp_scan_collected_take(struct mp_scan_collected *collected, struct mp_scan_range *object, enum mp_scan_to *to)
{
    const struct mp_scan_map *map;
    size_t size = 0;
    uintptr_t address;
    int kind;

    if (collected->n_waiting == 0)
        return false;
    address = collected->waiting[--collected->n_waiting];
    kind = collected->kind((void *)address, &size);
    map = mp_scan_maps_at(collected->maps, address);
    if (!map || !map->readable || address + size > map->end)
        size = 0;
    *object = (struct mp_scan_range){ address, address + size };
    *to = kind == POINTERFREE && size <= SHARED ? MP_SCAN_TO_NONE : MP_SCAN_TO_ALL;
    if (kind == NORMAL)
        reach_finalized(collected, address, size);
    return true;
}
