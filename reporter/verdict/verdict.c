/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/base/format_number.h"
#include "reporter/base/map.h"
#include "reporter/base/pattern.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/graph/bad_frees.h"
#include "reporter/graph/sites.h"
#include "reporter/profile/missing.h"
#include "reporter/symbols/symbols.h"
#include "reporter/table/estimates.h"
#include "reporter/view/filter.h"

/* ---------------------------------------------------------------- offenders */

/* Finds the chains with the largest part of a figure that exceeds its limit. */
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

/* Returns the figure of each chain in BEFORE, by id. Adds the texts of chains to CHAINS, which assigns the ids. */
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

/* Returns the innermost node on the chain of NODE that has a line, or 0. If THERE is true, the line's source file must
 * be readable. */
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
    to->function = mp_arena_strdup(arena, view->functions[at->function].text);
    if (found) {
        to->file = mp_arena_strdup(arena, at->file);
        to->line = at->line;
    }
}

static void
add_offender(struct search *search, const struct mp_site *site, uint64_t value, struct mp_arena *arena)
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
        return mp_order(right->value, left->value);
    return strcmp(left->chain, right->chain);
}

/* Sets the offenders of CHECKED to chains of VIEW. BEFORE is the view of the baseline if the limit is relative to
 * that, else NULL. */
static void
find_offenders(struct mp_verdict *verdict, struct mp_checked *checked,
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
            add_offender(&search, site, value - old, verdict->arena);
    }
    if (search.n > 0)
        qsort(search.list, search.n, sizeof *search.list, compare);
    checked->offenders = search.list;
    checked->n_offenders = search.n < options->most ? search.n : options->most;
    checked->left_out = search.n - checked->n_offenders;
    end(&search);
    mp_arena_free(scratch);
}

/* A recording to compare with. */
struct old {
    const char *name;
    const struct mp_profile *profile;   /* without what is suppressed */
    struct mp_profile *left;            /* the same if there are suppressions, else NULL */
    struct mp_profile *view;
    struct mp_totals totals;
};

struct work {
    struct mp_verdict *verdict;
    const struct mp_verdict_options *options;
    const struct mp_profile *whole;
    const struct mp_profile *profile;   /* without what is suppressed */
    const struct mp_profile *view;      /* view of `profile` */
    struct old *old;    uint32_t n_old;
    struct mp_totals totals;
};

/* ---------------------------------------------------------------- figures */

/* Returns true if PROFILE lacks FIGURE. The peak is in the header of the data file, which may have been overwritten. */
static bool
is_unknown(const struct mp_profile *profile, enum mp_figure figure)
{
    return mp_is_unknown(profile, figure) || (profile->meta.damaged && figure == MP_FIGURE_PEAK_BYTES);
}

/* Fails if the limited figure is unknown. An unknown figure is not within a limit. */
static bool
is_known(const struct work *w, const struct mp_bound *bound, struct mp_error *error)
{
    return !is_unknown(w->profile, bound->figure) ||
           mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "%s, of %s", bound->said,
                   w->profile->meta.damaged ? "a damaged data file" : "what another tool wrote");
}

/* Returns FIGURE of the whole program. */
static struct mp_estimate
of_whole(const struct mp_profile *profile, const struct mp_totals *totals, enum mp_figure figure)
{
    switch (figure) {
    case MP_FIGURE_ALLOCS:
        return (struct mp_estimate){totals->allocs, totals->allocs, totals->allocs, true};
    case MP_FIGURE_BYTES:
        return (struct mp_estimate){totals->bytes, totals->bytes, totals->bytes, true};
    case MP_FIGURE_PEAK_BYTES:
        if (mp_profile_is_sum(profile))         /* the limit applies to each process */
            return mp_estimate(mp_not_negative(mp_processes_largest_peak(profile->processes)->meta.peak_bytes), 0, 0);
        return mp_estimates_peak(profile, totals, figure);
    default:
        return mp_counts_estimate(&totals->all, figure);
    }
}

/* Returns the part of the view that matching functions and their callees allocated, or NULL if no function
 * matches. */
static struct mp_profile *
part_of(const struct work *w, const char *function)
{
    struct mp_profile *part = mp_profile_new();
    struct mp_filters filters = {0};
    struct mp_counts undecided;
    struct mp_error error;
    bool ok;

    mp_profile_share(part, w->view);
    part->timeline = NULL;
    ok = mp_filters_add(&filters, MP_FILTER_FUNCTION, function, &error) &&
         mp_filter(part, w->whole, &filters, &undecided, &error);
    mp_filters_free(&filters);
    if (ok)
        return part;
    mp_profile_free(part);
    return NULL;
}

static bool
is_named(void *pattern, const char *name)
{
    return mp_pattern_matches(pattern, name);
}

/* Returns true if the program contains a function that matches, even though none that allocates does. */
static bool
is_there(const struct work *w, const char *function)
{
    char reason[MP_PATTERN_REASON];
    struct mp_pattern pattern;
    bool found = false;

    if (!mp_pattern_compile(&pattern, function, reason))
        return false;
    for (uint32_t i = 0; i < w->whole->n_functions && !found; i++)
        found = is_named(&pattern, w->whole->functions[i].text);
    found = found || mp_symbols_any(w->whole, is_named, &pattern);
    mp_pattern_free(&pattern);
    return found;
}

static enum mp_checked_is
judge(const struct mp_estimate *value, uint64_t most)
{
    if (value->exact)
        return value->value > most ? MP_OVER : MP_WITHIN;
    return value->low > most ? MP_OVER : value->high > most ? MP_UNCERTAIN : MP_WITHIN;
}

/* ---------------------------------------------------------------- limits */

static struct mp_checked *
add(struct work *w, const struct mp_bound *bound, const struct mp_estimate *value)
{
    struct mp_verdict *verdict = w->verdict;
    struct mp_checked *checked;

    verdict->list = mp_arena_grow(verdict->arena, verdict->list, verdict->n, &verdict->room,
                                  sizeof *verdict->list);
    checked = &verdict->list[verdict->n++];
    *checked = (struct mp_checked){
        .bound = bound, .value = *value, .is = judge(value, bound->most)};
    verdict->n_over += checked->is == MP_OVER;
    verdict->n_uncertain += checked->is == MP_UNCERTAIN;
    return checked;
}

static void
check_bound(struct work *w, const struct mp_bound *bound)
{
    struct mp_profile *part = bound->function ? part_of(w, bound->function) : NULL;
    struct mp_estimate value = {.exact = true};
    struct mp_checked *checked;
    struct mp_totals totals;

    if (!bound->function) {
        value = of_whole(w->profile, &w->totals, bound->figure);
    } else if (part) {
        mp_profile_totals(part, &totals);
        value = mp_counts_estimate(&totals.all, bound->figure);
    }
    checked = add(w, bound, &value);
    checked->nothing = bound->function && !part;
    checked->unknown = checked->nothing && !is_there(w, bound->function);
    if (checked->is != MP_WITHIN)
        find_offenders(w->verdict, checked, part ? part : w->view, NULL, w->options);
    mp_profile_free(part);
}

/* Returns BEFORE plus TOLERANCE, at most UINT64_MAX. */
static uint64_t
tolerated(uint64_t before, const struct mp_tolerance *tolerance)
{
    const long double more = (long double)before * tolerance->percent / 100 + tolerance->more;

    return more >= (long double)(UINT64_MAX - before) ? UINT64_MAX : before + (uint64_t)more;
}

/* Returns the recording to compare with in which FIGURE is largest, and sets *BEFORE to that figure. Returns NULL if it
 * is known of none. */
static const struct old *
largest(const struct work *w, enum mp_figure figure, struct mp_estimate *before)
{
    const struct old *found = NULL;

    for (uint32_t i = 0; i < w->n_old; i++) {
        const struct old *old = &w->old[i];
        const struct mp_estimate value = of_whole(old->profile, &old->totals, figure);

        if (is_unknown(old->profile, figure) || (found && value.high <= before->high))
            continue;
        found = old;
        *before = value;
    }
    return found;
}

/* Checks each figure that is known in the profile and in a recording to compare with. Returns false and sets *ERROR if
 * no figure is known in both. */
static bool
check_baselines(struct work *w, struct mp_error *error)
{
    struct mp_arena *arena = w->verdict->arena;
    unsigned compared = 0;

    for (enum mp_sort i = 0; i < MP_SORTS; i++) {
        const enum mp_figure figure = mp_sorts[i].figure;
        const struct mp_estimate now = of_whole(w->profile, &w->totals, figure);
        struct mp_estimate before;
        const struct old *old = largest(w, figure, &before);
        struct mp_bound *bound;
        struct mp_checked *checked;

        if (!old || is_unknown(w->profile, figure))
            continue;
        compared++;
        bound = mp_arena_alloc(arena, sizeof *bound);
        *bound = (struct mp_bound){
            .figure = figure, .most = tolerated(before.high, &w->options->tolerance[i]),
            .said = mp_text_format(arena, "--baseline=%s: %s", old->name, mp_sorts[i].key)};
        checked = add(w, bound, &now);
        checked->has_before = true;
        checked->before = before.value;
        if (checked->is != MP_WITHIN)
            find_offenders(w->verdict, checked, w->view, old->view, w->options);
    }
    return compared > 0 || mp_fail(error, MP_ERR_USAGE, MP_NO_OFFSET,
                                   "--baseline=%s has no figure that is known of the data file, too", w->old->name);
}

/* ---------------------------------------------------------------- all of it */

static bool
check(struct work *w, struct mp_error *error)
{
    const struct mp_verdict_options *options = w->options;
    struct mp_profile *view = mp_view(w->profile, &options->view, error);
    bool known = true;

    if (!view)
        return false;
    w->view = view;
    mp_profile_totals(w->profile, &w->totals);
    for (uint32_t i = 0; i < options->bounds->n && known; i++) {
        known = is_known(w, &options->bounds->list[i], error);
        if (known)
            check_bound(w, &options->bounds->list[i]);
    }
    if (w->n_old > 0 && known)
        known = check_baselines(w, error);
    mp_profile_free(view);
    return known;
}

/* Returns BASELINE without what is suppressed. Uses a copy of SUPPRESSIONS, so that their counts contain only what the
 * checked program keeps. The caller frees the result before BASELINE. */
static struct mp_profile *
suppress_baseline(const struct mp_profile *baseline, const struct mp_suppressions *suppressions, struct mp_arena *arena)
{
    struct mp_suppressions copy = *suppressions;

    copy.list = mp_arena_alloc(arena, copy.n * sizeof *copy.list);
    memcpy(copy.list, suppressions->list, copy.n * sizeof *copy.list);
    return mp_suppress(baseline, &copy);
}

/* Adds the recordings to compare with to W. Returns false and sets *ERROR if a view cannot be created. */
static bool
add_baselines(struct work *w, struct mp_error *error)
{
    const struct mp_verdict_options *options = w->options;
    struct mp_arena *arena = w->verdict->arena;

    w->old = mp_arena_alloc(arena, (options->n_baselines + (size_t)1) * sizeof *w->old);
    for (uint32_t i = 0; i < options->n_baselines; i++) {
        const struct mp_baseline *baseline = &options->baselines[i];
        struct old *old = &w->old[w->n_old++];

        *old = (struct old){.name = baseline->name, .profile = baseline->profile};
        if (options->suppressions)
            old->profile = old->left = suppress_baseline(baseline->profile, options->suppressions, arena);
        mp_profile_totals(old->profile, &old->totals);
        old->view = mp_view(old->profile, &options->view, error);
        if (!old->view)
            return false;
    }
    return true;
}

static void
free_baselines(struct work *w)
{
    for (uint32_t i = 0; i < w->n_old; i++) {
        mp_profile_free(w->old[i].view);
        mp_profile_free(w->old[i].left);
    }
}

/* Returns lines about faulty frees. Omits frees of unknown addresses, because these blocks may be
 * older than the recording. */
static const char *const *
bad_free_lines(const struct mp_profile *profile, struct mp_arena *arena)
{
    const struct mp_bad_frees *frees = profile->bad_frees;
    const char **lines = mp_arena_alloc(arena, ((frees ? frees->n : 0) + (size_t)1) * sizeof *lines);
    char number[MP_NUMBER_SIZE];
    uint32_t n = 0;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];

        if (place->kind != MP_FREED_UNKNOWN)
            lines[n++] = mp_arena_printf(arena, "faulty: %s free%s %s", mp_number_grouped(place->count, number),
                                         mp_plural(place->count), mp_bad_free_place(frees, place, arena));
    }
    return lines;
}

struct mp_verdict *
mp_verdict(const struct mp_profile *profile, const struct mp_verdict_options *options,
           struct mp_error *error)
{
    struct mp_verdict *verdict = mp_need(calloc(1, sizeof *verdict));
    struct mp_profile *left =
        options->suppressions ? mp_suppress(profile, options->suppressions) : NULL;
    struct work w = {.verdict = verdict, .options = options, .whole = profile, .profile = left ? left : profile};
    bool ok;

    verdict->suppressions = options->suppressions;
    verdict->arena = mp_arena_new();
    verdict->path = mp_arena_strdup(verdict->arena, profile->meta.program);
    verdict->name = verdict->program = mp_text_basename(verdict->path);
    verdict->dropped = profile->meta.missing[MP_MISS_DROPPED];
    mp_unrecorded_add(&verdict->unrecorded, &profile->meta.unrecorded, verdict->arena);
    verdict->bad_frees = bad_free_lines(profile, verdict->arena);
    ok = add_baselines(&w, error) && check(&w, error);
    free_baselines(&w);
    mp_profile_free(left);
    if (!ok) {
        mp_verdict_free(verdict);
        verdict = NULL;
    }
    return verdict;
}

void
mp_verdict_free(struct mp_verdict *verdict)
{
    if (!verdict)
        return;
    mp_arena_free(verdict->arena);
    free(verdict);
}
