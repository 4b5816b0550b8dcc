/* SPDX-License-Identifier: MIT */
#include "unite.h"

#include <stdlib.h>

#include "reporter/profile/cells.h"

void
mp_unite_tree_init(struct mp_unite_tree *tree, uint32_t by_size)
{
    struct mp_arena *arena = mp_arena_new();

    *tree = (struct mp_unite_tree){
        .arena = arena, .context_keys.arena = arena, .cell_keys.arena = arena,
        .form_keys.arena = arena, .bad_free_keys.arena = arena, .by_size = by_size};
    mp_unite_context(tree, 0, MP_NO_ID);
}

void
mp_unite_tree_free(struct mp_unite_tree *tree)
{
    free(tree->contexts);
    free(tree->cells);
    mp_arena_free(tree->arena);
}

uint32_t
mp_unite_context(struct mp_unite_tree *tree, uint32_t parent, uint32_t frame)
{
    uint32_t id = tree->last_context + 1;

    if (id < tree->n_contexts && tree->contexts[id].parent == parent && tree->contexts[id].frame == frame) {
        tree->last_context = id;
        return id;
    }
    id = tree->last_context = mp_map_add_u64(&tree->context_keys, (uint64_t)parent << 32 | frame);
    if (id == tree->n_contexts) {
        tree->contexts = mp_grow(tree->contexts, id, &tree->contexts_room, sizeof *tree->contexts);
        tree->contexts[tree->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
    }
    return id;
}

struct sought {
    const struct mp_unite_tree *tree;
    const struct mp_cell *cell;
};

static bool
same_cell(const void *data, uint32_t id)
{
    const struct sought *sought = data;
    const struct mp_cell *a = &sought->tree->cells[id], *b = sought->cell;

    return a->context == b->context && a->kind == b->kind &&
           (a->kind >= sought->tree->by_size || a->size_min == b->size_min);
}

/* Extends the range of sizes in TO so that it includes the sizes in FROM. Sizes are unknown if size_min
 * exceeds size_max. */
static void
add_sizes(struct mp_cell *to, const struct mp_cell *from)
{
    bool known = to->size_min <= to->size_max;

    if (from->size_min > from->size_max)
        return;
    if (!known || from->size_min < to->size_min)
        to->size_min = from->size_min;
    if (!known || from->size_max > to->size_max)
        to->size_max = from->size_max;
}

void
mp_unite_add_cell(struct mp_unite_tree *tree, const struct mp_cell *cell)
{
    const struct sought sought = {tree, cell};
    const uint64_t size = cell->kind < tree->by_size ? cell->size_min : 0;
    const uint64_t hash = ((uint64_t)cell->context << 32 | cell->kind) ^ size << 20;
    uint32_t id = tree->last_cell + 1;

    if (id >= tree->n_cells || !same_cell(&sought, id))
        id = mp_map_add_hashed(&tree->cell_keys, hash, same_cell, &sought);
    tree->last_cell = id;
    if (id == tree->n_cells) {
        tree->cells = mp_grow(tree->cells, id, &tree->cells_room, sizeof *tree->cells);
        tree->cells[tree->n_cells++] = *cell;
        if (cell->rest)
            mp_cell_own_rest(&tree->cells[id], tree->arena);
    } else {
        mp_cell_add_counts(&tree->cells[id], cell, tree->arena);
        add_sizes(&tree->cells[id], cell);
    }
}

void
mp_unite_add_bad_free(struct mp_unite_tree *tree, const struct mp_bad_free *place)
{
    uint32_t known = tree->bad_free_keys.count;
    uint32_t id = mp_map_add_u64(&tree->bad_free_keys, (uint64_t)place->kind << 32 | place->context);

    if (id == known) {
        tree->bad_frees = mp_arena_grow(tree->arena, tree->bad_frees, id, &tree->bad_frees_room,
                                        sizeof *tree->bad_frees);
        tree->bad_frees[id] = *place;
    } else {
        tree->bad_frees[id].count = mp_plus(tree->bad_frees[id].count, place->count);
    }
}

void
mp_unite_replace_frames(struct mp_unite_tree *tree, const uint32_t frames[])
{
    struct mp_unite_tree old = *tree;
    uint32_t *to = mp_need(malloc(old.n_contexts * sizeof *to));

    mp_unite_tree_init(tree, old.by_size);
    to[0] = 0;
    for (uint32_t i = 1; i < old.n_contexts; i++) {
        uint32_t parent = to[old.contexts[i].parent];

        to[i] = frames[i] == MP_NO_ID ? parent : mp_unite_context(tree, parent, frames[i]);
    }
    for (uint32_t i = 0; i < old.n_cells; i++) {
        old.cells[i].context = to[old.cells[i].context];
        mp_unite_add_cell(tree, &old.cells[i]);
    }
    for (uint32_t i = 0; i < old.form_keys.count; i++)
        mp_map_add_u64(&tree->form_keys, to[old.form_keys.numbers[i]]);
    for (uint32_t i = 0; i < old.bad_free_keys.count; i++) {
        old.bad_frees[i].context = to[old.bad_frees[i].context];
        mp_unite_add_bad_free(tree, &old.bad_frees[i]);
    }
    mp_unite_tree_free(&old);
    free(to);
}
