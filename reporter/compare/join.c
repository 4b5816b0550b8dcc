#include "join.h"

#include <stdlib.h>
#include <string.h>

#include "join_functions.h"
#include "join_parts.h"
#include "reporter/base/short_names.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/charge.h"
#include "reporter/profile/lifetimes.h"
#include "reporter/profile/tree.h"

/* The tree and cells of a run, kept until the functions of all runs are known. */
struct pending {
    struct mp_join_nodes nodes;
    struct mp_cell *cells;      /* contexts are node ids; kinds are kinds of the joined profile */
    uint32_t n_cells;
};

struct mp_joiner {
    struct mp_noted functions;
    struct pending *pending;    /* by run */
    uint32_t room;
    struct mp_map kinds;        /* names of kinds, in the order of the joined profile */
    struct mp_map types;        /* keys made of the size and name of a type */
    uint32_t kinds_room;
    struct mp_arena *arena;     /* owns all of this */
};

struct mp_join *
mp_join_new(const struct mp_join_options *options)
{
    struct mp_join *join = mp_need(calloc(1, sizeof *join));
    struct mp_arena *arena = mp_arena_new();

    join->options = *options;
    join->profile = mp_profile_new();
    join->profile->symbolised = true;
    join->joiner = mp_arena_alloc(arena, sizeof *join->joiner);
    join->joiner->arena = arena;
    join->joiner->kinds.arena = join->joiner->types.arena = arena;
    mp_noted_begin(&join->joiner->functions, join->profile, arena);
    return join;
}

void
mp_join_free(struct mp_join *join)
{
    if (!join)
        return;
    if (join->joiner)
        mp_arena_free(join->joiner->arena);
    mp_profile_free(join->profile);
    free(join);
}

/* ---------------------------------------------------------------- kinds */

static struct mp_object_kind *
add_kind(struct mp_join *join, const struct mp_object_kind *kind)
{
    struct mp_profile *to = join->profile;
    uint32_t id = mp_map_add(&join->joiner->kinds, kind->name, strlen(kind->name));

    if (id == to->n_kinds) {
        to->kinds = mp_arena_grow(to->arena, to->kinds, id, &join->joiner->kinds_room, sizeof *to->kinds);
        to->kinds[to->n_kinds++] = (struct mp_object_kind){
            .kind = MP_KIND_LISP + id, .base = MP_KIND_LISP + id, .category = kind->category,
            .name = mp_arena_strdup(to->arena, kind->name)};
    }
    return &to->kinds[id];
}

/* Returns the kinds of the joined profile, by index in the kinds of VIEW. A file has fewer than 0x4000 kinds. If many
 * files together have more names than a cell's kind can hold, the excess ones share the kind 0xffff. */
static uint32_t *
map_kinds(struct mp_join *join, const struct mp_profile *view)
{
    uint32_t *to = mp_arena_alloc(join->joiner->arena, view->n_kinds * sizeof *to);

    for (uint32_t i = 0; i < view->n_kinds; i++) {
        const struct mp_object_kind *kind = &view->kinds[i], *base = mp_profile_kind(view, kind->base);
        uint32_t of = base ? add_kind(join, base)->kind : MP_NO_ID;
        struct mp_object_kind *added = add_kind(join, kind);

        added->base = of != MP_NO_ID ? of : added->kind;
        to[i] = added->kind < 0xffff ? added->kind : 0xffff;
    }
    return to;
}

/* ---------------------------------------------------------------- one run */

static void
keep_nodes(struct mp_join *join, const struct mp_tree *tree, const struct mp_profile *profile,
           struct mp_join_nodes *nodes, enum mp_side side)
{
    struct mp_arena *arena = join->joiner->arena;
    uint32_t *known = mp_arena_alloc(arena, tree->profile->n_functions * sizeof *known);

    nodes->side = side;
    nodes->n = tree->n_nodes;
    nodes->parents = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->parents);
    nodes->functions = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->functions);
    nodes->inlined = mp_arena_alloc(arena, tree->n_nodes * sizeof *nodes->inlined);
    for (uint32_t i = 1; i < tree->n_nodes; i++) {
        uint32_t function = mp_tree_function(tree, i);

        if (known[function] == 0)
            known[function] =
                1 + mp_note_function(&join->joiner->functions, profile, tree->profile, function,
                                     &tree->profile->frames[tree->nodes[i].frame], 1u << side);
        nodes->parents[i] = tree->nodes[i].parent;
        nodes->functions[i] = known[function] - 1;
        nodes->inlined[i] = mp_tree_is_inlined(tree, i);
    }
    mp_arena_drop(known, tree->profile->n_functions * sizeof *known);
}

static void
keep_cells(struct mp_join *join, struct mp_join_run *run, const struct mp_tree *tree, struct pending *pending)
{
    const struct mp_profile *view = tree->profile;
    const uint32_t *kinds = map_kinds(join, view);

    pending->cells = mp_arena_alloc(join->joiner->arena, tree->n_cells * sizeof *pending->cells);
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        for (uint32_t j = tree->nodes[i].first_cell; j < tree->nodes[i + 1].first_cell; j++) {
            struct mp_cell *cell = &pending->cells[pending->n_cells++];
            const struct mp_object_kind *kind;

            *cell = view->cells[tree->cells[j]];
            kind = mp_profile_kind(view, cell->kind);
            cell->kind = kind ? kinds[kind - view->kinds] : mp_is_lisp(cell) ? 0xffff : cell->kind;
            cell->context = i;
            cell->lifetimes = NULL;     /* the view's lifetimes are freed with it */
            mp_lifetimes_add(&cell->lifetimes, view->cells[tree->cells[j]].lifetimes, join->profile->arena);
            run->short_bytes = mp_plus(run->short_bytes,
                                       mp_join_short(cell->kind, &cell->counts,
                                                     mp_lifetimes_short(cell->lifetimes).bytes));
        }
    }
}

/* Copies the figures of block sizes to RUN, and the names of the types of each size to JOIN. */
static void
keep_bins(struct mp_join *join, struct mp_join_run *run, struct mp_profile *view)
{
    const unsigned n = join->options.by_cells ? MP_CELL_BINS : MP_BINS;

    if (join->options.by_cells)
        mp_bins_of_cells(view);
    run->bins = mp_arena_alloc(join->profile->arena, MP_CELL_BINS * sizeof *run->bins);
    for (unsigned i = 0; i < n; i++)
        run->bins[i] = mp_bin_counts(view, i);
    for (unsigned i = 0; i < MP_BINS; i++) {
        for (uint32_t j = 0; j < view->bins[i].n_types; j++) {
            const char *name = view->types[view->bins[i].first_type + j];
            const char *key = mp_arena_printf(join->joiner->arena, "%u %s", i, name);
            uint32_t known = join->joiner->types.count;
            struct mp_join_types *types = &join->types[i];

            if (mp_map_add(&join->joiner->types, key, strlen(key)) < known)
                continue;
            types->names = mp_arena_grow(join->profile->arena, types->names, types->n, &types->room,
                                         sizeof *types->names);
            types->names[types->n++] = mp_arena_strdup(join->profile->arena, name);
        }
    }
}

static void
keep_modules(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
             const struct mp_profile *view)
{
    struct mp_arena *arena = join->joiner->arena;
    const struct mp_charge_options wanted = {.raw = join->options.raw};
    const struct mp_charges charges = mp_charge(view, &wanted, arena);
    struct mp_map known = {.arena = arena};
    struct mp_join_module *modules =
        mp_arena_alloc(join->profile->arena, charges.n * sizeof *modules);

    for (uint32_t i = 0; i < charges.n; i++) {
        uint32_t module = mp_note_module(&join->joiner->functions, profile,
                                         view->functions[charges.list[i].function].module);
        uint32_t place = mp_map_add_u64(&known, module);

        modules[place].module = module;
        mp_counts_add(&modules[place].counts, &charges.list[i].counts);
    }
    run->modules = modules;
    run->n_modules = known.count;
    run->nameless = mp_arena_alloc(join->profile->arena, profile->n_modules * sizeof *run->nameless);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        if (profile->modules[i].problem[0])
            run->nameless[run->n_nameless++] =
                join->profile->modules[mp_note_module(&join->joiner->functions, profile, i)].name;
}

static void
keep_meta(struct mp_join *join, struct mp_join_run *run, const struct mp_profile *profile,
          const struct mp_profile *view)
{
    struct mp_arena *arena = join->profile->arena;
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

void
mp_join_add(struct mp_join *join, const struct mp_profile *profile, struct mp_profile *view,
            enum mp_side side, const char *label)
{
    struct mp_joiner *joiner = join->joiner;
    const struct mp_tree_options wanted = {.all_frames = join->options.all_frames, .one_cut = true};
    struct mp_tree *tree = mp_tree_build(view, &wanted);
    struct mp_join_run *run;
    uint32_t n = join->n_runs;

    join->runs = mp_arena_grow(join->profile->arena, join->runs, n, &join->room, sizeof *join->runs);
    joiner->pending = mp_arena_grow(joiner->arena, joiner->pending, n, &joiner->room,
                                    sizeof *joiner->pending);
    run = &join->runs[join->n_runs++];
    *run = (struct mp_join_run){.side = side, .label = mp_text_clean(join->profile->arena, label, strlen(label))};
    joiner->pending[n] = (struct pending){0};
    join->n_of[side]++;
    keep_meta(join, run, profile, view);
    keep_modules(join, run, profile, view);
    keep_bins(join, run, view);
    keep_nodes(join, tree, profile, &joiner->pending[n].nodes, side);
    keep_cells(join, run, tree, &joiner->pending[n]);
    mp_tree_free(tree);
}

/* ---------------------------------------------------------------- all runs */

static void
make_room(struct mp_join *join)
{
    struct mp_profile *to = join->profile;
    size_t nodes = 1, cells = 0;

    for (uint32_t i = 0; i < join->n_runs; i++) {
        nodes += join->joiner->pending[i].nodes.n;
        cells += join->joiner->pending[i].n_cells;
    }
    if (nodes >= MP_NO_ID || cells >= MP_NO_ID)
        mp_no_memory();
    to->contexts = mp_arena_alloc(to->arena, nodes * sizeof *to->contexts);
    to->contexts[0] = (struct mp_context){.frame = MP_NO_ID};
    to->n_contexts = 1;
    to->cells = mp_arena_alloc(to->arena, cells * sizeof *to->cells);
}

static void
place_run(struct mp_join *join, uint32_t run, struct mp_map *contexts)
{
    struct mp_profile *to = join->profile;
    struct pending *p = &join->joiner->pending[run];
    uint32_t *context_of = mp_arena_alloc(join->joiner->arena, p->nodes.n * sizeof *context_of);

    for (uint32_t i = 1; i < p->nodes.n; i++) {
        uint32_t parent = context_of[p->nodes.parents[i]];
        uint32_t frame = join->joiner->functions.list[p->nodes.functions[i]].match;
        uint32_t id;

        if (p->nodes.same[i]) {
            context_of[i] = parent;
            continue;
        }
        id = 1 + mp_map_add_u64(contexts, (uint64_t)parent << 32 | frame);
        if (id == to->n_contexts)
            to->contexts[to->n_contexts++] = (struct mp_context){.parent = parent, .frame = frame};
        context_of[i] = id;
    }
    for (uint32_t i = 0; i < p->n_cells; i++) {
        struct mp_cell *cell = &to->cells[to->n_cells++];

        *cell = p->cells[i];
        cell->context = context_of[cell->context];
        cell->kind |= run << 16;
    }
    mp_arena_drop(p->cells, p->n_cells * sizeof *p->cells);
}

/* Finds calls that exist in only one of the builds, so that they can be removed (join_parts.h). */
static void
find_parts(struct mp_join *join)
{
    struct mp_joiner *joiner = join->joiner;
    struct mp_join_nodes **list = mp_arena_alloc(joiner->arena, join->n_runs * sizeof *list);

    for (uint32_t i = 0; i < join->n_runs; i++)
        list[i] = &joiner->pending[i].nodes;
    mp_join_parts(list, join->n_runs, joiner->functions.list, joiner->functions.n, join->profile->n_functions,
                  joiner->arena);
}

/* Shortens the names of C functions. Lisp names stay unchanged. */
static void
shorten_names(struct mp_profile *to)
{
    const char **names = mp_arena_alloc(to->arena, to->n_functions * sizeof *names);

    for (uint32_t i = 0; i < to->n_functions; i++)
        names[i] = to->frames[i].name == MP_NO_ID ? to->functions[i].name : "";
    names = mp_short_names(names, to->n_functions, to->arena);
    for (uint32_t i = 0; i < to->n_functions; i++)
        if (to->frames[i].name == MP_NO_ID)
            to->functions[i].name = names[i];
}

void
mp_join_finish(struct mp_join *join)
{
    struct mp_map contexts = {.arena = join->joiner->arena};

    mp_noted_end(&join->joiner->functions);
    find_parts(join);
    make_room(join);
    for (uint32_t i = 0; i < join->n_runs; i++)
        place_run(join, i, &contexts);
    mp_arena_free(join->joiner->arena);
    join->joiner = NULL;
    join->profile->n_cells =
        mp_cells_merge(join->profile->cells, join->profile->n_cells, join->profile->arena);
    if (join->options.short_names)
        shorten_names(join->profile);
    join->profile->meta = mp_join_first(join, MP_AFTER)->meta;
}
