/* SPDX-License-Identifier: MIT */
/*
 * The tree is built in one pass over the contexts of the view, callers first. A context becomes a path of nodes
 * below the node of its caller, one for each function of its frame. Nodes are identified by their parent and a
 * step, a number for the call as the options distinguish it.
 */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/child_index.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/view/startup_frames.h"

struct maker {
    const struct mp_profile *view;
    const struct mp_tree_options *options;
    struct mp_tree *tree;
    const bool *hidden;         /* by context, see mp_startup_contexts(); NULL if none is hidden */
    bool *counted;              /* by context: whether it has nodes */
    uint32_t *node_of;          /* by context: the node of its innermost function */
    struct known_step {
        uint32_t frame;         /* frame id + 1, or 0 if none yet */
        uint32_t step;
    } *known;                   /* by location: its step in the frame that asked last */
    struct mp_map files;        /* file names of calls */
    struct mp_map steps;        /* distinguished calls, if not by function alone */
    struct mp_child_index children;     /* the nodes by parent and step */
    struct mp_arena *arena;     /* scratch */
};

/* ---------------------------------------------------------------- nodes */

static bool
is_hidden(const struct maker *m, uint32_t context)
{
    return m->hidden && m->hidden[context];
}

/* Finds the contexts that get nodes. A hidden context gets some only if it allocates itself, and then they have
 * no callers. */
static void
find_counted(struct maker *m)
{
    const struct mp_profile *view = m->view;

    m->counted = mp_arena_alloc(m->arena, view->n_contexts * sizeof *m->counted);
    for (uint32_t i = 0; i < view->n_cells; i++)
        m->counted[view->cells[i].context] = true;
    for (uint32_t i = view->n_contexts; i-- > 1;)
        if (!is_hidden(m, view->contexts[i].parent))
            m->counted[view->contexts[i].parent] |= m->counted[i];
}

static void
make_room(struct maker *m)
{
    const struct mp_profile *view = m->view;
    uint64_t most = 2;          /* the root, and one after the last node */

    for (uint32_t i = 1; i < view->n_contexts; i++)
        if (m->counted[i])
            most += mp_frame_locations(&view->frames[view->contexts[i].frame]);
    if (most >= MP_NO_ID)
        mp_no_memory();
    m->tree->nodes = mp_arena_alloc(m->tree->arena, most * sizeof *m->tree->nodes);
    m->children = mp_child_index_new(most, m->arena);
    m->tree->nodes[0] = (struct mp_tree_node){.frame = MP_NO_ID, .location = MP_NO_ID};
    m->tree->n_nodes = 1;
}

/* Returns a number for the call at LOCATION of FRAME, as the options distinguish it. The offset distinguishes
 * call sites only of the function that contains the address. Inlined functions have no offset. */
static uint32_t
number_step(struct maker *m, const struct mp_frame *frame, uint32_t location)
{
    const struct mp_location *at = &m->view->locations[location];
    bool last = location + 1 == frame->first_location + frame->n_locations;
    uint64_t key[] = {at->function, 0, 0, 0}, start = m->view->functions[at->function].start;

    if (m->options->lines) {
        const char *file = m->options->paths ? at->file : mp_text_basename(at->file);

        key[1] = at->line;
        key[2] = mp_map_add(&m->files, file, strlen(file));
    }
    if (m->options->offsets && last && start != 0)
        key[3] = frame->offset - start;
    return mp_map_add(&m->steps, key, sizeof key);
}

/* Returns the step of the call at LOCATION of FRAME. */
static uint32_t
step_of(struct maker *m, uint32_t frame, uint32_t location)
{
    const struct mp_frame *at = &m->view->frames[frame];

    if (at->mark != 0 && m->options->one_cut)
        return MP_NO_ID;
    if (!m->known)
        return m->view->locations[location].function;
    if (m->known[location].frame != frame + 1)
        m->known[location] = (struct known_step){frame + 1, number_step(m, at, location)};
    return m->known[location].step;
}

/* Returns the node of LOCATION of FRAME called by PARENT, creating it if it is new. */
static uint32_t
node_at(struct maker *m, uint32_t parent, uint32_t frame, uint32_t location)
{
    struct mp_tree *tree = m->tree;
    const uint32_t step = step_of(m, frame, location);
    uint32_t id = tree->n_nodes;

    if (step == MP_NO_ID)       /* even if a damaged file has a mark inside a chain */
        parent = 0;
    if (!m->options->calls)
        id = mp_child_index_find(&m->children, parent, step, id);
    if (id == tree->n_nodes)
        tree->nodes[tree->n_nodes++] =
            (struct mp_tree_node){.parent = parent, .frame = frame, .location = location, .step = step};
    else if (m->view->frames[tree->nodes[id].frame].tail && !m->view->frames[frame].tail) {
        tree->nodes[id].frame = frame;  /* only some of its calls were tail calls */
        tree->nodes[id].location = location;
    }
    return id;
}

/* Creates the nodes. Functions called by a hidden one begin a chain. */
static void
make_nodes(struct maker *m)
{
    const struct mp_profile *view = m->view;

    m->node_of = mp_arena_alloc(m->arena, view->n_contexts * sizeof *m->node_of);
    for (uint32_t i = 1; i < view->n_contexts; i++) {
        const struct mp_context *context = &view->contexts[i];
        const struct mp_frame *frame = &view->frames[context->frame];
        uint32_t node = is_hidden(m, context->parent) ? 0 : m->node_of[context->parent];

        if (!m->counted[i])
            continue;
        for (uint32_t j = mp_frame_locations(frame); j-- > 0;)
            node = node_at(m, node, context->frame, frame->first_location + j);
        m->node_of[i] = node;
    }
}

/* ---------------------------------------------------------------- cells */

static int
compare_kinds(const void *a, const void *b, void *data)
{
    const struct mp_cell *cells = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return cells[x].kind != cells[y].kind ? mp_order(cells[x].kind, cells[y].kind) : mp_order(x, y);
}

/* Assigns cells to nodes by a counting sort. The cells of one context are already sorted by kind. */
static void
give_cells(struct maker *m)
{
    const struct mp_profile *view = m->view;
    struct mp_tree *tree = m->tree;
    struct mp_tree_node *nodes = tree->nodes;

    tree->n_cells = view->n_cells;
    tree->cells = mp_arena_alloc(tree->arena, tree->n_cells * sizeof *tree->cells);
    for (uint32_t i = 0; i < view->n_cells; i++)
        nodes[m->node_of[view->cells[i].context]].first_cell++;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        nodes[i + 1].first_cell += nodes[i].first_cell;
    for (uint32_t i = view->n_cells; i-- > 0;)
        tree->cells[--nodes[m->node_of[view->cells[i].context]].first_cell] = i;
    for (uint32_t i = 0; i < tree->n_nodes && !m->options->calls; i++)
        if (mp_tree_cells(tree, i) > 1)
            qsort_r(tree->cells + nodes[i].first_cell, mp_tree_cells(tree, i),
                    sizeof *tree->cells, compare_kinds, view->cells);
}

/* ---------------------------------------------------------------- the whole */

struct mp_tree *
mp_tree_build(const struct mp_profile *view, const struct mp_tree_options *options)
{
    struct mp_arena *arena = mp_arena_new(), *scratch = mp_arena_new();
    struct mp_tree *tree = mp_arena_alloc(arena, sizeof *tree);
    struct maker m = {.view = view, .options = options, .tree = tree, .arena = scratch,
                      .files.arena = scratch, .steps.arena = scratch};

    tree->arena = arena;
    tree->profile = view;
    tree->options = *options;
    if (!options->all_frames)
        m.hidden = mp_startup_contexts(view, scratch);
    if (options->lines || options->offsets)
        m.known = mp_arena_alloc(scratch, view->n_locations * sizeof *m.known);
    find_counted(&m);
    make_room(&m);
    make_nodes(&m);
    give_cells(&m);
    mp_arena_free(scratch);
    return tree;
}

struct mp_tree *
mp_tree_new(const struct mp_profile *profile, const struct mp_view_options *view,
            const struct mp_tree_options *options, struct mp_error *error)
{
    struct mp_profile *owned = mp_view(profile, view, error);
    struct mp_tree *tree = owned ? mp_tree_build(owned, options) : NULL;

    if (tree)
        tree->owned = owned;
    return tree;
}

bool
mp_tree_suits(const struct mp_tree *tree, const struct mp_profile *view, const struct mp_tree_options *options)
{
    return tree && tree->profile == view && memcmp(&tree->options, options, sizeof *options) == 0;
}

void
mp_tree_free(struct mp_tree *tree)
{
    if (!tree)
        return;
    mp_profile_free(tree->owned);
    mp_arena_free(tree->arena);
}

/* ---------------------------------------------------------------- figures */

static void
add_self(const struct mp_tree *tree, uint32_t node, struct mp_counts *counts)
{
    const uint32_t *cells = tree->cells + tree->nodes[node].first_cell;

    for (uint32_t i = 0; i < mp_tree_cells(tree, node); i++)
        mp_counts_add_cell(counts, &tree->profile->cells[cells[i]]);
}

const struct mp_name *
mp_tree_name(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_profile *profile = tree->profile;
    uint32_t lisp;

    if (mp_tree_ends(tree, node))
        return NULL;
    lisp = profile->functions[mp_tree_function(tree, node)].lisp;
    if (lisp > 0)
        return &profile->names[lisp - 1];
    return mp_tree_is_inlined(tree, node) ? NULL : mp_frame_name(profile, &profile->frames[tree->nodes[node].frame]);
}

struct mp_counts
mp_tree_self(const struct mp_tree *tree, uint32_t node)
{
    struct mp_counts counts = {0};

    add_self(tree, node, &counts);
    return counts;
}

struct mp_counts *
mp_tree_inclusive(const struct mp_tree *tree, struct mp_arena *arena)
{
    struct mp_counts *counts = mp_arena_alloc(arena, tree->n_nodes * sizeof *counts);

    for (uint32_t i = tree->n_nodes; i-- > 0;) {
        add_self(tree, i, &counts[i]);
        if (i > 0)
            mp_counts_add(&counts[tree->nodes[i].parent], &counts[i]);
    }
    return counts;
}

/* Uses a counting sort by parent. */
struct mp_tree_children
mp_tree_children(const struct mp_tree *tree, struct mp_arena *arena)
{
    struct mp_tree_children children = {
        .first = mp_arena_alloc(arena, (tree->n_nodes + (size_t)2) * sizeof *children.first),
        .list = mp_arena_alloc(arena, tree->n_nodes * sizeof *children.list)};
    uint32_t *first = children.first;

    for (uint32_t i = 1; i < tree->n_nodes; i++)
        first[tree->nodes[i].parent + 2]++;
    for (uint32_t i = 0; i < tree->n_nodes; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 1; i < tree->n_nodes; i++)
        children.list[first[tree->nodes[i].parent + 1]++] = i;
    return children;
}

bool
mp_tree_next(const struct mp_tree *tree, struct mp_tree_part *part)
{
    const uint32_t *ids = tree->cells + tree->nodes[part->node].first_cell;
    const struct mp_cell *cells = tree->profile->cells;
    uint32_t n = mp_tree_cells(tree, part->node);

    if (part->next == n)
        return false;
    part->first = part->next;
    part->kind = cells[ids[part->next]].kind;
    part->counts = (struct mp_counts){0};
    for (; part->next < n && cells[ids[part->next]].kind == part->kind; part->next++)
        mp_counts_add_cell(&part->counts, &cells[ids[part->next]]);
    return true;
}

/* Sums the lifetimes of cells FIRST to END - 1 of NODE. Returns whether they are known. */
static bool
add_lifetimes(const struct mp_tree *tree, uint32_t node, uint32_t first, uint32_t end, struct mp_lifetimes *sum)
{
    const uint32_t *ids = tree->cells + tree->nodes[node].first_cell;
    bool known = false;

    *sum = (struct mp_lifetimes){{0}, {0}};
    for (uint32_t i = first; i < end; i++) {
        const struct mp_cell *cell = &tree->profile->cells[ids[i]];

        mp_lifetimes_add(&sum, mp_cell_lifetimes(cell), NULL);
        known |= !mp_is_lisp(cell);
    }
    return known && tree->profile->lifetimes;
}

bool
mp_tree_lifetimes(const struct mp_tree *tree, const struct mp_tree_part *part, struct mp_lifetimes *sum)
{
    return add_lifetimes(tree, part->node, part->first, part->next, sum);
}

bool
mp_tree_self_lifetimes(const struct mp_tree *tree, uint32_t node, struct mp_lifetimes *sum)
{
    return add_lifetimes(tree, node, 0, mp_tree_cells(tree, node), sum);
}
