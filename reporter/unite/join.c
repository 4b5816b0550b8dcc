/* SPDX-License-Identifier: MIT */
#include "join.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/short_names.h"
#include "reporter/base/text.h"
#include "reporter/graph/charge.h"
#include "reporter/graph/tree.h"
#include "reporter/profile/lifetimes.h"
#include "unite.h"

struct mp_join *
mp_join_new(const struct mp_join_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_join *join = mp_arena_alloc(arena, sizeof *join);

    join->options = *options;
    join->arena = arena;
    join->unite = mp_arena_alloc(arena, sizeof *join->unite);
    mp_unite_init(join->unite, MP_UNITE_TOLERANT, arena);
    return join;
}

void
mp_join_free(struct mp_join *join)
{
    if (!join)
        return;
    mp_profile_free(join->profile);
    mp_unite_free(join->unite);
    mp_arena_free(join->arena);
}

/* ---------------------------------------------------------------- one run */

/* Copies the figures of block sizes to RUN. */
static void
keep_bins(struct mp_join *join, struct mp_join_run *run, struct mp_profile *view)
{
    const unsigned n = join->options.by_cells ? MP_CELL_BINS : MP_BINS;

    if (join->options.by_cells)
        mp_bins_of_cells(view);
    run->bins = mp_arena_alloc(join->arena, MP_CELL_BINS * sizeof *run->bins);
    for (unsigned i = 0; i < n; i++)
        run->bins[i] = mp_bin_counts(view, i);
}

static void
keep_modules(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
             const struct mp_profile *view)
{
    struct mp_arena *scratch = mp_arena_new();
    const struct mp_charge_options wanted = {.raw = join->options.raw};
    const struct mp_charges charges = mp_charge(view, &wanted, scratch);
    struct mp_map known = {.arena = scratch};
    struct mp_join_module *modules = mp_arena_alloc(join->arena, charges.n * sizeof *modules);

    for (uint32_t i = 0; i < charges.n; i++) {
        uint32_t module = mp_unite_module(join->unite, profile, view->functions[charges.list[i].function].module);
        uint32_t place = mp_map_add_u64(&known, module);

        modules[place].module = module;
        mp_counts_add(&modules[place].counts, &charges.list[i].counts);
    }
    run->modules = modules;
    run->n_modules = known.count;
    run->nameless = mp_arena_alloc(join->arena, profile->n_modules * sizeof *run->nameless);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].problem[0])
            run->nameless[run->n_nameless++] = mp_unite_module(join->unite, profile, i);
    mp_arena_free(scratch);
}

static void
keep_meta(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
          const struct mp_profile *view)
{
    struct mp_arena *arena = join->arena;
    struct mp_meta *meta = &run->meta;
    struct mp_totals totals;

    *meta = profile->meta;
    meta->program = mp_arena_strdup(arena, meta->program);
    meta->monitor = mp_arena_strdup(arena, meta->monitor);
    meta->language = mp_arena_strdup(arena, meta->language);
    meta->source = meta->source ? mp_arena_strdup(arena, meta->source) : NULL;
    meta->arguments = mp_arena_alloc(arena, meta->n_arguments * sizeof *meta->arguments);
    for (uint32_t i = 0; i < meta->n_arguments; i++)
        meta->arguments[i] = mp_arena_strdup(arena, profile->meta.arguments[i]);
    if (view->window) {
        run->part = true;
        run->alive = view->window->alive;
        run->exact = view->window->exact;
        run->from = mp_arena_strdup(arena, view->window->from);
        run->to = mp_arena_strdup(arena, view->window->to);
    }
    mp_profile_totals(view, &totals);
    run->total = totals.all;
    run->allocs = join->options.by_cells ? totals.all.allocs : totals.allocs;
    run->bytes = join->options.by_cells ? totals.all.bytes : totals.bytes;
    run->unseen = profile->unseen;
    run->cut = totals.cut_allocs;
    run->lifetimes = view->lifetimes;
}

/* Adds the frame of NODE to TO, with one location. It has no line and no address, which are not compared. */
static void
add_frame(struct mp_profile *to, const struct mp_tree *tree, uint32_t node)
{
    const struct mp_frame *from = &tree->profile->frames[tree->nodes[node].frame];
    const struct mp_function *function = &to->functions[mp_tree_function(tree, node)];
    const bool thread = mp_frame_is_thread(from);

    to->frames[to->n_frames++] = (struct mp_frame){
        .module = function->module, .mark = from->mark, .exact = thread,
        .interpreted = thread || (from->interpreted && !from->exact),
        .name = function->lisp > 0 ? function->lisp - 1 : MP_NO_ID, .first_location = to->n_locations,
        .n_locations = 1};
    to->locations[to->n_locations++] = (struct mp_location){
        .function = mp_tree_function(tree, node), .file = "", .inlined = mp_tree_is_inlined(tree, node)};
}

/* Returns a profile whose contexts are the nodes of TREE, the tree of a view of PROFILE. Its functions have their whole
 * names. It contains only what is compared. */
static struct mp_profile *
flatten(const struct mp_tree *tree, const struct mp_profile *profile)
{
    const struct mp_profile *view = tree->profile;
    struct mp_profile *to = mp_profile_new();
    struct mp_arena *arena = to->arena;
    uint32_t *frame_of = mp_arena_alloc(arena, view->n_locations * sizeof *frame_of);   /* by location, from 1 */

    mp_profile_share(to, view);
    to->functions = mp_arena_alloc(arena, view->n_functions * sizeof *to->functions);
    memcpy(to->functions, view->functions, view->n_functions * sizeof *to->functions);
    memcpy(to->functions, profile->functions, profile->n_functions * sizeof *to->functions);
    for (uint32_t i = profile->n_functions; i < view->n_functions; i++) {
        const struct mp_name *name = &view->names[to->functions[i].lisp - 1];

        if (to->functions[i].lisp > 0 && !mp_lisp_is_nameless(name->name)) {
            to->functions[i].plain = name->name;
            to->functions[i].file = name->file[0] ? name->file : NULL;
        }
    }
    to->frames = mp_arena_alloc(arena, view->n_locations * sizeof *to->frames);
    to->locations = mp_arena_alloc(arena, view->n_locations * sizeof *to->locations);
    to->contexts = mp_arena_alloc(arena, tree->n_nodes * sizeof *to->contexts);
    to->cells = mp_arena_alloc(arena, tree->n_cells * sizeof *to->cells);
    to->n_contexts = tree->n_nodes;
    to->n_frames = to->n_locations = to->n_cells = to->n_forms = 0;
    to->bad_frees = NULL;
    to->mappings = NULL;
    to->account = NULL;
    to->lifetimes = false;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        if (i > 0) {
            uint32_t *frame = &frame_of[tree->nodes[i].location];

            if (*frame == 0) {
                add_frame(to, tree, i);
                *frame = to->n_frames;
            }
            to->contexts[i] = (struct mp_context){.parent = tree->nodes[i].parent, .frame = *frame - 1};
        }
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++) {
            to->cells[to->n_cells] = view->cells[tree->cells[j]];
            to->cells[to->n_cells++].context = i;
        }
    }
    return to;
}

void
mp_join_add(struct mp_join *join, const struct mp_profile *profile, struct mp_profile *view,
            enum mp_side side, const char *label)
{
    static const struct mp_unite_labels none = {.root = MP_NO_ID};
    const struct mp_tree_options wanted = {.all_frames = join->options.all_frames, .one_cut = true};
    struct mp_tree *tree = mp_tree_build(view, &wanted);
    struct mp_profile *flat = flatten(tree, profile);
    struct mp_join_run *run;
    uint32_t n = join->n_runs;

    join->runs = mp_arena_grow(join->arena, join->runs, n, &join->room, sizeof *join->runs);
    run = &join->runs[join->n_runs++];
    *run = (struct mp_join_run){.side = side, .label = mp_text_clean(join->arena, label, strlen(label))};
    join->n_of[side]++;
    keep_meta(join, run, profile, view);
    keep_modules(join, run, profile, view);
    keep_bins(join, run, view);
    for (uint32_t i = 0; i < view->n_cells; i++) {
        const struct mp_cell *cell = &view->cells[i];
        const struct mp_counts counts = mp_cell_counts(cell);
        const uint64_t of_blocks = mp_lifetimes_short(mp_cell_lifetimes(cell)).bytes;

        run->short_bytes = mp_plus(run->short_bytes, mp_join_short(cell->kind, &counts, of_blocks));
    }
    mp_unite_add(join->unite, flat, &none, MP_UNITE_TAG(n));
    mp_profile_free(flat);
    mp_tree_free(tree);
}

/* ---------------------------------------------------------------- all runs */

/* Shortens the names of C functions. Lisp names stay unchanged. */
static void
shorten_names(struct mp_profile *to)
{
    const char **names = mp_arena_alloc(to->arena, to->n_functions * sizeof *names);

    for (uint32_t i = 0; i < to->n_functions; i++)
        names[i] = to->frames[i].name == MP_NO_ID ? to->functions[i].text : "";
    names = mp_short_names(names, to->n_functions, to->arena);
    for (uint32_t i = 0; i < to->n_functions; i++)
        if (to->frames[i].name == MP_NO_ID)
            to->functions[i]  .text = names[i];
}

bool
mp_join_finish(struct mp_join *join, struct mp_error *error)
{
    enum mp_side *sides = mp_arena_alloc(join->arena, join->n_runs * sizeof *sides);

    for (uint32_t i = 0; i < join->n_runs; i++)
        sides[i] = join->runs[i].side;
    mp_unite_match(join->unite, sides);
    join->profile = mp_unite_ordered(join->unite, NULL, 0, error);
    if (!join->profile)
        return false;
    join->profile->bad_frees = NULL;
    if (join->options.short_names)
        shorten_names(join->profile);
    join->profile->meta = mp_join_first(join, MP_AFTER)->meta;
    return true;
}
