#include "heap_blocks.h"

#include <string.h>

#include "reporter/base/format_number.h"

#define MOST_NAMES 3u           /* of one size */

struct sorting {
    struct mp_heap *heap;
    const struct mp_profile *profile;
    struct mp_map sizes;        /* a type for each, less `first` */
    uint32_t first, room;       /* types from here on are new */
};

/* "1,000 bytes", "24 bytes: node, edge" */
static const char *
name_of(const struct sorting *sorting, uint64_t size)
{
    struct mp_arena *arena = sorting->heap->arena;
    const struct mp_bin *bin = size < MP_BIN_LARGE ? &sorting->profile->bins[size] : NULL;
    char number[MP_NUMBER_SIZE];
    const char *name = mp_arena_printf(arena, "%s byte%s", mp_number_grouped(size, number), mp_plural(size));

    for (uint32_t i = 0; bin && i < bin->n_types && i <= MOST_NAMES; i++)
        name = mp_arena_printf(arena, "%s%s%s", name, i == 0 ? ": " : ", ",
                               i < MOST_NAMES ? sorting->profile->types[bin->first_type + i] : "...");
    return name;
}

static uint32_t
type_of(struct sorting *sorting, uint64_t size)
{
    struct mp_heap *heap = sorting->heap;
    const uint32_t n = sorting->sizes.count, id = mp_map_add_u64(&sorting->sizes, size);

    if (id == n) {
        heap->types = mp_arena_grow(heap->arena, heap->types, heap->n_types, &sorting->room, sizeof *heap->types);
        heap->types[heap->n_types++] = (struct mp_heap_type){.shape = MP_SHAPE_BLOCK, .name = name_of(sorting, size)};
    }
    return sorting->first + id;
}

void
mp_heap_blocks_by_size(struct mp_heap *heap, const struct mp_profile *profile)
{
    struct sorting sorting = {.heap = heap, .profile = profile, .first = heap->n_types, .room = heap->n_types,
                              .sizes.arena = mp_arena_new()};

    for (uint32_t i = 0; i < heap->n_classes; i++)
        if (heap->types[heap->classes[i].type].shape == MP_SHAPE_BLOCK)
            heap->classes[i].type = type_of(&sorting, heap->classes[i].size);
    mp_arena_free(sorting.sizes.arena);
}
