/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/view/wrappers.h"

bool
mp_places_blocks(const struct mp_places *places, uint32_t node, const struct mp_cell *cell)
{
    (void)places;
    (void)node;
    return !mp_is_lisp(cell);
}

bool
mp_places_objects(const struct mp_places *places, uint32_t node, const struct mp_cell *cell)
{
    return !mp_places_blocks(places, node, cell);
}

bool
mp_places_is_users(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_frame *frame = &tree->profile->frames[tree->nodes[node].frame];
    const struct mp_name *name = mp_tree_name(tree, node);

    if (frame->mark != 0)
        return false;
    if (name)
        return mp_name_is_programs(name);
    return frame->interpreted || !frame->runtime;
}

uint32_t
mp_places_user(const struct mp_tree *tree, uint32_t node)
{
    uint32_t user = node;

    while (user != 0 && !mp_places_is_users(tree, user))
        user = tree->nodes[user].parent;
    return user != 0 ? user : node;
}

/* ---------------------------------------------------------------- sums */

struct mp_basic_counts
mp_places_basic(const struct mp_places *places, uint32_t node)
{
    const struct mp_tree *tree = places->tree;
    struct mp_basic_counts sum = {0};

    for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
        const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

        if (places->takes(places, node, cell))
            mp_counts_add_basic(&sum, &cell->counts);
    }
    return sum;
}

struct mp_counts
mp_places_counts(const struct mp_places *places, uint32_t node)
{
    const struct mp_tree *tree = places->tree;
    struct mp_counts sum = {.basic = mp_places_basic(places, node)};

    for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
        const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

        if (cell->rest && places->takes(places, node, cell))
            mp_counts_add_further(&sum.further, &cell->rest->counts);
    }
    return sum;
}

/* Adds the counted cells of NODE, whose sum has BASIC, to SUM. */
static void
add_counts(const struct mp_places *places, uint32_t node, const struct mp_basic_counts *basic, struct mp_counts *sum)
{
    const struct mp_tree *tree = places->tree;
    const struct mp_cell *cell = &tree->profile->cells[tree->cells[tree->nodes[node].first_cell]];
    struct mp_counts counts;

    mp_counts_add_basic(&sum->basic, basic);
    if (mp_tree_cells(tree, node) > 1) {
        counts = mp_places_counts(places, node);
        mp_counts_add_further(&sum->further, &counts.further);
    } else if (cell->rest && places->takes(places, node, cell)) {
        mp_counts_add_further(&sum->further, &cell->rest->counts);
    }
}

static void
add_sizes(const struct mp_places *places, struct mp_candidate_place *place, uint32_t node)
{
    const struct mp_tree *tree = places->tree;

    for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
        const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

        if (!places->takes(places, node, cell) || cell->size_min > cell->size_max)
            continue;
        if (cell->size_min < place->size_min)
            place->size_min = cell->size_min;
        if (cell->size_max > place->size_max)
            place->size_max = cell->size_max;
    }
}

/* Adds NODE to the place with KEY. *ROOM is the capacity of the list of places. */
static void
add_node(struct mp_places *places, uint32_t *room, struct mp_map *keys, uint32_t node, uint64_t key,
         const struct mp_basic_counts *counts)
{
    uint32_t id = mp_map_add_u64(keys, key);
    struct mp_candidate_place *place;

    if (id == places->n) {
        places->list = mp_arena_grow(keys->arena, places->list, places->n, room, sizeof *places->list);
        places->list[places->n++] = (struct mp_candidate_place){.first = MP_NO_ID, .size_min = UINT32_MAX};
    }
    place = &places->list[id];
    places->of_node[node] = id;
    places->next[node] = place->first;
    place->first = node;
    place->n_nodes++;
    add_counts(places, node, counts, &place->counts);
    add_sizes(places, place, node);
}

/* Returns the node that the blocks of NODE belong to: its function, or the nearest caller that does not belong to the
 * library of C or C++. LIBRARY has, by function, whether it belongs to that library. */
static uint32_t
outside_library(const struct mp_tree *tree, const bool *library, uint32_t node)
{
    uint32_t at = node;

    while (!mp_tree_ends(tree, at) && library[mp_tree_function(tree, at)])
        at = tree->nodes[at].parent;
    return mp_tree_ends(tree, at) ? node : at;
}

void
mp_places_sum(struct mp_places *places, const uint64_t *keys, struct mp_arena *arena)
{
    const size_t n = places->tree->n_nodes;
    struct mp_map known = {.arena = arena};
    uint32_t room = 0;

    places->of_node = mp_arena_alloc(arena, n * sizeof *places->of_node);
    places->next = mp_arena_alloc(arena, n * sizeof *places->next);
    for (uint32_t node = 0; node < n; node++) {
        struct mp_basic_counts counts;

        places->of_node[node] = MP_NO_ID;
        if (mp_tree_cells(places->tree, node) == 0)
            continue;
        counts = mp_places_basic(places, node);
        add_counts(places, node, &counts, &places->all);
        if (!mp_tree_ends(places->tree, node) && (mp_basic_any(&counts) || counts.frees > 0))
            add_node(places, &room, &known, node, keys[places->tree->nodes[node].first_cell], &counts);
    }
    places->told = mp_arena_alloc(arena, places->n * sizeof *places->told);
}

struct mp_places
mp_places_new(const struct mp_tree *tree, mp_places_takes *takes, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->profile;
    const bool blocks = takes == mp_places_blocks;
    bool *library = mp_arena_alloc(arena, view->n_functions * sizeof *library);
    uint32_t *owner;
    uint64_t *keys;
    struct mp_places places = {.tree = tree, .takes = takes};

    if (!blocks && !mp_profile_has_objects(view))
        return places;
    places.owner = owner = mp_arena_alloc(arena, tree->n_nodes * sizeof *owner);
    keys = mp_arena_alloc(arena, tree->n_cells * sizeof *keys);
    for (uint32_t i = 0; blocks && i < view->n_functions; i++)
        library[i] = mp_wrappers_is_library(view, &view->functions[i]);
    for (uint32_t node = 0; node < tree->n_nodes; node++) {
        if (mp_tree_cells(tree, node) == 0)
            continue;
        owner[node] = blocks ? outside_library(tree, library, node) : mp_places_user(tree, node);
        keys[tree->nodes[node].first_cell] = mp_tree_ends(tree, owner[node]) ? 0
                                             : blocks ? mp_tree_function(tree, owner[node])
                                                      : tree->nodes[owner[node]].step;
    }
    mp_places_sum(&places, keys, arena);
    mp_arena_drop(keys, tree->n_cells * sizeof *keys);
    return places;
}

uint64_t
mp_place_freed_later(const struct mp_candidate_place *place)
{
    const uint64_t held = mp_counts_key(&place->counts, MP_SORT_PEAK);

    return held > place->counts.kept ? held - place->counts.kept : 0;
}

const struct mp_candidate_place *
mp_places_most_freed_later(const struct mp_places *places, uint64_t *all)
{
    const struct mp_candidate_place *most = NULL;

    *all = 0;
    for (uint32_t i = 0; i < places->n; i++) {
        const struct mp_candidate_place *place = &places->list[i];

        *all = mp_plus(*all, mp_place_freed_later(place));
        if (!most || mp_place_freed_later(place) > mp_place_freed_later(most))
            most = place;
    }
    return most;
}

/* ---------------------------------------------------------------- ways */

/* A node of the place, the ancestor reached so far, and the node's weight. */
struct end {
    uint32_t node, at;
    uint64_t weight;
};

/* Returns the key that distinguishes calls. All chains that have reached their outermost frame share one key. */
static uint32_t
step_at(const struct mp_tree *tree, const struct end *end)
{
    return mp_tree_ends(tree, end->at) ? MP_NO_ID : tree->nodes[end->at].step;
}

/* Moves all N ENDS outwards by one call. Then keeps only those that have reached the heaviest call, of equally heavy
 * ones that with the smallest step, and returns their number. Sets *CALLS to the number of different calls and *WEIGHT
 * to the weight of the heaviest one. */
static uint32_t
step_out(const struct mp_tree *tree, struct end *ends, uint32_t n, uint32_t *calls, uint64_t *weight)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_map steps = {.arena = arena};
    uint64_t *weights = NULL;
    uint32_t room = 0, step = 0, best = 0, kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        ends[i].at = tree->nodes[ends[i].at].parent;
        weights = mp_arena_grow(arena, weights, steps.count, &room, sizeof *weights);
        if (i == 0 || step_at(tree, &ends[i]) != steps.numbers[step])
            step = mp_map_add_u64(&steps, step_at(tree, &ends[i]));
        weights[step] = mp_plus(weights[step], ends[i].weight);
    }
    for (uint32_t i = 1; i < steps.count; i++)
        if (weights[i] > weights[best] || (weights[i] == weights[best] && steps.numbers[i] < steps.numbers[best]))
            best = i;
    *calls = steps.count;
    *weight = weights[best];
    for (uint32_t i = 0; i < n; i++)
        if (step_at(tree, &ends[i]) == steps.numbers[best])
            ends[kept++] = ends[i];
    mp_arena_free(arena);
    return kept;
}

static uint32_t
heaviest(const struct end *ends, uint32_t n)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < n; i++)
        if (ends[i].weight > ends[best].weight)
            best = i;
    return ends[best].node;
}

/* Follows the N > 0 ENDS outwards as long as three quarters of WAY's figure go through the same call. */
static void
follow(const struct mp_tree *tree, struct end *ends, uint32_t n, struct mp_way *way)
{
    uint32_t calls;
    uint64_t weight;

    while (way->calls < MP_WAY_MOST) {
        way->node = heaviest(ends, n);
        n = step_out(tree, ends, n, &calls, &weight);
        way->callers = calls == 1 && ends[0].at == 0 ? 0 : calls;
        if ((long double)weight * 4 < (long double)way->all * 3 || mp_tree_ends(tree, ends[0].at))
            return;
        way->part = weight;
        way->calls++;
    }
    way->node = heaviest(ends, n);
}

struct mp_way
mp_places_way(const struct mp_places *places, const struct mp_candidate_place *place, enum mp_sort sort)
{
    struct end *ends = mp_need(calloc(place->n_nodes, sizeof *ends));
    struct mp_way way = {.node = place->first, .calls = 1};
    uint32_t n = 0;

    for (uint32_t node = place->first; node != MP_NO_ID; node = places->next[node]) {
        const struct mp_basic_counts counts = mp_places_basic(places, node);
        uint64_t weight = sort == MP_SORT_KEPT && (int64_t)counts.kept < 0 ? 0 : mp_basic_key(&counts, sort);

        if (weight > 0)
            ends[n++] = (struct end){node, places->owner[node], weight};
        way.all = mp_plus(way.all, weight);
    }
    way.part = way.all;
    if (n > 0)
        follow(places->tree, ends, n, &way);
    way.user = places->owner[way.node];
    free(ends);
    return way;
}
