/* SPDX-License-Identifier: MIT */
/* unite_order.c -- makes a profile of a union, in an order that depends on names and figures only. */
#include "unite.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/profile/cells.h"

struct orderer {
    struct mp_unite *unite;
    struct mp_profile *to;
    uint32_t *ranks;            /* by string: its position in alphabetical order, from 1 */
    uint32_t *module_to, *function_to, *name_to, *frame_to, *kind_to, *context_to;  /* by united id: id in `to` */
    const uint32_t *label_to;   /* by label: its position */
    struct mp_arena *arena;     /* owns memory needed only while the profile is made */
};

/* ---------------------------------------------------------------- keys */

/* Compares keys word by word. The number of words precedes them; a word before the first different one decides it. */
static int
compare_keys(const void *a, const void *b, void *data)
{
    uint32_t *const *keys = data;
    const uint32_t *x = keys[*(const uint32_t *)a], *y = keys[*(const uint32_t *)b];

    for (uint32_t i = 1; i <= x[0]; i++)
        if (x[i] != y[i])
            return mp_order(x[i], y[i]);
    return 0;
}

static int
compare_strings(const void *a, const void *b, void *data)
{
    const struct mp_map *strings = data;

    return strcmp(mp_map_key(strings, *(const uint32_t *)a), mp_map_key(strings, *(const uint32_t *)b));
}

/* Compares items by their first member, a number. */
static int
compare_first_words(const void *a, const void *b)
{
    return mp_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Compares items by their first two members, which are numbers. */
static int
compare_two_words(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return x[0] != y[0] ? mp_order(x[0], y[0]) : mp_order(x[1], y[1]);
}

static uint32_t *
count_up(struct orderer *o, uint32_t n)
{
    uint32_t *ids = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *ids);

    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    return ids;
}

/* Returns the inverse of IDS, which contains N ids in order: by id its position, counted from FIRST. */
static uint32_t *
places_of(struct orderer *o, const uint32_t *ids, uint32_t n, uint32_t first)
{
    uint32_t *places = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *places);

    for (uint32_t i = 0; i < n; i++)
        places[ids[i]] = first + i;
    return places;
}

static void
rank_strings(struct orderer *o)
{
    struct mp_map *strings = &o->unite->strings;
    uint32_t *ids = count_up(o, strings->count);

    qsort_r(ids, strings->count, sizeof *ids, compare_strings, strings);
    o->ranks = places_of(o, ids, strings->count, 1);
}

/* Returns a number that has the order of the thing that WORD of a key identifies. KIND is the word's letter. */
static uint32_t
comparable(const struct orderer *o, char kind, uint32_t word)
{
    switch (word == MP_NO_ID ? '\0' : kind) {
    case 's':
        return o->ranks[word];
    case 'f':
        return o->function_to[word];
    case 'n':
        return o->name_to[word];
    default:
        return kind == 's' ? 0 : word;
    }
}

/* Returns the ids of N things in order, and sets *PLACES to the position of each. MAP contains their keys, whose words
 * KINDS describes. In a tolerant union, ids are in order already. */
static const uint32_t *
sort_keys(struct orderer *o, const struct mp_map *map, uint32_t n, const char *kinds, uint32_t **places)
{
    const uint32_t n_keys = o->unite->how == MP_UNITE_EXACT ? n : 0;
    uint32_t **keys = mp_arena_alloc(o->arena, (n_keys + (size_t)1) * sizeof *keys), *ids = count_up(o, n);

    for (uint32_t id = 0; id < n_keys; id++) {
        const size_t size = mp_map_key_size(map, id);
        const char *kind = kinds;

        keys[id] = mp_arena_alloc(o->arena, sizeof **keys + size);
        keys[id][0] = (uint32_t)(size / sizeof **keys);
        memcpy(keys[id] + 1, mp_map_key(map, id), size);
        for (uint32_t i = 1; i <= keys[id][0]; i++, kind++) {
            kind -= *kind ? 0 : 4;
            keys[id][i] = comparable(o, *kind, keys[id][i]);
        }
    }
    if (n_keys > 0)
        qsort_r(ids, n, sizeof *ids, compare_keys, keys);
    *places = places_of(o, ids, n, 0);
    return ids;
}

/* Returns a copy of LIST, which has N items of SIZE bytes, in the order of IDS, with capacity for MORE items. */
static void *
reordered(struct orderer *o, const void *list, const uint32_t ids[], uint32_t n, uint32_t more, size_t size)
{
    char *to = mp_arena_alloc(o->to->arena, (n + (size_t)more) * size);

    for (uint32_t i = 0; i < n; i++)
        memcpy(to + i * size, (const char *)list + ids[i] * size, size);
    return to;
}

/* Orders a list of the union: sets it in the profile, and TO to the new ids. Returns the ids in order. */
#define ORDER(o, list, words, new_ids, more) \
    __extension__({ \
        const uint32_t *ids_ = sort_keys((o), &(o)->unite->list, (o)->unite->sum.n_##list, (words), (new_ids)); \
        (o)->to->n_##list = (o)->unite->sum.n_##list; \
        (o)->to->list = reordered((o), (o)->unite->sum.list, ids_, (o)->to->n_##list, (more), sizeof *(o)->to->list); \
        ids_; \
    })

/* ---------------------------------------------------------------- functions, frames */

static uint32_t
moved(const uint32_t to[], uint32_t id)
{
    return id == MP_NO_ID ? MP_NO_ID : to[id];
}

static void
order_functions(struct orderer *o, uint32_t n_labels)
{
    ORDER(o, functions, MP_UNITE_FUNCTION, &o->function_to, n_labels);
    for (uint32_t i = 0; i < o->to->n_functions; i++)
        o->to->functions[i].module = moved(o->module_to, o->to->functions[i].module);
}

/* Appends a frame and a function for each label. Their function has no name yet. */
static void
append_labels(struct orderer *o, uint32_t n_labels)
{
    struct mp_profile *to = o->to;

    for (uint32_t i = 0; i < n_labels; i++) {
        to->functions[to->n_functions] = (struct mp_function){.module = MP_NO_ID};
        to->locations[to->n_locations] = (struct mp_location){.function = to->n_functions++, .file = ""};
        to->frames[to->n_frames++] = (struct mp_frame){
            .module = MP_NO_ID, .name = MP_NO_ID, .interpreted = true, .exact = true, .label = true,
            .first_location = to->n_locations++, .n_locations = 1};
    }
}

/* Returns whether the offset of frame ID is relative to the start of its outermost function. */
static bool
is_relative(const struct orderer *o, uint32_t id)
{
    const struct mp_frame *frame = &o->unite->sum.frames[id];

    return o->unite->how == MP_UNITE_EXACT && frame->n_locations > 0 && !frame->mark && !frame->interpreted &&
           mp_unite_key(&o->unite->frames, id)[MP_UNITE_FRAME_BUILD] == MP_NO_ID;
}

/* Orders the frames, and their locations in the same order. */
static void
order_frames(struct orderer *o, uint32_t n_labels)
{
    const struct mp_profile *from = &o->unite->sum;
    struct mp_profile *to = o->to;
    const uint32_t *ids;

    if ((uint64_t)from->n_locations + n_labels >= MP_NO_ID || (uint64_t)from->n_frames + n_labels >= MP_UNITE_LABEL)
        mp_no_memory();
    ids = ORDER(o, frames, MP_UNITE_FRAME, &o->frame_to, n_labels);
    to->locations = mp_arena_alloc(to->arena, (from->n_locations + (size_t)n_labels) * sizeof *to->locations);
    for (uint32_t i = 0; i < to->n_frames; i++) {
        struct mp_frame *frame = &to->frames[i];
        const struct mp_location *at = &from->locations[frame->first_location];

        frame->first_location = to->n_locations;
        for (uint32_t j = 0; j < frame->n_locations; j++) {
            to->locations[to->n_locations] = at[j];
            to->locations[to->n_locations++].function = o->function_to[at[j].function];
        }
        if (is_relative(o, ids[i]))
            frame->offset += to->functions[to->locations[to->n_locations - 1].function].start;
        frame->module = moved(o->module_to, frame->module);
        frame->name = moved(o->name_to, frame->name);
    }
    append_labels(o, n_labels);
}

/* ---------------------------------------------------------------- kinds */

/* Returns the number of the base of kind ID, a kind that has the name of the base and is its own base. IDS are all
 * kinds in order. */
static uint32_t
base_of(const struct orderer *o, const uint32_t *ids, uint32_t id)
{
    const struct mp_map *map = &o->unite->kinds;
    const uint32_t name = mp_unite_key(map, id)[MP_UNITE_KIND_BASE];

    for (uint32_t i = 0; i < map->count; i++) {
        const uint32_t *base = mp_unite_key(map, ids[i]);

        if (base[MP_UNITE_KIND_IS_BASE] && base[MP_UNITE_KIND_NAME] == name)
            return o->kind_to[ids[i]];
    }
    return o->kind_to[id];
}

/* Returns the first number from NUMBER on that no kind has, or MP_KIND_END if there is none. */
static uint32_t
free_number(const bool taken[], uint32_t number)
{
    while (number < MP_KIND_END && taken[number])
        number++;
    return number;
}

/* Numbers the kinds. Built-in kinds keep their numbers, or get the next free ones if other kinds have them. Classes
 * get the next free numbers from MP_KIND_CLASS on. Returns false and fills *ERROR if there are too many kinds. */
static bool
order_kinds(struct orderer *o, struct mp_error *error)
{
    const uint32_t n = o->unite->kinds.count;
    const struct mp_object_kind *from = o->unite->sum.kinds;
    bool *taken = mp_arena_alloc(o->arena, MP_KIND_END + (size_t)1);
    uint32_t *places;
    const uint32_t *ids = sort_keys(o, &o->unite->kinds, n, MP_UNITE_KIND, &places);

    o->kind_to = mp_arena_alloc(o->arena, (n + (size_t)1) * sizeof *o->kind_to);
    for (int classes = 0; classes <= 1; classes++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t least = from[ids[i]].kind, number;

            if ((least >= MP_KIND_CLASS) != classes)
                continue;
            number = free_number(taken, classes ? MP_KIND_CLASS : least);
            if (number == MP_KIND_END)
                return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "there are too many types of objects");
            taken[number] = true;
            o->kind_to[ids[i]] = number;
        }
    o->to->n_kinds = n;
    o->to->kinds = mp_arena_alloc(o->to->arena, n * sizeof *o->to->kinds);
    for (uint32_t i = 0; i < n; i++)
        o->to->kinds[i] = (struct mp_object_kind){.kind = o->kind_to[i], .base = base_of(o, ids, i),
                                                  .name = from[i].name, .category = from[i].category,
                                                  .allocs = from[i].allocs, .bytes = from[i].bytes};
    if (n > 0)
        qsort(o->to->kinds, n, sizeof *o->to->kinds, compare_first_words);
    return true;
}

/* ---------------------------------------------------------------- contexts and cells */

static uint32_t
frame_of(const struct orderer *o, uint32_t frame)
{
    return frame & MP_UNITE_LABEL ? o->unite->sum.n_frames + o->label_to[frame & ~MP_UNITE_LABEL] : o->frame_to[frame];
}

/* Returns the contexts, without the root, sorted by frame with a counting sort. */
static uint32_t *
contexts_by_frame(struct orderer *o)
{
    const struct mp_unite_tree *tree = &o->unite->tree;
    uint32_t n = o->to->n_frames;
    uint32_t *first = mp_arena_alloc(o->arena, (n + (size_t)2) * sizeof *first);
    uint32_t *list = mp_arena_alloc(o->arena, tree->n_contexts * sizeof *list);

    for (uint32_t i = 1; i < tree->n_contexts; i++)
        first[frame_of(o, tree->contexts[i].frame) + 1]++;
    for (uint32_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        list[first[frame_of(o, tree->contexts[i].frame)]++] = i;
    return list;
}

/* Orders the contexts in preorder, with the callees of each caller sorted by frame. */
static void
order_contexts(struct orderer *o)
{
    const struct mp_unite_tree *tree = &o->unite->tree;
    uint32_t n = tree->n_contexts, *list = contexts_by_frame(o), at = 0, next = 0;
    uint32_t *child = mp_arena_alloc(o->arena, n * sizeof *child);      /* first child; 0: none */
    uint32_t *sibling = mp_arena_alloc(o->arena, n * sizeof *sibling);

    for (uint32_t i = n - 1; i-- > 0;) {
        uint32_t parent = tree->contexts[list[i]].parent;

        sibling[list[i]] = child[parent];
        child[parent] = list[i];
    }
    o->context_to = mp_arena_alloc(o->arena, n * sizeof *o->context_to);
    o->to->contexts = mp_arena_alloc(o->to->arena, n * sizeof *o->to->contexts);
    o->to->contexts[0].frame = MP_NO_ID;
    while (next + 1 < n) {
        while (child[at] == 0)
            at = tree->contexts[at].parent;
        o->context_to[child[at]] = ++next;
        o->to->contexts[next] = (struct mp_context){
            .parent = o->context_to[at], .frame = frame_of(o, tree->contexts[child[at]].frame)};
        at = child[at];
        child[tree->contexts[at].parent] = sibling[at];
    }
    o->to->n_contexts = n;
}

/* Sorts the cells in place, because they take most of the memory. */
static void
order_cells(struct orderer *o)
{
    struct mp_unite_tree *tree = &o->unite->tree;

    for (uint32_t i = 0; i < tree->n_cells; i++) {
        struct mp_cell *cell = &tree->cells[i];
        const uint32_t kind = (cell->kind & MP_UNITE_TAGGED) - MP_KIND_LISP;

        cell->context = o->context_to[cell->context];
        if (kind < o->unite->kinds.count)       /* otherwise it is a kind of C */
            cell->kind = (cell->kind & ~MP_UNITE_TAGGED) | o->kind_to[kind];
    }
    if (tree->n_cells > 0)
        qsort(tree->cells, tree->n_cells, sizeof *tree->cells, mp_cell_compare);
    o->to->cells = tree->cells;
    o->to->n_cells = tree->n_cells;
}

static void
order_forms(struct orderer *o)
{
    const struct mp_map *forms = &o->unite->tree.form_keys;
    uint32_t n = 0;

    o->to->forms = mp_arena_alloc(o->to->arena, forms->count * sizeof *o->to->forms);
    for (uint32_t i = 0; i < forms->count; i++)
        if (o->context_to[forms->numbers[i]] != 0)
            o->to->forms[n++] = o->context_to[forms->numbers[i]];
    o->to->n_forms = n;
    if (n > 0)
        qsort(o->to->forms, n, sizeof *o->to->forms, compare_first_words);
}

/* Adds up the places of one kind whose chains differ only in their labels. The first place is kept with the sum. */
static void
join_bad_frees(struct orderer *o, struct mp_bad_frees *frees)
{
    const struct mp_profile *to = o->to;
    uint32_t *key = mp_arena_alloc(o->arena, (to->n_contexts + (size_t)1) * sizeof *key);
    struct mp_map chains = {.arena = o->arena};

    for (uint32_t i = 0; i < frees->n; i++) {
        const struct mp_bad_free place = frees->places[i];
        const uint32_t known = chains.count;
        uint32_t length = 0, id;

        key[length++] = place.kind;
        for (uint32_t at = place.context; at != 0; at = to->contexts[at].parent)
            if (!to->frames[to->contexts[at].frame].label)
                key[length++] = to->contexts[at].frame;
        id = mp_map_add(&chains, key, length * sizeof *key);
        if (id == known)
            frees->places[id] = place;
        else
            frees->places[id].count = mp_plus(frees->places[id].count, place.count);
    }
    frees->n = chains.count;
}

static void
order_bad_frees(struct orderer *o)
{
    const struct mp_unite_tree *tree = &o->unite->tree;
    struct mp_bad_frees *to = mp_arena_alloc(o->to->arena, sizeof *to);
    uint64_t any = o->unite->bad_frees.sentinel;

    *to = o->unite->bad_frees;
    to->of = o->to;
    to->n = tree->bad_free_keys.count;
    to->places = mp_arena_alloc(o->to->arena, to->n * sizeof *to->places);
    for (unsigned kind = 0; kind < MP_BAD_FREES; kind++)
        any |= to->counts[kind];
    for (uint32_t i = 0; i < to->n; i++) {
        to->places[i] = tree->bad_frees[i];
        to->places[i].context = o->context_to[tree->bad_frees[i].context];
    }
    if (to->n > 0)
        qsort(to->places, to->n, sizeof *to->places, compare_two_words);
    join_bad_frees(o, to);
    o->to->bad_frees = any ? to : NULL;
}

/* ---------------------------------------------------------------- bins */

struct type {
    uint32_t size, rank, string;
};

/* Copies the bins and their types, which are sorted by size and, in an exact union, by name. */
static void
order_bins(struct orderer *o)
{
    const struct mp_map *types = &o->unite->types;
    const bool exact = o->unite->how == MP_UNITE_EXACT;
    struct type *list = mp_arena_alloc(o->arena, (types->count + (size_t)1) * sizeof *list);

    for (uint32_t i = 0; i < types->count; i++) {
        uint32_t string = (uint32_t)types->numbers[i];

        list[i] = (struct type){(uint32_t)(types->numbers[i] >> 32), exact ? o->ranks[string] : i, string};
    }
    if (types->count > 0)
        qsort(list, types->count, sizeof *list, compare_two_words);
    memcpy(o->to->bins, o->unite->sum.bins, sizeof o->to->bins);
    o->to->owned_blocks = o->unite->sum.owned_blocks;
    o->to->owned_bytes = o->unite->sum.owned_bytes;
    o->to->types = mp_arena_alloc(o->to->arena, types->count * sizeof *o->to->types);
    o->to->n_types = types->count;
    for (uint32_t i = 0; i < types->count; i++) {
        struct mp_bin *bin = &o->to->bins[list[i].size];

        o->to->types[i] = mp_map_key(&o->unite->strings, list[i].string);
        if (bin->n_types++ == 0)
            bin->first_type = i;
    }
}

/* ---------------------------------------------------------------- the whole */

struct mp_profile *
mp_unite_ordered(struct mp_unite *unite, const uint32_t label_to[], uint32_t n_labels, struct mp_error *error)
{
    struct orderer o = {.unite = unite, .to = mp_profile_new(), .label_to = label_to, .arena = mp_arena_new()};
    bool ok;

    rank_strings(&o);
    ok = order_kinds(&o, error);
    if (ok) {
        ORDER(&o, modules, MP_UNITE_MODULE, &o.module_to, 0);
        ORDER(&o, names, MP_UNITE_NAME, &o.name_to, 0);
        order_functions(&o, n_labels);
        order_frames(&o, n_labels);
        order_contexts(&o);
        order_cells(&o);
        order_forms(&o);
        order_bad_frees(&o);
        order_bins(&o);
        o.to->lifetimes = unite->sum.lifetimes;
        o.to->symbolised = true;
    }
    mp_arena_free(o.arena);
    if (ok)
        return o.to;
    mp_profile_free(o.to);
    return NULL;
}
