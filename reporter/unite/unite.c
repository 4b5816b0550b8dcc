/* SPDX-License-Identifier: MIT */
#include "unite.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"

/* The state of adding one profile. */
struct adder {
    struct mp_unite *unite;
    const struct mp_profile *profile;
    uint32_t *builds;           /* by module: a string that identifies its build */
    /* by id of the profile: the united id, or MP_NO_ID if there is none (yet) */
    bool *with_start;           /* by function: its address is a part of its key */
    uint32_t *module_to, *function_to, *name_to, *frame_to, *kind_to, *context_to;
    struct mp_arena *scratch;
};

void
mp_unite_init(struct mp_unite *unite, enum mp_unite_how how, struct mp_arena *arena)
{
    *unite = (struct mp_unite){
        .arena = arena, .how = how, .strings.arena = arena, .modules.arena = arena, .functions.arena = arena,
        .frames.arena = arena, .names.arena = arena, .kinds.arena = arena, .types.arena = arena};
}

void
mp_unite_free(struct mp_unite *unite)
{
    if (unite->any)
        mp_unite_tree_free(&unite->tree);
}

/* Returns a list of N ids that are MP_NO_ID. */
static uint32_t *
ids_of(struct adder *a, uint32_t n)
{
    uint32_t *ids = mp_arena_alloc(a->scratch, (n + (size_t)1) * sizeof *ids);

    memset(ids, 0xff, n * sizeof *ids);
    return ids;
}

static uint32_t
string_of(struct mp_unite *unite, const char *text)
{
    return text ? mp_map_add(&unite->strings, text, strlen(text)) : MP_NO_ID;
}

const char *
mp_unite_text(struct mp_unite *unite, const char *text)
{
    return text ? mp_map_text(&unite->strings, text) : NULL;
}

/* Returns the id of KEY in MAP, adding it if it is new. *LIST has an item of SIZE bytes for each key; a new one is
 * zero. */
static uint32_t
add_key(struct mp_unite *unite, struct mp_map *map, const uint32_t key[], size_t words, void *list, uint32_t *room,
        size_t size)
{
    const uint32_t known = map->count, id = mp_map_add(map, key, words * sizeof *key);
    void **items = list;

    if (id == known) {
        *items = mp_arena_grow(unite->arena, *items, id, room, size);
        memset((char *)*items + id * size, 0, size);
    }
    return id;
}

#define ADD_KEY(unite, list, key, words) \
    add_key((unite), &(unite)->list, (key), (words), &(unite)->sum.list, &(unite)->list##_room, \
            sizeof *(unite)->sum.list)

/* ---------------------------------------------------------------- modules */

/* Name of the program's own module in a tolerant union, whatever its file is called. */
#define PROGRAM "the program"

static uint32_t
build_of(struct mp_unite *unite, const struct mp_module *module)
{
    char hex[2 * sizeof module->build_id + 1] = "";

    mp_text_put_hex(hex, hex + sizeof hex, module->build_id, module->build_id_size);
    return string_of(unite, hex[0] || unite->how == MP_UNITE_TOLERANT ? hex : module->path);
}

/* Adds MODULE of PROFILE, with the name that all its versions share. */
static uint32_t
add_any_version(struct mp_unite *unite, const struct mp_profile *profile, const struct mp_module *module)
{
    const bool own = strcmp(module->path, profile->meta.program) == 0;
    const char *stem = mp_stem_module(module->name, unite->arena);
    const uint32_t key[] = {string_of(unite, own ? PROGRAM : stem)}, id = ADD_KEY(unite, modules, key, 1);
    const char *name = mp_unite_text(unite, own ? module->name : stem);
    struct mp_module *to = &unite->sum.modules[id];

    if (to->name && to->name != name)
        name = PROGRAM;         /* the profiles have different names for it */
    to->name = to->path = name;
    to->problem = "";
    return id;
}

uint32_t
mp_unite_module(struct mp_unite *unite, const struct mp_profile *profile, uint32_t module)
{
    const struct mp_module *from = &profile->modules[module];
    struct mp_module *to;
    uint32_t key[2], id;

    if (module >= profile->n_modules)
        return MP_NO_ID;
    if (unite->how == MP_UNITE_TOLERANT)
        return add_any_version(unite, profile, from);
    key[0] = string_of(unite, from->path);
    key[1] = build_of(unite, from);
    id = ADD_KEY(unite, modules, key, 2);
    to = &unite->sum.modules[id];
    to->path = mp_unite_text(unite, from->path);
    to->name = mp_text_basename(to->path);
    memcpy(to->build_id, from->build_id, sizeof to->build_id);
    to->build_id_size = from->build_id_size;
    to->unloaded |= from->unloaded;
    if (!to->problem || strcmp(from->problem, to->problem) > 0)
        to->problem = mp_unite_text(unite, from->problem);
    return id;
}

/* Returns the united module for MODULE of the profile that is added, or MP_NO_ID if MODULE is none. */
static uint32_t
module_of(struct adder *a, uint32_t module)
{
    if (module >= a->profile->n_modules)
        return MP_NO_ID;
    if (a->module_to[module] == MP_NO_ID)
        a->module_to[module] = mp_unite_module(a->unite, a->profile, module);
    return a->module_to[module];
}

/* Returns the module of A and B that comes first by path and build. MP_NO_ID comes last. */
static uint32_t
first_module(const struct mp_unite *unite, uint32_t a, uint32_t b)
{
    const struct mp_module *x, *y;
    int order;

    if (a == MP_NO_ID || b == MP_NO_ID || a == b)
        return a == MP_NO_ID ? b : a;
    x = &unite->sum.modules[a];
    y = &unite->sum.modules[b];
    order = strcmp(x->path, y->path);
    if (order == 0)
        order = memcmp(x->build_id, y->build_id, sizeof x->build_id);
    return order <= 0 ? a : b;
}

/* ---------------------------------------------------------------- functions */

/* Sets KEY to what identifies FUNCTION. Its address is a part of that if WITH_START. */
static void
put_function(struct adder *a, const struct mp_function *function, bool with_start, uint32_t key[])
{
    struct mp_unite *unite = a->unite;
    const uint32_t module = module_of(a, function->module);
    const bool has_name = function->kind != MP_FUNCTION_PLACE;
    const uint64_t start = with_start || !has_name ? function->start : 0;
    uint32_t name = string_of(unite, module == MP_NO_ID ? "" : unite->sum.modules[module].name);

    if (unite->how == MP_UNITE_TOLERANT && module != MP_NO_ID)
        name = mp_unite_key(&unite->modules, module)[0];
    key[MP_UNITE_FUNCTION_MODULE] = name;
    key[MP_UNITE_FUNCTION_NAME] = string_of(unite, has_name && !function->plain ? function->text : function->plain);
    key[MP_UNITE_FUNCTION_PARAMETERS] = string_of(unite, function->parameters);
    key[MP_UNITE_FUNCTION_RUNTIME] = string_of(unite, function->runtime_name);
    key[MP_UNITE_FUNCTION_FILE] = string_of(unite, function->file);
    key[MP_UNITE_FUNCTION_UNIT] = string_of(unite, function->unit);
    key[MP_UNITE_FUNCTION_BUILD] =
        module != MP_NO_ID && (with_start || !has_name) ? a->builds[function->module] : MP_NO_ID;
    key[MP_UNITE_FUNCTION_HIGH] = (uint32_t)(start >> 32);
    key[MP_UNITE_FUNCTION_LOW] = (uint32_t)start;
}

/* Finds the functions of the profile that differ from another one only in their address. In a tolerant union, the
 * address is a part of every function's key. */
static void
find_ambiguous(struct adder *a)
{
    const uint32_t n = a->profile->n_functions;
    uint32_t *ids = ids_of(a, n), *counts = mp_arena_alloc(a->scratch, n * sizeof *counts);
    struct mp_map names = {.arena = a->scratch};

    a->with_start = mp_arena_alloc(a->scratch, n * sizeof *a->with_start);
    for (uint32_t i = 0; i < n && a->unite->how == MP_UNITE_EXACT; i++) {
        uint32_t key[MP_UNITE_FUNCTION_WORDS];

        put_function(a, &a->profile->functions[i], false, key);
        counts[ids[i] = mp_map_add(&names, key, sizeof key)]++;
    }
    for (uint32_t i = 0; i < n; i++)
        a->with_start[i] = ids[i] == MP_NO_ID || counts[ids[i]] > 1;
}

/* Returns the smaller of A and B, or the other if one is 0, which means unknown. */
static uint64_t
smaller_known(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Adds a function. Of properties that are not in its key, the smallest known values are chosen. */
static uint32_t
add_function(struct adder *a, uint32_t number)
{
    struct mp_unite *unite = a->unite;
    const struct mp_function *from = &a->profile->functions[number];
    const uint32_t known = unite->functions.count;
    uint32_t key[MP_UNITE_FUNCTION_WORDS], id;
    struct mp_function *to;

    put_function(a, from, a->with_start[number], key);
    id = ADD_KEY(unite, functions, key, MP_UNITE_FUNCTION_WORDS);
    to = &unite->sum.functions[id];
    if (id == known) {
        *to = *from;
        to->text = mp_unite_text(unite, from->text);
        to->plain = mp_unite_text(unite, from->plain);
        to->parameters = mp_unite_text(unite, from->parameters);
        to->runtime_name = mp_unite_text(unite, from->runtime_name);
        to->file = mp_unite_text(unite, from->file);
        to->unit = mp_unite_text(unite, from->unit);
        to->module = MP_NO_ID;
    }
    to->start = smaller_known(to->start, from->start);
    to->line = (uint32_t)smaller_known(to->line, from->line);
    to->language = (uint16_t)smaller_known(to->language, from->language);
    to->kind = from->kind < to->kind ? from->kind : to->kind;
    to->module = first_module(unite, to->module, module_of(a, from->module));
    return id;
}

static uint32_t
function_of(struct adder *a, uint32_t function)
{
    if (a->function_to[function] == MP_NO_ID)
        a->function_to[function] = add_function(a, function);
    return a->function_to[function];
}

/* ---------------------------------------------------------------- frames */

/* Returns the offset of FRAME, whose locations are AT, relative to the start of the outermost function. If the start is
 * unknown, returns the offset in the module and sets *BUILD to the build of the module. */
static uint64_t
place_of(const struct adder *a, const struct mp_frame *frame, uint32_t *build)
{
    const struct mp_profile *profile = a->profile;
    const uint32_t n = mp_frame_locations(frame);
    const struct mp_location *at = &profile->locations[frame->first_location + n - 1];
    const uint64_t start = n > 0 ? profile->functions[at->function].start : 0;

    *build = MP_NO_ID;
    if (frame->mark != 0 || frame->interpreted || a->unite->how == MP_UNITE_TOLERANT)
        return 0;               /* `offset` is no address, or differs between builds */
    if (start == 0 && frame->module < profile->n_modules)
        *build = a->builds[frame->module];
    return frame->offset - start;
}

static uint32_t
add_frame(struct adder *a, const struct mp_frame *frame)
{
    struct mp_unite *unite = a->unite;
    const uint32_t known = unite->frames.count, n = mp_frame_locations(frame);
    const struct mp_location *from = &a->profile->locations[frame->first_location];
    uint32_t key[MP_UNITE_FRAME_WORDS + 256 * MP_UNITE_AT_WORDS], *at = key + MP_UNITE_FRAME_WORDS, id;
    uint64_t place = place_of(a, frame, &key[MP_UNITE_FRAME_BUILD]);
    struct mp_frame *to;

    key[MP_UNITE_FRAME_FLAGS] = (uint32_t)(frame->exact | frame->runtime << 1 | frame->interpreted << 2 |
                                           frame->unproved << 3 | frame->tail << 4) | frame->mark << 5;
    key[MP_UNITE_FRAME_N] = n;
    key[MP_UNITE_FRAME_NAME] = frame->name < a->profile->n_names ? a->name_to[frame->name] : MP_NO_ID;
    key[MP_UNITE_FRAME_HIGH] = (uint32_t)(place >> 32);
    key[MP_UNITE_FRAME_LOW] = (uint32_t)place;
    for (uint32_t i = 0; i < n; i++, at += MP_UNITE_AT_WORDS) {
        at[MP_UNITE_AT_FUNCTION] = function_of(a, from[i].function);
        at[MP_UNITE_AT_LINE] = from[i].line;
        at[MP_UNITE_AT_FILE] = string_of(unite, from[i].file);
        at[MP_UNITE_AT_INLINED] = from[i].inlined;
    }
    id = ADD_KEY(unite, frames, key, (size_t)(at - key));
    to = &unite->sum.frames[id];
    if (id == known) {
        *to = *frame;
        to->module = MP_NO_ID;
        to->offset = place;
        to->name = key[MP_UNITE_FRAME_NAME];
        to->first_location = unite->sum.n_locations;
        to->n_locations = n;
        for (uint32_t i = 0; i < n; i++) {
            unite->sum.locations = mp_arena_grow(unite->arena, unite->sum.locations, unite->sum.n_locations,
                                                 &unite->locations_room, sizeof *unite->sum.locations);
            unite->sum.locations[unite->sum.n_locations++] = (struct mp_location){
                .function = key[MP_UNITE_FRAME_WORDS + i * MP_UNITE_AT_WORDS + MP_UNITE_AT_FUNCTION],
                .line = from[i].line, .file = mp_unite_text(unite, from[i].file), .inlined = from[i].inlined};
        }
    }
    to->module = first_module(unite, to->module, module_of(a, frame->module));
    return id;
}

/* ---------------------------------------------------------------- names and kinds of a language */

static uint32_t
add_name(struct adder *a, const struct mp_name *name)
{
    struct mp_unite *unite = a->unite;
    const uint64_t position = (uint64_t)name->position;
    const uint32_t key[] = {string_of(unite, name->name), string_of(unite, name->file), (uint32_t)(position >> 32),
                            (uint32_t)position, 2u * name->builtin + name->dispatch};
    const uint32_t id = ADD_KEY(unite, names, key, sizeof key / sizeof *key);
    struct mp_name *to = &unite->sum.names[id];

    *to = *name;
    to->name = mp_unite_text(unite, name->name);
    to->file = mp_unite_text(unite, name->file);
    return id;
}

/* Adds KIND. In the union, `kind` is its smallest number, and `base` the string that is the name of its base. */
static uint32_t
add_kind(struct adder *a, const struct mp_object_kind *kind)
{
    struct mp_unite *unite = a->unite;
    const struct mp_object_kind *base = mp_profile_kind(a->profile, kind->base);
    const uint32_t known = unite->kinds.count;
    const uint32_t key[] = {string_of(unite, kind->name), (uint32_t)kind->category,
                            string_of(unite, base ? base->name : kind->name), !base || base == kind};
    const uint32_t id = ADD_KEY(unite, kinds, key, sizeof key / sizeof *key);
    struct mp_object_kind *to = &unite->sum.kinds[id];

    const uint64_t allocs = id == known ? kind->allocs : mp_plus(to->allocs, kind->allocs);
    const uint64_t bytes = id == known ? kind->bytes : mp_plus(to->bytes, kind->bytes);

    if (id == known || kind->kind < to->kind)
        *to = *kind;
    to->allocs = allocs;
    to->bytes = bytes;
    to->name = mp_unite_text(unite, kind->name);
    to->base = key[2];
    return id;
}

/* ---------------------------------------------------------------- contexts and figures */

/* Returns the context of LABEL, or the root if LABEL is MP_NO_ID. */
static uint32_t
label_context(struct mp_unite_tree *tree, uint32_t label)
{
    return label == MP_NO_ID ? 0 : mp_unite_context(tree, 0, MP_UNITE_LABEL | label);
}

static void
add_contexts(struct adder *a, const struct mp_unite_labels *labels)
{
    struct mp_unite_tree *tree = &a->unite->tree;
    uint32_t *to = a->context_to;

    to[0] = label_context(tree, labels->root);
    for (uint32_t i = 1; i < a->profile->n_contexts; i++) {
        const struct mp_context *context = &a->profile->contexts[i];

        if (a->frame_to[context->frame] != MP_NO_ID)
            to[i] = mp_unite_context(tree, to[context->parent], a->frame_to[context->frame]);
        else if (context->parent == 0 && labels->of_frames)
            to[i] = label_context(tree, labels->of_frames[context->frame]);
        else
            to[i] = to[context->parent];
    }
}

/* Adds the cells, or the samples of a sampled profile, whose sum is exact. Kinds of C keep their numbers. */
static void
add_cells(struct adder *a, uint32_t tag)
{
    const struct mp_profile *profile = a->profile;
    const bool samples = a->unite->tree.by_size > 0;
    const struct mp_cell *cells = samples ? profile->samples : profile->cells;
    const uint32_t n = samples ? profile->n_samples : profile->n_cells;

    for (uint32_t i = 0; i < n; i++) {
        struct mp_cell cell = cells[i];
        const struct mp_object_kind *kind = mp_profile_kind(profile, cell.kind);

        cell.context = a->context_to[cell.context];
        if (kind)
            cell.kind = MP_KIND_LISP + a->kind_to[kind - profile->kinds];
        cell.kind += tag;
        mp_unite_add_cell(&a->unite->tree, &cell);
    }
}

/* Adds the faulty frees. Unknown frees in the program's own pools are counted in meta.missing only. */
static void
add_bad_frees(struct adder *a)
{
    const struct mp_bad_frees *frees = a->profile->bad_frees;
    struct mp_bad_frees *to = &a->unite->bad_frees;
    const enum mp_sentinel sentinel = frees ? frees->sentinel : MP_SENTINEL_OFF;

    to->sentinel = !a->unite->any || to->sentinel == sentinel ? sentinel : MP_SENTINEL_NONE;
    if (!frees)
        to->counts[MP_FREED_UNKNOWN] =
            mp_plus(to->counts[MP_FREED_UNKNOWN], a->profile->meta.missing[MP_MISS_UNKNOWN_FREE]);
    for (unsigned kind = 0; frees && kind < MP_BAD_FREES; kind++)
        to->counts[kind] = mp_plus(to->counts[kind], frees->counts[kind]);
    for (uint32_t i = 0; frees && i < frees->n; i++) {
        struct mp_bad_free place = frees->places[i];

        if (place.context != 0)         /* 0: unknown */
            place.context = a->context_to[place.context];
        mp_unite_add_bad_free(&a->unite->tree, &place);
    }
}

static void
add_bins(struct adder *a)
{
    struct mp_unite *unite = a->unite;

    unite->sum.owned_blocks = mp_plus(unite->sum.owned_blocks, a->profile->owned_blocks);
    unite->sum.owned_bytes = mp_plus(unite->sum.owned_bytes, a->profile->owned_bytes);
    for (uint32_t size = 0; size < MP_BINS; size++) {
        const struct mp_bin *from = &a->profile->bins[size];
        struct mp_bin *to = &unite->sum.bins[size];

        to->allocs = mp_plus(to->allocs, from->allocs);
        to->bytes = mp_plus(to->bytes, from->bytes);
        to->frees = mp_plus(to->frees, from->frees);
        to->freed = mp_plus(to->freed, from->freed);
        for (uint32_t i = 0; i < from->n_types; i++)
            mp_map_add_u64(&unite->types,
                           (uint64_t)size << 32 | string_of(unite, a->profile->types[from->first_type + i]));
    }
}

/* ---------------------------------------------------------------- one profile */

/* Distinguishes the cells of PROFILE by size as far as they are samples. Objects are either samples in all profiles
 * that have objects, or in none. */
static void
set_by_size(struct mp_unite_tree *tree, const struct mp_profile *profile)
{
    if (tree->by_size == 0)
        tree->by_size = MP_KIND_LISP;
    if (profile->meta.objects_sampled)
        tree->by_size = UINT32_MAX;
}

void
mp_unite_add(struct mp_unite *unite, const struct mp_profile *profile, const struct mp_unite_labels *labels,
             uint32_t tag)
{
    struct adder a = {.unite = unite, .profile = profile, .scratch = mp_arena_new()};

    if (!unite->any)
        mp_unite_tree_init(&unite->tree, 0);
    if (unite->how == MP_UNITE_EXACT && profile->meta.sample_period > 0)
        set_by_size(&unite->tree, profile);
    a.builds = ids_of(&a, profile->n_modules);
    a.module_to = ids_of(&a, profile->n_modules);
    a.function_to = ids_of(&a, profile->n_functions);
    a.name_to = ids_of(&a, profile->n_names);
    a.kind_to = ids_of(&a, profile->n_kinds);
    a.frame_to = ids_of(&a, profile->n_frames);
    a.context_to = ids_of(&a, profile->n_contexts);
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        a.builds[i] = build_of(unite, &profile->modules[i]);
        if (unite->how == MP_UNITE_EXACT)
            module_of(&a, i);
    }
    find_ambiguous(&a);
    for (uint32_t i = 0; i < profile->n_names; i++)
        a.name_to[i] = add_name(&a, &profile->names[i]);
    for (uint32_t i = 0; i < profile->n_kinds; i++)
        a.kind_to[i] = add_kind(&a, &profile->kinds[i]);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        if (!profile->frames[i].label)
            a.frame_to[i] = add_frame(&a, &profile->frames[i]);
    add_contexts(&a, labels);
    add_cells(&a, tag);
    for (uint32_t i = 0; i < profile->n_forms; i++)
        mp_map_add_u64(&unite->tree.form_keys, a.context_to[profile->forms[i]]);
    add_bad_frees(&a);
    add_bins(&a);
    unite->sum.lifetimes |= profile->lifetimes;
    unite->sum.n_modules = unite->modules.count;
    unite->sum.n_functions = unite->functions.count;
    unite->sum.n_frames = unite->frames.count;
    unite->sum.n_names = unite->names.count;
    unite->any = true;
    mp_arena_free(a.scratch);
}
