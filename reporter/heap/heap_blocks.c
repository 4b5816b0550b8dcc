#include "heap_blocks.h"

#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/symbols/infer.h"

#define MOST_NAMES 3u           /* structures named for one size */
#define MOST_WORDS (1u << 18)   /* limit for words with names, over all types */

struct sorting {
    struct mp_heap *heap;
    const struct mp_profile *profile;
    struct mp_map names;        /* keys of types: name and words, as "24 bytes" or "node\nnext\nkey" */
    uint32_t *types;            /* type number, indexed by ids of names */
    uint32_t types_room, room;
    uint32_t n_words;           /* words that have names so far */
    const uint32_t *contexts;   /* by site, n_sites entries */
    uint32_t n_sites;
    const struct mp_inferred **told;
    struct mp_map places;       /* see struct block */
    bool *odd;                  /* by place: it does not allocate arrays */
};

/* ---------------------------------------------------------------------- types */

/* Adds a type called NAME, with slots called WORDS. Copies both. The slots get no names once MOST_WORDS is
 * exceeded. */
static uint32_t
add_type(struct sorting *sorting, const char *name, const char *const *words, uint32_t n_words)
{
    struct mp_heap *heap = sorting->heap;
    struct mp_heap_type type = {.shape = MP_SHAPE_BLOCK, .n_slots = n_words};

    if (n_words > MOST_WORDS - sorting->n_words)
        type.n_slots = 0;
    sorting->n_words += type.n_slots;
    type.name = mp_arena_strdup(heap->arena, name);
    type.slots = mp_arena_alloc(heap->arena, (type.n_slots + (size_t)1) * sizeof *type.slots);
    for (uint32_t i = 0; i < type.n_slots; i++)
        type.slots[i] = *words[i] ? mp_arena_strdup(heap->arena, words[i]) : "";
    heap->types = mp_arena_grow(heap->arena, heap->types, heap->n_types, &sorting->room, sizeof *heap->types);
    heap->types[heap->n_types] = type;
    return heap->n_types++;
}

/* Returns the key of a type, which consists of its name and the names of its words. */
static const char *
key_of(struct mp_arena *arena, const char *name, const char *const *words, uint32_t n_words)
{
    size_t size = strlen(name) + 1, at = size;
    char *key;

    for (uint32_t i = 0; i < n_words; i++)
        size += strlen(words[i]) + 1;
    key = mp_arena_alloc(arena, size + 1);
    memcpy(key, name, at);
    for (uint32_t i = 0; i < n_words; i++) {
        key[at - 1] = '\n';
        memcpy(key + at, words[i], strlen(words[i]) + 1);
        at += strlen(words[i]) + 1;
    }
    return key;
}

/* Returns the type called NAME with slots called WORDS, and adds it if needed. Types of the same name with other
 * slots are different. */
static uint32_t
type_called(struct sorting *sorting, const char *name, const char *const *words, uint32_t n_words)
{
    const char *key = key_of(sorting->names.arena, name, words, n_words);
    const uint32_t n = sorting->names.count, id = mp_map_add(&sorting->names, key, strlen(key));

    if (id == n) {
        sorting->types = mp_arena_grow(sorting->names.arena, sorting->types, n, &sorting->types_room,
                                       sizeof *sorting->types);
        sorting->types[id] = add_type(sorting, name, words, n_words);
    }
    return sorting->types[id];
}

/* ----------------------------------------------------------------------- sizes */

/* Returns the type name for blocks of SIZE bytes, as "1,000 bytes" or "24 bytes: node, edge". */
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

/* ------------------------------------------------------------------------ told */

/* Returns 1 if a block of SIZE bytes is one object of the inferred type, 2 if it is an array of them, 0 if its size
 * does not match or leaves it in doubt. */
static int
fits(const struct mp_inferred *told, uint64_t size)
{
    if (told->size == size || told->size == 0)
        return 1;
    if (told->trailing > 0 && size >= told->trailing)
        return 1;
    return size > told->size && size % told->size == 0 && !told->derived ? 2 : 0;
}

/* The inferred type of a class of blocks. */
struct block {
    const struct mp_inferred *told; /* NULL: not known */
    uint32_t place;             /* number that identifies a call of the allocator together with an inferred type */
};

static struct block
block_of(struct sorting *sorting, const struct mp_heap_class *class)
{
    const struct mp_profile *profile = sorting->profile;
    struct block block = {.told = class->site < sorting->n_sites ? sorting->told[class->site] : NULL};
    uint64_t key[2];

    if (!block.told)
        return block;
    key[0] = profile->contexts[sorting->contexts[class->site]].frame;
    key[1] = (uintptr_t)block.told;
    block.place = mp_map_add(&sorting->places, key, sizeof key);
    return block;
}

/* Marks the places that allocate at least one block whose size is not a multiple of the inferred type's. No block of
 * such a place is an array: each begins with one object of the type. */
static void
find_odd(struct sorting *sorting)
{
    const struct mp_heap *heap = sorting->heap;

    sorting->odd = mp_arena_alloc(sorting->names.arena, ((size_t)heap->n_classes + 1) * sizeof *sorting->odd);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        const struct block block = block_of(sorting, &heap->classes[i]);

        if (block.told && fits(block.told, heap->classes[i].size) == 0)
            sorting->odd[block.place] = true;
    }
}

/* Returns the inferred type of CLASS, or else a type named by the block size. */
static uint32_t
type_of(struct sorting *sorting, const struct mp_heap_class *class)
{
    const struct block block = block_of(sorting, class);
    const struct mp_inferred *told = block.told;
    const uint64_t size = class->size;
    const int what = told ? fits(told, size) : 0;

    if (what == 1)
        return type_called(sorting, told->name, told->words, told->n_words);
    if (what == 2 && !sorting->odd[block.place])
        return type_called(sorting, mp_arena_printf(sorting->names.arena, "%s[]", told->name), NULL, 0);
    return type_called(sorting, name_of(sorting, size), NULL, 0);
}

void
mp_heap_blocks_type(struct mp_heap *heap, const struct mp_profile *profile, const uint32_t *contexts, uint32_t n)
{
    struct mp_arena *arena = mp_arena_new();
    struct sorting sorting = {.heap = heap, .profile = profile, .names.arena = arena, .room = heap->n_types,
                              .contexts = contexts, .n_sites = n, .told = mp_infer_types(profile, contexts, n, arena),
                              .places.arena = arena};

    find_odd(&sorting);
    for (uint32_t i = 0; i < heap->n_classes; i++) {
        struct mp_heap_class *class = &heap->classes[i];

        if (heap->types[class->type].shape == MP_SHAPE_BLOCK)
            class->type = type_of(&sorting, class);
    }
    mp_arena_free(arena);
}
