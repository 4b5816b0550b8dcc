/* SPDX-License-Identifier: MIT */
/* api_sites.c -- the sites of api.h, which are the sorted cells of a tree, and the functions charged with them. */
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "reporter/graph/breakdown_kinds.h"
#include "reporter/graph/charge.h"
#include "reporter/graph/tree.h"

struct mp_report_sites {
    struct mp_profile *profile;
    struct mp_tree *tree;       /* tree of a view of `profile`; its nodes are the steps of api.h */
    const struct mp_breakdown_style *style;
    uint32_t *order;            /* ids of cells of the view */
    uint32_t next, n;
    uint32_t *nodes;            /* by cell: its node */
    struct mp_arena *arena;
};

/* Sort criterion of cells. */
struct sorting {
    const struct mp_cell *cells;
    enum mp_sort sort;
};

static int
compare_cells(const void *a, const void *b, void *data)
{
    const struct sorting *sorting = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t left = mp_basic_key(&sorting->cells[x].counts, sorting->sort);
    uint64_t right = mp_basic_key(&sorting->cells[y].counts, sorting->sort);

    if (left != right)
        return left < right ? 1 : -1;
    return x < y ? -1 : x > y;
}

/* Returns whether nothing is counted in CELL. This occurs if everything counted there turned out to be of
 * another type. */
static bool
is_empty(const struct mp_cell *cell)
{
    return !mp_basic_any(&cell->counts) && cell->counts.frees == 0;
}

static void
sort_cells(struct mp_report_sites *sites, const struct mp_report_request *request)
{
    const struct mp_tree *tree = sites->tree;
    struct sorting sorting = {.cells = tree->profile->cells, .sort = request->sort};

    sites->order = mp_arena_alloc(sites->arena, tree->n_cells * sizeof *sites->order);
    sites->nodes = mp_arena_alloc(sites->arena, tree->n_cells * sizeof *sites->nodes);
    for (uint32_t i = 0, node = 0; i < tree->n_cells; i++) {
        while (i == tree->nodes[node + 1].first_cell)
            node++;
        sites->nodes[tree->cells[i]] = node;
        if (!is_empty(&sorting.cells[tree->cells[i]]))
            sites->order[sites->n++] = tree->cells[i];
    }
    qsort_r(sites->order, sites->n, sizeof *sites->order, compare_cells, &sorting);
    if (request->most > 0 && sites->n > request->most)
        sites->n = request->most;
}

static struct mp_view_options
view_of(const struct mp_report_request *request)
{
    return (struct mp_view_options){.frames = request->frames, .lisp_only = request->lisp,
                                    .all_frames = request->all_frames, .focus = request->focus,
                                    .window = {.from = request->part.from, .to = request->part.to}};
}

static struct mp_report_sites *
open_sites(const char *file, const struct mp_report_request *request, struct mp_error *error)
{
    const struct mp_view_options wanted = view_of(request);
    const struct mp_tree_options options = {.all_frames = request->all_frames, .calls = true};
    struct mp_profile *profile = mp_report_quiet_load(file, &request->part, error);
    struct mp_report_sites *sites;
    struct mp_arena *arena;

    if (!profile)
        return NULL;
    arena = mp_arena_new();
    sites = mp_arena_alloc(arena, sizeof *sites);
    sites->arena = arena;
    sites->profile = profile;
    sites->tree = mp_tree_new(profile, &wanted, &options, error);
    if (!sites->tree) {
        mp_report_sites_close(sites);
        return NULL;
    }
    sites->style = mp_breakdown_of(sites->tree->profile, arena);
    sort_cells(sites, request);
    return sites;
}

struct mp_report_sites *
mp_report_sites_open(const char *file, const struct mp_report_request *request, struct mp_error *error)
{
    struct mp_report_sites *sites;
    jmp_buf no_memory;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        mp_report_no_memory(file, error);
        return NULL;
    }
    mp_when_no_memory(&no_memory);
    sites = open_sites(file, request, error);
    mp_when_no_memory(NULL);
    return sites;
}

static void
fill_type(const struct mp_report_sites *sites, uint32_t kind, struct mp_report_site *site)
{
    const struct mp_profile *view = sites->tree->profile;
    const struct mp_object_kind *type = mp_profile_kind(view, kind);

    site->category = sites->style->letters[mp_breakdown_column(sites->style, kind)];
    site->type = type ? type->name : "malloc";
    site->base = type ? mp_profile_kind(view, type->base)->name : site->type;
}

bool
mp_report_sites_next(struct mp_report_sites *sites, struct mp_report_site *site)
{
    const struct mp_basic_counts *counts;
    const struct mp_cell *cell;
    uint32_t id;

    if (sites->next == sites->n)
        return false;
    id = sites->order[sites->next++];
    cell = &sites->tree->profile->cells[id];
    counts = &cell->counts;
    site->step = sites->nodes[id];
    fill_type(sites, cell->kind, site);
    site->objects = counts->allocs;
    site->bytes = counts->bytes;
    site->requested = mp_is_lisp(cell) ? mp_cell_further(cell)->requested : counts->bytes;
    site->kept_objects = counts->kept_blocks;
    site->kept_bytes = counts->kept;
    site->collected_objects = counts->frees;
    site->collected_bytes = counts->freed;
    memcpy(site->survived, mp_cell_further(cell)->survived, sizeof site->survived);
    return true;
}

uint32_t
mp_report_sites_steps(const struct mp_report_sites *sites)
{
    return sites->tree->n_nodes - 1;
}

void
mp_report_sites_tree(const struct mp_report_sites *sites, uint32_t callers[], uint32_t functions[])
{
    callers[0] = functions[0] = 0;
    for (uint32_t i = 1; i < sites->tree->n_nodes; i++) {
        callers[i] = sites->tree->nodes[i].parent;
        functions[i] = mp_tree_function(sites->tree, i);
    }
}

uint32_t
mp_report_sites_functions(const struct mp_report_sites *sites)
{
    return sites->tree->profile->n_functions;
}

const char *
mp_report_sites_name(const struct mp_report_sites *sites, uint32_t function)
{
    return sites->tree->profile->functions[function].text;
}

void
mp_report_sites_close(struct mp_report_sites *sites)
{
    if (!sites)
        return;
    mp_tree_free(sites->tree);
    mp_profile_free(sites->profile);
    mp_arena_free(sites->arena);
}

/* ------------------------------------------------------------------ who allocated most */

static size_t
fill_top(const struct mp_profile *view, bool raw, enum mp_sort sort, struct mp_report_top top[],
         size_t most)
{
    const struct mp_charge_options wanted = {.raw = raw, .sort = sort};
    struct mp_arena *arena = mp_arena_new();
    const struct mp_charges charges = mp_charge(view, &wanted, arena);
    size_t n = 0;

    for (; n < most && n < charges.n; n++) {
        const struct mp_charge *charge = &charges.list[n];

        top[n].name = strdup(view->functions[charge->function].text);
        if (!top[n].name)
            mp_no_memory();
        top[n].objects = charge->counts.allocs;
        top[n].bytes = charge->counts.bytes;
    }
    mp_arena_free(arena);
    return n;
}

static size_t
top_of_file(const char *file, const struct mp_report_request *request, struct mp_report_top top[],
            size_t most, struct mp_error *error)
{
    const struct mp_view_options wanted = view_of(request);
    struct mp_profile *profile = mp_report_quiet_load(file, &request->part, error), *view;
    size_t n = SIZE_MAX;

    if (!profile)
        return SIZE_MAX;
    view = mp_view(profile, &wanted, error);
    if (view)
        n = fill_top(view, mp_frames_shown(&wanted, profile) != MP_FRAMES_LISP, request->sort, top, most);
    mp_profile_free(view);
    mp_profile_free(profile);
    return n;
}

size_t
mp_report_top(const char *file, const struct mp_report_request *request, struct mp_report_top top[],
              size_t most, struct mp_error *error)
{
    jmp_buf no_memory;
    size_t n;

    if (setjmp(no_memory) != 0) {
        mp_when_no_memory(NULL);
        mp_report_no_memory(file, error);
        return SIZE_MAX;
    }
    mp_when_no_memory(&no_memory);
    n = top_of_file(file, request, top, most, error);
    mp_when_no_memory(NULL);
    return n;
}
