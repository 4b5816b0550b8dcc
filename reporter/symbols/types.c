#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mentions.h"

#define SIZES       MP_BIN_LARGE        /* bins 0 to 1024 have a size */
#define WORDS       ((SIZES + 63) / 64)
#define RANKS       3u
#define TYPES_SHOWN MP_CATALOG_FIRST    /* maximum number of types of a bin */
#define GOOD_PART   10u                 /* a module must allocate one in so many blocks of a bin */

struct sizes {
    uint64_t word[WORDS];               /* bit b: size b */
};

/* The number of blocks of each size that functions of a module allocate themselves or through functions they call
 * directly. */
struct module_blocks {
    uint64_t count[SIZES];
};

/* Sizes that a frame allocates itself, and sizes that the frames called by it allocate. */
struct roles {
    struct sizes leaf, caller;
};

struct candidate {
    const char *name;
    uint32_t size;
    uint32_t order;                     /* smaller is better */
};

struct mp_types {
    struct mp_arena *arena;
    struct sizes wanted;
    struct sizes *known;                /* indexed by module: sizes of which it allocates a good part */
    struct roles **roles;               /* indexed by frame; NULL = no roles */
    struct mp_map names;                /* keys of the candidates: size and name */
    struct mp_texts texts;              /* names of the candidates */
    struct candidate *candidates;
    uint32_t room;
};

static bool
has_size(const struct sizes *sizes, uint64_t size)
{
    return size < SIZES && (sizes->word[size / 64] >> size % 64 & 1) != 0;
}

static void
add_sizes(struct sizes *sizes, const struct sizes *more)
{
    for (unsigned i = 0; i < WORDS; i++)
        sizes->word[i] |= more->word[i];
}

/* ----------------------------------------------------------- sizes by module and frame */

static void
add_size(struct sizes *sizes, const struct sizes *wanted, uint32_t size)
{
    if (has_size(wanted, size))
        sizes->word[size / 64] |= UINT64_C(1) << size % 64;
}

/* Sets *SIZES to the wanted sizes that CELL certainly contains, its minimum and its maximum. Returns false if it
 * contains no wanted size. */
static bool
sizes_of_cell(const struct mp_types *types, const struct mp_cell *cell, struct sizes *sizes)
{
    *sizes = (struct sizes){ 0 };
    if (cell->kind >= MP_KIND_C_COUNT || cell->counts.allocs == 0 ||
        cell->size_min > cell->size_max)
        return false;
    add_size(sizes, &types->wanted, cell->size_min);
    add_size(sizes, &types->wanted, cell->size_max);
    return has_size(sizes, cell->size_min) || has_size(sizes, cell->size_max);
}

/* Returns the module of the function of CONTEXT, or MP_NO_ID. */
static uint32_t
module_of(const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = profile->contexts[context].frame;
    uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : MP_NO_ID;

    return module < profile->n_modules ? module : MP_NO_ID;
}

static void
count_blocks(struct module_blocks **blocks, struct mp_arena *arena, uint32_t module,
             const struct mp_cell *cell)
{
    if (module == MP_NO_ID)
        return;
    if (blocks[module] == NULL)
        blocks[module] = mp_arena_alloc(arena, sizeof **blocks);
    if (cell->size_min < SIZES)
        blocks[module]->count[cell->size_min] += cell->counts.allocs;
    if (cell->size_max < SIZES && cell->size_max != cell->size_min)
        blocks[module]->count[cell->size_max] += cell->counts.allocs;
}

/* Finds the sizes of which each module allocates a good part. Counts only the minimum and maximum size of each
 * cell. */
static void
find_known(struct mp_types *types, const struct mp_profile *profile)
{
    struct module_blocks **blocks =
        mp_arena_alloc(types->arena, (profile->n_modules + (size_t)1) * sizeof *blocks);

    types->known =
        mp_arena_alloc(types->arena, (profile->n_modules + (size_t)1) * sizeof *types->known);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t own = module_of(profile, cell->context);
        uint32_t caller = module_of(profile, profile->contexts[cell->context].parent);

        if (cell->kind >= MP_KIND_C_COUNT)
            continue;
        count_blocks(blocks, types->arena, own, cell);
        if (caller != own)
            count_blocks(blocks, types->arena, caller, cell);
    }
    for (uint32_t module = 0; module < profile->n_modules; module++)
        for (uint32_t size = 1; blocks[module] != NULL && size < SIZES; size++)
            if (blocks[module]->count[size] > (profile->bins[size].allocs - 1) / GOOD_PART)
                add_size(&types->known[module], &types->wanted, size);
}

/* Returns the SIZES of which MODULE makes a good part of the allocations. */
static struct sizes
known_sizes(const struct mp_types *types, uint32_t module, const struct sizes *sizes)
{
    struct sizes both = *sizes;

    for (unsigned i = 0; i < WORDS; i++)
        both.word[i] &= module == MP_NO_ID ? 0 : types->known[module].word[i];
    return both;
}

static struct roles *
roles_of(struct mp_types *types, const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = context < profile->n_contexts ? profile->contexts[context].frame : MP_NO_ID;

    if (frame >= profile->n_frames || profile->frames[frame].mark != 0)
        return NULL;
    if (types->roles[frame] == NULL)
        types->roles[frame] = mp_arena_alloc(types->arena, sizeof **types->roles);
    return types->roles[frame];
}

/* Adds the sizes of CELL to the frame that allocates it and to the calling frame. */
static void
give_roles(struct mp_types *types, const struct mp_profile *profile, const struct mp_cell *cell)
{
    uint32_t parent = profile->contexts[cell->context].parent;
    struct roles *leaf, *caller;
    struct sizes sizes, known;

    if (!sizes_of_cell(types, cell, &sizes))
        return;
    leaf = roles_of(types, profile, cell->context);
    if (leaf == NULL)
        return;
    known = known_sizes(types, module_of(profile, cell->context), &sizes);
    add_sizes(&leaf->leaf, &known);
    caller = roles_of(types, profile, parent);
    if (caller == NULL)
        return;
    known = known_sizes(types, module_of(profile, parent), &sizes);
    add_sizes(&caller->caller, &known);
}

struct mp_types *
mp_types_new(const struct mp_profile *profile, struct mp_arena *arena)
{
    struct mp_types *types = mp_arena_alloc(arena, sizeof *types);

    *types = (struct mp_types){ .arena = arena, .names.arena = arena,
                                .texts.map.arena = arena };
    types->roles = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *types->roles);
    for (uint32_t size = 1; size < SIZES; size++)
        if (profile->bins[size].allocs != 0)
            types->wanted.word[size / 64] |= UINT64_C(1) << size % 64;
    find_known(types, profile);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        give_roles(types, profile, &profile->cells[i]);
    return types;
}

/* ------------------------------------------------------------------------ candidates */

static uint32_t
order_of(const char *name, uint32_t rank, bool program)
{
    return (rank == RANKS ? 200u : 0u) + (mp_catalog_is_internal(name) ? 100u : 0u) + rank * 10u +
           (program ? 0u : 1u);
}

/* Adds a candidate NAME with SIZE and RANK, or improves the order of an existing one. */
static void
add_candidate(struct mp_types *types, const char *name, uint32_t size, uint32_t rank, bool program)
{
    uint32_t order = order_of(name, rank, program), known = types->names.count, number;
    struct candidate *candidate;
    char key[MP_TEXT_MAX + 32];
    int length = snprintf(key, sizeof key, "%lu %s", (unsigned long)size, name);

    number = mp_map_add(&types->names, key, (size_t)length);
    if (number == known) {
        types->candidates = mp_arena_grow(types->arena, types->candidates, known, &types->room,
                                          sizeof *types->candidates);
        types->candidates[number] = (struct candidate){ mp_texts_add(&types->texts, name), size,
                                                        order };
    }
    candidate = &types->candidates[number];
    if (order < candidate->order)
        candidate->order = order;
}

/* ----------------------------------------------------------------------- types of a frame */

/* The relation of a function to a frame's sizes. */
struct part {
    const struct roles *roles;
    bool innermost, program;
};

static uint32_t
rank_of(const struct part *part, uint64_t size)
{
    if (has_size(&part->roles->leaf, size))
        return part->innermost ? 0 : 1;
    return has_size(&part->roles->caller, size) ? 2 : RANKS;
}

/* Adds the type NAME, which is only declared where it is mentioned, with each matching size that the catalog has
 * for it. */
static void
promote(struct mp_types *types, struct mp_binary *binary, const struct part *part,
        const char *name)
{
    const struct mp_catalog *catalog = mp_catalog_of(binary);

    for (uint32_t size = 1; size < SIZES; size++) {
        uint32_t rank = rank_of(part, size);

        if (rank < RANKS && mp_catalog_has(catalog, name, size))
            add_candidate(types, name, size, rank, part->program);
    }
}

bool
mp_types_wanted(const struct mp_types *types, uint32_t frame)
{
    const struct roles *roles = types == NULL ? NULL : types->roles[frame];

    for (unsigned i = 0; roles != NULL && i < WORDS; i++)
        if ((roles->leaf.word[i] | roles->caller.word[i]) != 0)
            return true;
    return false;
}

void
mp_types_read(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
              const struct mp_answer *answer)
{
    for (uint32_t i = 0; mp_types_wanted(types, frame) && i < answer->count; i++)
        mp_mentions_read(binary,
                         &binary->answers.knowns[binary->answers.places[answer->first + i].known]);
}

void
mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame, bool innermost,
              uint32_t known)
{
    struct mp_known *function = &binary->answers.knowns[known];
    const struct part part = { types->roles[frame], innermost, binary->program };

    if (!mp_types_wanted(types, frame))
        return;
    for (uint32_t i = 0; i < function->n_mentions; i++) {
        const struct mp_mention *type = &function->mentions[i];
        uint32_t rank = type->size == 0 ? RANKS : rank_of(&part, type->size);

        if (type->size == 0)
            promote(types, binary, &part, type->name);
        else if (rank < RANKS ||
                 (binary->program && has_size(&types->known[binary->module], type->size)))
            add_candidate(types, type->name, type->size, rank, binary->program);
    }
}

void
mp_types_collect(struct mp_types *types, struct mp_binary *binary)
{
    const struct mp_catalog *catalog = binary->program ? mp_catalog_of(binary) : NULL;

    for (uint32_t i = 0; catalog != NULL && i < catalog->map.count; i++)
        if (has_size(&types->known[binary->module], catalog->list[i].size))
            add_candidate(types, catalog->list[i].name, catalog->list[i].size, RANKS, true);
}

static int
compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;

    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return strcmp(a->name, b->name);
}

void
mp_types_finish(struct mp_types *types, struct mp_profile *profile)
{
    uint32_t count = types->names.count, limit = TYPES_SHOWN * SIZES;

    if (count > 0)
        qsort(types->candidates, count, sizeof *types->candidates, compare_candidates);
    profile->types = mp_arena_alloc(profile->arena,
                                    (count < limit ? count : limit) * sizeof *profile->types);
    profile->n_types = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct mp_bin *bin = &profile->bins[types->candidates[i].size];

        if (bin->n_types == TYPES_SHOWN)
            continue;
        if (bin->n_types == 0)
            bin->first_type = profile->n_types;
        profile->types[profile->n_types++] = mp_arena_strdup(profile->arena,
                                                             types->candidates[i].name);
        bin->n_types++;
    }
}
