/*
 * symbols_types.c -- names of types for the allocation bins.
 *
 * A bin's types are the structs, unions, classes, and typedefs of them or of arrays of them, that
 * have its size.  First come those that the functions which allocate that size mention: as a
 * variable, parameter, result or template argument, itself or behind pointers.  Ranks: 0 the
 * innermost function of the frame that allocates, 1 those it is inlined in, 2 the functions of
 * the frame that called it (behind xmalloc() or operator new).  The program's other types follow,
 * where its functions allocate that size; a library's do not: libc alone has a struct of nearly
 * every size.  What a module knows counts for sizes only of which it allocates, or calls what
 * allocates, a good part: two blocks of libc's do not name 500 of a program without debug
 * information.
 *
 * The debug information of a module is walked once, outside of functions only, and only sizes
 * that were allocated are kept; what it takes depends on the size of the file alone.
 */
#include "symbols_internal.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZES       MP_BIN_LARGE        /* bins 0 .. 1024 have a size */
#define WORDS       ((SIZES + 63) / 64)
#define RANKS       3u
#define CHAIN_MAX   32                  /* typedefs, pointers ... between a variable and a struct */
#define TYPES_SHOWN 8u                  /* of a bin */
#define GOOD_PART   10u                 /* one in so many blocks of a bin */

struct sizes {
    uint64_t word[WORDS];               /* bit b: size b */
};

/* Blocks of each size that functions of a module allocate, or those that they call directly. */
struct module_blocks {
    uint64_t count[SIZES];
};

/* What a frame allocates itself, and what the frames that it calls do. */
struct roles {
    struct sizes leaf, caller;
};

/* A function's or type's DIE and the sizes it is interesting for. */
struct interest {
    Dwarf_Die die;
    struct sizes sizes[RANKS];
    bool seen;                          /* type: found in the walk of the units */
};
struct interests {
    struct mp_map map;                  /* by the DIE's address */
    struct interest *list;
    uint32_t room;
};

struct candidate {
    const char *name;
    uint32_t size;
    uint32_t order;                     /* smaller is better */
    bool shown;                         /* the program's, or mentioned */
};

struct mp_types {
    struct mp_arena *arena;
    struct sizes wanted;
    struct sizes *known;                /* by module: sizes of which it allocates a good part */
    struct roles **roles;               /* by frame; NULL: none */
    struct interests functions, types;  /* of the open binary, in its arena */
    struct mp_map names;                /* keys of the candidates: size and name */
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

/* ------------------------------------------------------------------ who allocates what */

static void
add_size(struct sizes *sizes, const struct sizes *wanted, uint32_t size)
{
    if (has_size(wanted, size))
        sizes->word[size / 64] |= UINT64_C(1) << size % 64;
}

/* The wanted sizes that CELL is known to hold, which are the least and the largest; false if none. */
static bool
sizes_of_cell(const struct mp_types *types, const struct mp_cell *cell, struct sizes *sizes)
{
    *sizes = (struct sizes){ 0 };
    if (cell->kind >= MP_KIND_C_COUNT || cell->allocs == 0 || cell->size_min > cell->size_max)
        return false;
    add_size(sizes, &types->wanted, cell->size_min);
    add_size(sizes, &types->wanted, cell->size_max);
    return has_size(sizes, cell->size_min) || has_size(sizes, cell->size_max);
}

/* The module of the function of CONTEXT; MP_NO_ID: none. */
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
        blocks[module]->count[cell->size_min] += cell->allocs;
    if (cell->size_max < SIZES && cell->size_max != cell->size_min)
        blocks[module]->count[cell->size_max] += cell->allocs;
}

/* Of which sizes each module allocates a good part, as far as can be. */
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

/* What MODULE knows of SIZES. */
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

/* The frame that allocates CELL and the one that called it. */
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

    *types = (struct mp_types){ .arena = arena, .names.arena = arena };
    types->roles = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *types->roles);
    for (uint32_t size = 1; size < SIZES; size++)
        if (profile->bins[size].allocs != 0)
            types->wanted.word[size / 64] |= UINT64_C(1) << size % 64;
    find_known(types, profile);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        give_roles(types, profile, &profile->cells[i]);
    return types;
}

/* The entry of DIE, made if there is none. */
static struct interest *
interest_of(struct interests *interests, struct mp_arena *arena, Dwarf_Die *die)
{
    uint32_t known = interests->map.count, number;

    interests->map.arena = arena;
    number = mp_map_add(&interests->map, &die->addr, sizeof die->addr);
    if (number == known) {
        interests->list = mp_symbols_grow(arena, interests->list, known, &interests->room,
                                          sizeof *interests->list);
        interests->list[number] = (struct interest){ .die = *die };
    }
    return &interests->list[number];
}

void
mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame, bool innermost,
              Dwarf_Die *die)
{
    const struct roles *roles = types->roles[frame];
    struct interest *function;

    if (roles == NULL)
        return;
    function = interest_of(&types->functions, binary->arena, die);
    add_sizes(&function->sizes[innermost ? 0 : 1], &roles->leaf);
    add_sizes(&function->sizes[2], &roles->caller);
}

/* ---------------------------------------------------------------- what they mention */

/* The types on the way from DIE to what it is made of or points to are mentioned by FUNCTION
 * (a number: the lists may move). */
static void
mention(struct mp_types *types, struct mp_arena *arena, uint32_t function, Dwarf_Die die)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die whole;
        int tag;

        if (mp_die_reference(&die, DW_AT_signature, &whole))
            die = whole;        /* of a type unit */
        tag = dwarf_tag(&die);
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef) {
            struct interest *type = interest_of(&types->types, arena, &die);

            for (unsigned rank = 0; rank < RANKS; rank++)
                add_sizes(&type->sizes[rank], &types->functions.list[function].sizes[rank]);
        }
        if (mp_die_is_aggregate(tag) || !mp_die_reference(&die, DW_AT_type, &die))
            return;
    }
}

static void
read_mentions(struct mp_types *types, struct mp_arena *arena, uint32_t function)
{
    Dwarf_Die top = types->functions.list[function].die, type;
    struct mp_die_walk walk;
    bool descend = true;

    if (mp_die_reference(&top, DW_AT_type, &type))
        mention(types, arena, function, type);
    mp_die_walk_begin(&walk, &top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block || tag == DW_TAG_GNU_formal_parameter_pack;
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            mention(types, arena, function, *die);
        else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
                  tag == DW_TAG_template_type_parameter) &&
                 mp_die_reference(die, DW_AT_type, &type))
            mention(types, arena, function, type);
    }
}

/* ------------------------------------------------------------------------ candidates */

/* std::anything, and names that are reserved for compilers and libraries. */
static bool
is_internal(const char *name)
{
    const char *part = name;

    if (strncmp(name, "std::", 5) == 0)
        return true;
    for (;;) {
        if (part[0] == '_' && (part[1] == '_' || (part[1] >= 'A' && part[1] <= 'Z')))
            return true;
        part += strcspn(part, ":<");
        if (part[0] != ':' || part[1] != ':')
            return false;
        part += 2;
    }
}

static uint32_t
order_of(const char *name, uint32_t rank, bool program)
{
    return (rank == RANKS ? 200u : 0u) + (is_internal(name) ? 100u : 0u) + rank * 10u +
           (program ? 0u : 1u);
}

/* NAME of BINARY has SIZE and RANK; with MAKE false only if it is known already. */
static void
add_candidate(struct mp_types *types, const struct mp_binary *binary, const char *name,
              uint64_t size, uint32_t rank, bool make)
{
    uint32_t order = order_of(name, rank, binary->program);
    struct candidate *candidate;
    uint32_t known = types->names.count, number;
    char key[MP_TEXT_MAX + 32];
    int length = snprintf(key, sizeof key, "%lu %s", (unsigned long)size, name);

    if (!make && mp_map_find(&types->names, key, (size_t)length) == MP_NO_ID)
        return;
    number = mp_map_add(&types->names, key, (size_t)length);
    if (number == known) {
        types->candidates = mp_symbols_grow(types->arena, types->candidates, known, &types->room,
                                            sizeof *types->candidates);
        types->candidates[number] = (struct candidate){ name, (uint32_t)size, order, false };
    }
    candidate = &types->candidates[number];
    if (order < candidate->order)
        candidate->order = order;
    candidate->shown |=
        rank < RANKS || (binary->program && has_size(&types->known[binary->module], size));
}

static uint32_t
rank_of(const struct interest *interest, uint64_t size)
{
    uint32_t rank = 0;

    while (interest != NULL && rank < RANKS && !has_size(&interest->sizes[rank], size))
        rank++;
    return interest == NULL ? RANKS : rank;
}

/* ------------------------------------------------------------------ the walk of a module */

/* Names of the namespaces and classes around a DIE, in the walk. */
struct scopes {
    const char *name[MP_DIE_DEPTH];     /* NULL: adds nothing */
};

static const char *
join_name(struct mp_symboliser *symboliser, const struct scopes *scopes, int depth,
          const char *name)
{
    const char *parts[MP_DIE_DEPTH + 1];
    size_t n = 0;

    for (int i = 1; i < depth; i++)
        if (scopes->name[i] != NULL)
            parts[n++] = scopes->name[i];
    parts[n] = name;
    return mp_texts_join(&symboliser->names, parts, n + 1);
}

static void
visit_type(struct mp_symboliser *symboliser, struct mp_binary *binary, Dwarf_Die *die,
           const struct scopes *scopes, int depth)
{
    struct mp_types *types = symboliser->types;
    uint64_t size = mp_die_size(*die, SIZES);
    const char *name = has_size(&types->wanted, size) ? dwarf_diename(die) : NULL;
    struct interest *interest = NULL;
    uint32_t number;

    if (name == NULL)
        return;
    number = mp_map_find(&types->types.map, &die->addr, sizeof die->addr);
    if (number != MP_NO_ID) {
        interest = &types->types.list[number];
        interest->seen = true;
    }
    name = join_name(symboliser, scopes, depth, name);
    add_candidate(types, binary, name, size, rank_of(interest, size), true);
}

static void
visit_unit(struct mp_symboliser *symboliser, struct mp_binary *binary, Dwarf_Die *unit)
{
    bool has_scopes = mp_die_has_scopes(unit), descend = true;
    struct mp_die_walk walk;
    struct scopes scopes = { { NULL } };

    mp_die_walk_begin(&walk, unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        bool aggregate = mp_die_is_aggregate(tag);

        descend = tag == DW_TAG_namespace || tag == DW_TAG_module || (has_scopes && aggregate);
        if (descend)
            scopes.name[walk.depth] = mp_die_own_name(die);
        if (aggregate || tag == DW_TAG_typedef)
            visit_type(symboliser, binary, die, &scopes, walk.depth);
    }
}

/* Mentioned, but only declared in that unit: it is the type of that name and a fitting size. */
static void
promote(struct mp_types *types, const struct mp_binary *binary, const char *name,
        const struct interest *interest)
{
    for (uint32_t size = 1; size < SIZES; size++) {
        uint32_t rank = rank_of(interest, size);

        if (rank < RANKS)
            add_candidate(types, binary, name, size, rank, false);
    }
}

/* Types that are mentioned but lie elsewhere: in functions, or in dwz's common file. */
static void
visit_rest(struct mp_symboliser *symboliser, struct mp_binary *binary)
{
    struct mp_types *types = symboliser->types;

    for (uint32_t i = 0; i < types->types.map.count; i++) {
        struct interest *interest = &types->types.list[i];
        uint64_t size = mp_die_size(interest->die, SIZES);
        bool declared = mp_die_is_aggregate(dwarf_tag(&interest->die)) &&
                        dwarf_bytesize(&interest->die) < 0;
        const char *name;

        if (interest->seen || (!declared && !has_size(&types->wanted, size)))
            continue;
        name = mp_die_qualified_name(symboliser, &interest->die);
        if (name == NULL)
            continue;
        if (declared)
            promote(types, binary, name, interest);
        else
            add_candidate(types, binary, name, size, rank_of(interest, size), true);
    }
}

void
mp_types_collect(struct mp_symboliser *symboliser, struct mp_binary *binary)
{
    struct mp_types *types = symboliser->types;
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    for (uint32_t i = 0; i < types->functions.map.count; i++)
        read_mentions(types, binary->arena, i);
    if (binary->dwarf != NULL) {
        while (mp_die_next_unit(mp_dwarf_handle(binary->dwarf), &cu, &kind, &top, &code))
            visit_unit(symboliser, binary, &top);
        visit_rest(symboliser, binary);
    }
    types->functions = types->types = (struct interests){ 0 };
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
mp_types_finish(struct mp_symboliser *symboliser)
{
    struct mp_types *types = symboliser->types;
    struct mp_profile *profile = symboliser->profile;
    uint32_t count = types->names.count, limit = TYPES_SHOWN * SIZES;

    if (count > 0)
        qsort(types->candidates, count, sizeof *types->candidates, compare_candidates);
    profile->types = mp_arena_alloc(profile->arena,
                                    (count < limit ? count : limit) * sizeof *profile->types);
    profile->n_types = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct mp_bin *bin = &profile->bins[types->candidates[i].size];

        if (!types->candidates[i].shown || bin->n_types == TYPES_SHOWN)
            continue;
        if (bin->n_types == 0)
            bin->first_type = profile->n_types;
        profile->types[profile->n_types++] = mp_arena_strdup(profile->arena,
                                                             types->candidates[i].name);
        bin->n_types++;
    }
}
