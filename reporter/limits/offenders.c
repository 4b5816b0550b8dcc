/* Finds the chains with the largest part of a figure that exceeds its limit. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/map.h"
#include "reporter/graph/sites.h"
#include "verdict_parts.h"

struct search {
    struct mp_sites sites;
    enum mp_figure figure;
    struct mp_offender *list;
    uint32_t n;
};

static uint64_t
figure_of(const struct mp_site *site, enum mp_figure figure)
{
    const struct mp_estimate estimate = mp_counts_estimate(&site->counts, figure);

    return (int64_t)estimate.value > 0 ? estimate.value : 0;
}

static bool
has_some(const struct mp_site *site, const void *data)
{
    const struct search *search = data;

    return figure_of(site, search->figure) > 0;
}

/* Collects the chains of VIEW that have some of the figure, and returns their number. With LINES, calls from
 * different lines are different. */
static size_t
begin(struct search *search, const struct mp_profile *view, bool lines,
      const struct mp_verdict_options *options, struct mp_arena *arena)
{
    const struct mp_tree_options tree = {
        .one_cut = true, .all_frames = options->view.all_frames, .lines = lines};

    search->sites = (struct mp_sites){
        .tree = mp_tree_build(view, &tree), .objects = MP_OBJECTS_ALL,
        .chain = {.limit = options->chain, .bare = true}};
    mp_sites_collect(&search->sites);
    return mp_sites_choose(&search->sites, has_some, search, arena);
}

static void
end(struct search *search)
{
    struct mp_tree *tree = search->sites.tree;

    mp_sites_free(&search->sites);
    mp_tree_free(tree);
}

/* Returns what each chain had before, by id. Adds the texts of chains to CHAINS, which assigns the ids. */
static uint64_t *
values_before(struct search *search, struct mp_map *chains, const struct mp_profile *before,
              const struct mp_verdict_options *options)
{
    struct search old = {.figure = search->figure};
    size_t n = begin(&old, before, false, options, chains->arena);
    uint64_t *values = mp_arena_alloc(chains->arena, (n + 1) * sizeof *values);

    for (size_t i = 0; i < n; i++) {
        const struct mp_site *site = &old.sites.list[i];
        uint32_t id = mp_map_add(chains, site->chain, strlen(site->chain));

        values[id] = mp_plus(values[id], figure_of(site, old.figure));
    }
    end(&old);
    return values;
}

/* Returns the innermost node on the chain of NODE that has a line, or 0. If THERE, its file must be readable. */
static uint32_t
find_line(const struct mp_tree *tree, uint32_t node, bool there)
{
    const struct mp_profile *view = tree->profile;

    for (; node != 0; node = tree->nodes[node].parent) {
        const struct mp_location *at = &view->locations[tree->nodes[node].location];

        if (!mp_tree_ends(tree, node) && at->file[0] && at->line > 0 &&
            (!there || access(at->file, R_OK) == 0))
            break;
    }
    return node;
}

/* Sets the line to look at. A line whose source is readable is preferred to one in a library. */
static void
set_line(const struct mp_tree *tree, uint32_t node, struct mp_offender *to, struct mp_arena *arena)
{
    const struct mp_profile *view = tree->profile;
    const struct mp_location *at;
    uint32_t found = find_line(tree, node, true);

    if (found == 0)
        found = find_line(tree, node, false);
    to->function = "";
    if (found == 0 && mp_tree_ends(tree, node))
        return;
    at = &view->locations[tree->nodes[found ? found : node].location];
    to->function = mp_arena_strdup(arena, view->functions[at->function].name);
    if (found) {
        to->file = mp_arena_strdup(arena, at->file);
        to->line = at->line;
    }
}

static void
add(struct search *search, const struct mp_site *site, uint64_t value, struct mp_arena *arena)
{
    struct mp_offender *to = &search->list[search->n++];

    *to = (struct mp_offender){.value = value, .chain = site->chain};
    if (mp_figure_is_kept(search->figure))
        to->blocks = mp_counts_estimate(&site->counts, MP_FIGURE_KEPT_BLOCKS).value;
    set_line(search->sites.tree, site->node, to, arena);
}

/* Sorts by value, largest first, then by chain. */
static int
compare(const void *a, const void *b)
{
    const struct mp_offender *left = a, *right = b;

    if (left->value != right->value)
        return left->value < right->value ? 1 : -1;
    return strcmp(left->chain, right->chain);
}

void
mp_find_offenders(struct mp_verdict *verdict, struct mp_checked *checked,
                  const struct mp_profile *view, const struct mp_profile *before,
                  const struct mp_verdict_options *options)
{
    struct search search = {.figure = checked->bound->figure};
    struct mp_arena *scratch = mp_arena_new();
    struct mp_map chains = {.arena = scratch};
    const uint64_t *values = before ? values_before(&search, &chains, before, options) : NULL;
    size_t n;

    n = begin(&search, view, !before, options, verdict->arena);
    search.list = mp_arena_alloc(verdict->arena, (n + 1) * sizeof *search.list);
    for (size_t i = 0; i < n; i++) {
        const struct mp_site *site = &search.sites.list[i];
        uint64_t value = figure_of(site, search.figure);
        uint32_t id = before ? mp_map_find(&chains, site->chain, strlen(site->chain)) : MP_NO_ID;
        uint64_t old = id == MP_NO_ID ? 0 : values[id];

        if (value > old)
            add(&search, site, value - old, verdict->arena);
    }
    if (search.n > 0)
        qsort(search.list, search.n, sizeof *search.list, compare);
    checked->offenders = search.list;
    checked->n_offenders = search.n < options->most ? search.n : options->most;
    checked->left_out = search.n - checked->n_offenders;
    end(&search);
    mp_arena_free(scratch);
}
