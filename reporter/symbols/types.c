/* SPDX-License-Identifier: MIT */
#include "types.h"

#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "die.h"
#include "dwarf_units.h"
#include "reporter/view/skip.h"
#include "reporter/view/startup_frames.h"

#define SIZES       MP_BIN_LARGE        /* bins 0 to 1024 have a size */
#define WORDS       ((SIZES + 63) / 64)
#define RANKS       3u
#define FRAMES      3u                  /* frames of a chain, from the innermost, whose mentions are read */
#define TYPES_SHOWN MP_CATALOG_FIRST    /* maximum number of types of a bin */
#define CHAIN_MAX   32                  /* maximum number of typedefs, pointers etc. between a variable and a struct */
#define GOOD_PART   10u                 /* a module must allocate one in so many blocks of a bin */

/* ------------------------------------------------------------ mentions of a function */

/* The types of one function while they are read. */
struct mentions {
    struct mp_binary *binary;
    struct mp_map dies;         /* DIEs met so far */
    struct mp_known_function *known;
    uint32_t room;
};

/* Adds the type DIE. A scalar is only added if it is POINTED to. */
static void
add_mention(struct mentions *mentions, Dwarf_Die *die, bool pointed)
{
    bool scalar;
    uint64_t size = mp_die_size(*die, MP_BIN_LARGE, &scalar);
    bool declared = mp_die_is_aggregate(dwarf_tag(die)) && dwarf_bytesize(die) < 0;
    uint32_t before = mentions->dies.count;
    struct mp_known_function *known = mentions->known;
    const char *name;

    if ((size == 0 && !declared) || (size > 0 && scalar && !pointed) ||
        mp_map_add_u64(&mentions->dies, (uintptr_t)die->addr) < before)
        return;
    name = mp_die_qualified_name(&mentions->binary->texts, die);
    if (name == NULL)
        return;
    mp_budget_hold(2 * sizeof *known->mentions);
    known->mentions = mp_arena_grow(mentions->binary->arena, known->mentions, known->n_mentions,
                                    &mentions->room, sizeof *known->mentions);
    known->mentions[known->n_mentions++] = (struct mp_mention){ name, (uint32_t)size };
    if (size == 0)
        mp_catalog_ask(&mentions->binary->answers, name);
}

/* Adds the structures, unions and typedefs that are met on the way from the type DIE through pointers, arrays,
 * qualifiers and typedefs. The way ends at the first structure or union. POINTED means that DIE counts as the target
 * of a pointer. */
static void
mention(struct mentions *mentions, Dwarf_Die die, bool pointed)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        Dwarf_Die whole;
        int tag;

        if (mp_die_reference(&die, DW_AT_signature, &whole))
            die = whole;        /* defined in a type unit */
        tag = dwarf_tag(&die);
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            add_mention(mentions, &die, pointed);
        pointed = tag == DW_TAG_pointer_type ||
                  (pointed && tag != DW_TAG_typedef && tag != DW_TAG_subroutine_type);
        if (mp_die_is_aggregate(tag) || !mp_die_reference(&die, DW_AT_type, &die))
            return;
    }
}

/* Adds the types that the function mentions as result, variables, parameters and template arguments. */
static void
walk_function(struct mentions *mentions)
{
    Dwarf_Die top = mentions->known->die, type;
    struct mp_die_walk walk;
    bool descend = true;

    if (mp_die_reference(&top, DW_AT_type, &type))
        mention(mentions, type, false);
    mp_die_walk_begin(&walk, &top);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&walk, descend)) != NULL;) {
        int tag = dwarf_tag(die);

        descend = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
                  tag == DW_TAG_catch_block || tag == DW_TAG_GNU_formal_parameter_pack;
        if (mp_die_is_aggregate(tag) || tag == DW_TAG_typedef)
            mention(mentions, *die, true);
        else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
                  tag == DW_TAG_template_type_parameter) &&
                 mp_die_reference(die, DW_AT_type, &type))
            mention(mentions, type, false);
    }
}

/* Reads the types that KNOWN mentions, unless they were read before or the file is not loaded. */
static void
read_mentions(struct mp_binary *binary, struct mp_known_function *known)
{
    struct mp_arena *scratch;
    struct mentions mentions = { .binary = binary, .known = known };

    if (known->mentions_read || known->die.addr == NULL)
        return;
    mp_units_trim(binary, &known->die);
    scratch = mp_arena_new();
    mentions.dies.arena = scratch;
    walk_function(&mentions);
    known->mentions_read = true;
    binary->answers.changed = true;
    mp_arena_free(scratch);
}

/* ------------------------------------------------------------------------- the catalog */

/* The names of the namespaces and classes around a DIE in the walk. */
struct scopes {
    const char *name[MP_DIE_DEPTH];     /* NULL = no part of the name */
};

/* The first types of one size. */
struct first {
    const char *name[MP_CATALOG_FIRST];
    uint32_t n;
};

/* A walk of a binary's debug information. */
struct walk {
    struct mp_binary *binary;
    struct first *first;        /* indexed by size */
    uint64_t most;              /* limit for the bytes of names; beyond it only types asked for are added */
    bool cut;                   /* other types were left out */
};

/* Inserts NAME into the names of types of SIZE that are first in alphabetical order, if it is among the first
 * MP_CATALOG_FIRST. */
static void
add_first(struct walk *walk, const char *name, uint32_t size)
{
    struct first *first = &walk->first[size];
    uint32_t i = first->n;

    for (uint32_t k = 0; k < first->n; k++)
        if (strcmp(first->name[k], name) == 0)
            return;
    if (i == MP_CATALOG_FIRST && !mp_catalog_before(name, first->name[--i]))
        return;
    for (; i > 0 && mp_catalog_before(name, first->name[i - 1]); i--)
        first->name[i] = first->name[i - 1];
    first->name[i] = mp_texts_add(&walk->binary->texts, name);
    first->n += first->n < MP_CATALOG_FIRST;
}

/* Adds the type OWN of SIZE inside SCOPES. */
static void
add_type(struct walk *walk, const struct scopes *scopes, int depth, const char *own, uint32_t size)
{
    struct mp_answers *answers = &walk->binary->answers;
    const char *parts[MP_DIE_DEPTH + 1];
    char name[MP_TEXT_MAX + 1];
    size_t n = 0;

    for (int i = 1; i < depth; i++)
        if (scopes->name[i] != NULL)
            parts[n++] = scopes->name[i];
    parts[n++] = own;
    mp_texts_join_into(name, parts, n);
    if (answers->catalog.bytes < walk->most ||
        mp_map_find(&answers->catalog.names, name, strlen(name)) != MP_NO_ID) {
        mp_catalog_add(answers, mp_texts_add(&walk->binary->texts, name), size);
        return;
    }
    walk->cut |= !mp_catalog_has(&answers->catalog, name, size);
    if (walk->first != NULL)
        add_first(walk, name, size);
}

static void
visit_unit(struct walk *walk, Dwarf_Die *unit)
{
    bool has_scopes = mp_die_has_scopes(unit), descend = true;
    struct mp_die_walk dies;
    struct scopes scopes = { { NULL } };

    mp_die_walk_begin(&dies, unit);
    for (Dwarf_Die *die; (die = mp_die_walk_next(&dies, descend)) != NULL;) {
        int tag = dwarf_tag(die);
        bool aggregate = mp_die_is_aggregate(tag), scalar = false;
        uint64_t size;

        descend = tag == DW_TAG_namespace || tag == DW_TAG_module || (has_scopes && aggregate);
        if (descend)
            scopes.name[dies.depth] = mp_die_own_name(die);
        size = aggregate || tag == DW_TAG_typedef ? mp_die_size(*die, MP_BIN_LARGE, &scalar) : 0;
        if (size > 0 && !scalar && dwarf_diename(die) != NULL)
            add_type(walk, &scopes, dies.depth, dwarf_diename(die), (uint32_t)size);
    }
}

static void
visit_all(struct walk *walk)
{
    struct mp_trim trim = { .dwarf = walk->binary->dwarf };
    Dwarf_CU *cu = NULL;
    Dwarf_Die top, code;
    uint8_t kind;

    while (mp_budget_work(1) && mp_die_next_unit(walk->binary->dwarf, &cu, &kind, &top, &code)) {
        mp_trim_at(&trim, &code);
        visit_unit(walk, &top);
    }
    for (uint32_t size = 0; walk->first != NULL && size < MP_BIN_LARGE; size++)
        for (uint32_t i = 0; i < walk->first[size].n; i++)
            mp_catalog_add(&walk->binary->answers, walk->first[size].name[i], size);
}

/* Returns the types of BINARY outside of functions, found by one walk of its debug information. Loads BINARY if
 * necessary; a file that cannot be loaded has no types. The mentions of BINARY's functions must have been read
 * before. If the bounded catalog of the first walk does not suffice later, the second walk makes it complete. Otherwise
 * the many profiles of one run would walk the file again and again. */
static const struct mp_catalog *
catalog_of(struct mp_binary *binary)
{
    struct mp_catalog *catalog = &binary->answers.catalog;
    struct walk walk = { .binary = binary,
                         .most = catalog->walked ? UINT64_MAX : MP_CATALOG_MOST };

    if (catalog->whole || (catalog->n_known == catalog->names.count &&
                           (catalog->has_first || !binary->program)))
        return catalog;
    if (mp_binary_load(binary)) {
        binary->answers.changed = true;
        if (binary->program)
            walk.first = mp_need(calloc(MP_BIN_LARGE, sizeof *walk.first));
        if (binary->dwarf != NULL)
            visit_all(&walk);
        free(walk.first);
    }
    catalog->walked = true;
    catalog->whole = !walk.cut;
    catalog->has_first |= binary->program;
    catalog->n_known = catalog->names.count;
    return catalog;
}

/* ---------------------------------------------------------------------- types of bins */

struct sizes {
    uint64_t word[WORDS];               /* bit b: size b */
};

/* The number of blocks of each size that count for a module. */
struct module_blocks {
    uint64_t count[SIZES];
};

/* Sizes that a frame allocates, itself or through wrappers, and sizes that the frames called by it allocate. */
struct roles {
    struct sizes leaf, caller;
};

/* A type that may name a bin, found before the names of all functions are known. */
struct found {
    const char *name;
    uint32_t size;
    uint32_t frame;                     /* whose function mentions it; MP_NO_ID = any other type of the module */
    uint32_t module;
    bool innermost;                     /* the function is the innermost one of the frame */
};

struct candidate {
    const char *name;
    uint32_t size;
    uint32_t order;                     /* smaller is better */
};

struct mp_types {
    struct mp_arena *arena;
    struct sizes wanted;
    struct sizes **near;                /* indexed by frame: sizes allocated in it or FRAMES - 1 calls below; or NULL */
    uint32_t n_frames;                  /* number of frames in `near`; restored ones come later */
    bool *program;                      /* indexed by module: it is the program */
    struct found *found;
    uint32_t n_found, found_room;
    struct sizes *known;                /* indexed by module: sizes of which it allocates a good part */
    struct roles **roles;               /* indexed by frame; NULL = no roles */
    uint32_t *allocating;               /* indexed by context: who allocates for a cell there, wrappers skipped */
    struct mp_map names;                /* keys of the candidates: size and name */
    struct mp_texts texts;              /* names of the types found */
    struct candidate *candidates;
    uint32_t room;
};

static bool
has_size(const struct sizes *sizes, uint64_t size)
{
    return size < SIZES && (sizes->word[size / 64] >> size % 64 & 1) != 0;
}

/* -------------------------------------------------------------------------------- sizes of frames */

static void
add_size(struct sizes *sizes, const struct sizes *wanted, uint32_t size)
{
    if (has_size(wanted, size))
        sizes->word[size / 64] |= UINT64_C(1) << size % 64;
}

/* Adds the sizes that CELL certainly contains, its minimum and its maximum, to SIZES if they are among WANTED. */
static void
add_sizes(struct sizes *sizes, const struct sizes *wanted, const struct mp_cell *cell)
{
    add_size(sizes, wanted, cell->size_min);
    add_size(sizes, wanted, cell->size_max);
}

/* Returns whether CELL certainly contains a wanted size. */
static bool
has_wanted(const struct mp_types *types, const struct mp_cell *cell)
{
    return cell->kind < MP_KIND_C_COUNT && cell->counts.allocs > 0 && cell->size_min <= cell->size_max &&
           (has_size(&types->wanted, cell->size_min) || has_size(&types->wanted, cell->size_max));
}

/* Returns the frame of CONTEXT, or MP_NO_ID if it has no code. */
static uint32_t
frame_of(const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = profile->contexts[context].frame;

    return frame < profile->n_frames && profile->frames[frame].mark == 0 ? frame : MP_NO_ID;
}

/* Adds the sizes of CELL to the innermost FRAMES frames of its chain. */
static void
add_near(struct mp_types *types, const struct mp_profile *profile, const struct mp_cell *cell)
{
    uint32_t context = cell->context;

    if (!has_wanted(types, cell))
        return;
    for (uint32_t i = 0; i < FRAMES && context != 0; i++, context = profile->contexts[context].parent) {
        uint32_t frame = frame_of(profile, context);

        if (frame == MP_NO_ID)
            return;
        if (types->near[frame] == NULL)
            types->near[frame] = mp_arena_alloc(types->arena, sizeof **types->near);
        add_sizes(types->near[frame], &types->wanted, cell);
    }
}

struct mp_types *
mp_types_new(const struct mp_profile *profile, struct mp_arena *arena)
{
    struct mp_types *types = mp_arena_alloc(arena, sizeof *types);

    *types = (struct mp_types){ .arena = arena, .names.arena = arena,
                                .texts.map.arena = arena };
    types->n_frames = profile->n_frames;
    types->near = mp_arena_alloc(arena, (profile->n_frames + (size_t)1) * sizeof *types->near);
    types->program = mp_arena_alloc(arena, (profile->n_modules + (size_t)1) * sizeof *types->program);
    for (uint32_t size = 1; size < SIZES; size++)
        if (profile->bins[size].allocs != 0)
            types->wanted.word[size / 64] |= UINT64_C(1) << size % 64;
    for (uint32_t i = 0; i < profile->n_cells; i++)
        add_near(types, profile, &profile->cells[i]);
    return types;
}

/* ---------------------------------------------------------------------------------- types of a file */

bool
mp_types_wanted(const struct mp_types *types, uint32_t frame)
{
    return frame < types->n_frames && types->near[frame] != NULL;
}

void
mp_types_read(struct mp_types *types, struct mp_binary *binary, uint32_t frame,
              const struct mp_answer *answer)
{
    for (uint32_t i = 0; mp_types_wanted(types, frame) && i < answer->count; i++)
        read_mentions(binary,
                         &binary->answers.knowns[binary->answers.places[answer->first + i].known]);
}

static void
add_found(struct mp_types *types, const struct mp_mention *type, struct found found)
{
    mp_budget_hold(2 * sizeof found);
    found.name = mp_texts_add(&types->texts, type->name);
    found.size = type->size;
    types->found = mp_arena_grow(types->arena, types->found, types->n_found, &types->found_room,
                                 sizeof *types->found);
    types->found[types->n_found++] = found;
}

/* Adds the type NAME, which is only declared where it is mentioned, with each wanted size that the catalog has for
 * it. */
static void
promote(struct mp_types *types, struct mp_binary *binary, const struct found *found, const char *name)
{
    const struct mp_catalog *catalog = catalog_of(binary);

    for (uint32_t size = 1; size < SIZES && mp_budget_work(size % 64 == 0); size++)
        if (has_size(types->near[found->frame], size) && mp_budget_work(1) && mp_catalog_has(catalog, name, size))
            add_found(types, &(struct mp_mention){ name, size }, *found);
}

void
mp_types_note(struct mp_types *types, struct mp_binary *binary, uint32_t frame, bool innermost,
              uint32_t known)
{
    struct mp_known_function *function = &binary->answers.knowns[known];
    const struct found found = { .frame = frame, .module = binary->module, .innermost = innermost };

    if (!mp_types_wanted(types, frame))
        return;
    for (uint32_t i = 0; i < function->n_mentions && mp_budget_work(i % 8 == 0); i++) {
        const struct mp_mention *type = &function->mentions[i];

        if (type->size == 0)
            promote(types, binary, &found, type->name);
        else if (has_size(binary->program ? &types->wanted : types->near[frame], type->size))
            add_found(types, type, found);
    }
}

void
mp_types_collect(struct mp_types *types, struct mp_binary *binary)
{
    const struct mp_catalog *catalog = binary->program ? catalog_of(binary) : NULL;

    types->program[binary->module] = binary->program;
    for (uint32_t i = 0; catalog != NULL && i < catalog->map.count && mp_budget_work(i % 8 == 0); i++)
        if (has_size(&types->wanted, catalog->list[i].size))
            add_found(types, &catalog->list[i],
                      (struct found){ .frame = MP_NO_ID, .module = binary->module });
}

/* ------------------------------------------------------------------------------- who allocates what */

/* Finds the allocating context of each context: the nearest one outwards whose functions are not all wrappers, or
 * the outermost one before start-up code and code that is unknown, as skip.h does. */
static void
find_allocating(struct mp_types *types, const struct mp_profile *profile)
{
    const bool *wrappers = mp_skip_wrappers(profile, types->arena);
    const bool *starts = mp_startup_contexts(profile, types->arena);

    types->allocating = mp_arena_alloc(types->arena, profile->n_contexts * sizeof *types->allocating);
    for (uint32_t i = 1; i < profile->n_contexts; i++) {
        uint32_t frame = frame_of(profile, i), parent = profile->contexts[i].parent;
        bool wraps = frame != MP_NO_ID && !starts[parent] && frame_of(profile, parent) != MP_NO_ID;

        for (uint32_t k = 0; wraps && k < profile->frames[frame].n_locations; k++)
            wraps = wrappers[profile->locations[profile->frames[frame].first_location + k].function];
        types->allocating[i] = wraps ? types->allocating[parent] : i;
    }
}

/* Returns the module of the function of CONTEXT, or MP_NO_ID. */
static uint32_t
module_of(const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = profile->contexts[context].frame;
    uint32_t module = frame < profile->n_frames ? profile->frames[frame].module : MP_NO_ID;

    return module < profile->n_modules ? module : MP_NO_ID;
}

/* Returns the module of the caller of ALLOCATING if the blocks of ALLOCATING count for it, too: if it is the program or
 * the module of ALLOCATING. Otherwise returns MP_NO_ID. */
static uint32_t
caller_module(const struct mp_types *types, const struct mp_profile *profile, uint32_t allocating)
{
    uint32_t own = module_of(profile, allocating);
    uint32_t caller = module_of(profile, profile->contexts[allocating].parent);

    return caller != MP_NO_ID && (caller == own || types->program[caller]) ? caller : MP_NO_ID;
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

/* Finds, for each module, the sizes of whose blocks the module allocates at least 1/GOOD_PART. Of each cell, counts
 * only its minimum and maximum size. */
static void
find_known(struct mp_types *types, const struct mp_profile *profile)
{
    struct module_blocks **blocks =
        mp_arena_alloc(types->arena, (profile->n_modules + (size_t)1) * sizeof *blocks);

    types->known =
        mp_arena_alloc(types->arena, (profile->n_modules + (size_t)1) * sizeof *types->known);
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        uint32_t allocating = types->allocating[cell->context];
        uint32_t own = module_of(profile, allocating);
        uint32_t caller = caller_module(types, profile, allocating);

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

/* Returns the roles of the frame of CONTEXT, or NULL if it has no code. */
static struct roles *
roles_of(struct mp_types *types, const struct mp_profile *profile, uint32_t context)
{
    uint32_t frame = frame_of(profile, context);

    if (frame == MP_NO_ID)
        return NULL;
    if (types->roles[frame] == NULL)
        types->roles[frame] = mp_arena_alloc(types->arena, sizeof **types->roles);
    return types->roles[frame];
}

/* Adds the sizes of CELL, if the module allocates a good part of them, to the roles of the frame that allocates it, of
 * the wrappers of the same module that this frame calls, and of the frame that calls it. */
static void
give_roles(struct mp_types *types, const struct mp_profile *profile, const struct mp_cell *cell)
{
    uint32_t allocating = types->allocating[cell->context], context = cell->context;
    uint32_t module = module_of(profile, allocating), caller = caller_module(types, profile, allocating);
    struct roles *roles;

    if (!has_wanted(types, cell))
        return;
    for (;; context = profile->contexts[context].parent) {
        if (module != MP_NO_ID && module_of(profile, context) == module &&
            (roles = roles_of(types, profile, context)) != NULL)
            add_sizes(&roles->leaf, &types->known[module], cell);
        if (context == allocating)
            break;
    }
    context = profile->contexts[allocating].parent;
    if (caller != MP_NO_ID && (roles = roles_of(types, profile, context)) != NULL)
        add_sizes(&roles->caller, &types->known[caller], cell);
}

static void
find_roles(struct mp_types *types, const struct mp_profile *profile)
{
    types->roles = mp_arena_alloc(types->arena, (profile->n_frames + (size_t)1) * sizeof *types->roles);
    for (uint32_t i = 0; i < profile->n_cells; i++)
        give_roles(types, profile, &profile->cells[i]);
}

/* ---------------------------------------------------------------------------------------- candidates */

static uint32_t
order_of(const char *name, uint32_t rank, bool program)
{
    return (rank == RANKS ? 200u : 0u) + (mp_catalog_is_internal(name) ? 100u : 0u) + rank * 10u +
           (program ? 0u : 1u);
}

/* Adds a candidate NAME, one of the texts, with SIZE and RANK, or improves the order of an existing one. */
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
        types->candidates[number] = (struct candidate){ name, size, order };
    }
    candidate = &types->candidates[number];
    if (order < candidate->order)
        candidate->order = order;
}

/* Makes FOUND a candidate if its module may name its size. */
static void
consider(struct mp_types *types, const struct found *found)
{
    const struct roles *roles = found->frame == MP_NO_ID ? NULL : types->roles[found->frame];
    bool program = types->program[found->module];
    uint32_t rank = RANKS;

    if (roles != NULL && has_size(&roles->leaf, found->size))
        rank = found->innermost ? 0 : 1;
    else if (roles != NULL && has_size(&roles->caller, found->size))
        rank = 2;
    if (rank < RANKS || (program && has_size(&types->known[found->module], found->size)))
        add_candidate(types, found->name, found->size, rank, program);
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
    uint32_t count, limit = TYPES_SHOWN * SIZES, kept = profile->n_types;
    const char **old = profile->types;
    bool *is_done = mp_arena_alloc(types->arena, MP_BINS * sizeof *is_done);

    for (uint32_t i = 0; i < MP_BINS; i++)
        is_done[i] = profile->bins[i].n_types > 0;
    find_allocating(types, profile);
    find_known(types, profile);
    find_roles(types, profile);
    for (uint32_t i = 0; i < types->n_found; i++)
        consider(types, &types->found[i]);
    count = types->names.count;
    if (count > 0)
        qsort(types->candidates, count, sizeof *types->candidates, compare_candidates);
    profile->types = mp_arena_alloc(profile->arena,
                                    (kept + (size_t)(count < limit ? count : limit)) * sizeof *profile->types);
    if (kept > 0)
        memcpy(profile->types, old, kept * sizeof *profile->types);
    for (uint32_t i = 0; i < count; i++) {
        struct mp_bin *bin = &profile->bins[types->candidates[i].size];

        if (bin->n_types == TYPES_SHOWN || is_done[types->candidates[i].size])
            continue;
        if (bin->n_types == 0)
            bin->first_type = profile->n_types;
        profile->types[profile->n_types++] = mp_arena_strdup(profile->arena,
                                                             types->candidates[i].name);
        bin->n_types++;
    }
}
