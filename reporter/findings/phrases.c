/* SPDX-License-Identifier: MIT */
#include "phrases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/view/wrappers.h"

#define LINES       3u          /* lines that a sentence names */
#define LINE_PART   100u        /* minimum part of the figure for a line to be named, per mille */
#define LEVELS      6u          /* maximum number of calls between the place and a caller that is named */
#define SAME_CALLER 900u        /* minimum part of the figure, per mille, for a caller to count as the only one */
#define MOSTLY      500u        /* minimum part, per mille, for a caller to be named as "mostly below CALLER" */
#define WAYS        3u          /* maximum number of callers that a sentence names if there are several */
#define WAY_PART    80u         /* minimum part of the figure for each of several callers, per mille */
#define WAYS_PART   300u        /* minimum part of the figure for these callers together, per mille */

/* A function or line, and its part of the figure. */
struct share {
    uint32_t id;                /* function, or node of the tree that has the line */
    uint64_t weight;
};

struct shares {
    struct share *list;         uint32_t n;     /* sorted by weight, largest first */
    uint64_t all;
};

static int
by_weight(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return x->weight != y->weight ? mp_order(y->weight, x->weight) : mp_order(x->id, y->id);
}

/* Adds WEIGHT to the share that KEYS maps KEY to. If there is none yet, creates it with ID. */
static void
add_share(struct shares *shares, struct mp_map *keys, uint64_t key, uint32_t id, uint64_t weight)
{
    uint32_t at = mp_map_add_u64(keys, key);

    if (at == shares->n)
        shares->list[shares->n++] = (struct share){.id = id};
    shares->list[at].weight = mp_plus(shares->list[at].weight, weight);
}

static uint64_t
weight_of(const struct mp_facts *facts, uint32_t node, enum mp_sort sort)
{
    const struct mp_basic_counts counts = mp_places_basic(&facts->blocks, node);

    return mp_basic_key(&counts, sort);
}

/* Walks outwards from the owner of NODE. Returns the node of the function after LEVEL different ones, or 0 if the chain
 * has no more functions. */
static uint32_t
outer_node(const struct mp_facts *facts, uint32_t node, uint32_t level)
{
    const struct mp_tree *tree = facts->tree;
    struct mp_outwards seen = {.n = 0};

    for (uint32_t at = facts->blocks.owner[node]; !mp_tree_ends(tree, at); at = tree->nodes[at].parent)
        if (mp_outwards_add(&seen, mp_tree_function(tree, at)) > level)
            return at;
    return 0;
}

/* Returns the parts of the figure SORT of PLACE by the functions that are LEVEL calls further out or, if LINES is true,
 * by the lines of these functions. The sum `all` includes chains without such a caller or line. */
static struct shares
shares_of(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort, uint32_t level,
          bool lines)
{
    const struct mp_tree *tree = facts->tree;
    struct shares shares = {.list = mp_arena_alloc(facts->arena, place->n_nodes * sizeof *shares.list)};
    struct mp_map keys = {.arena = facts->arena};

    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->blocks.next[node]) {
        const uint32_t at = outer_node(facts, node, level), function = at > 0 ? mp_tree_function(tree, at) : 0;
        const uint64_t weight = weight_of(facts, node, sort);

        shares.all = mp_plus(shares.all, weight);
        if (at > 0 && !lines)
            add_share(&shares, &keys, function, function, weight);
        else if (at > 0 && tree->profile->locations[tree->nodes[at].location].line > 0)
            add_share(&shares, &keys, tree->nodes[at].step, at, weight);
    }
    if (shares.n > 0)
        qsort(shares.list, shares.n, sizeof *shares.list, by_weight);
    return shares;
}

/* ---------------------------------------------------------------- names */

static const char *
name_of(const struct mp_facts *facts, uint32_t function)
{
    return facts->view->functions[function].text;
}

static bool
is_nameless(const struct mp_facts *facts, uint32_t function)
{
    return mp_function_is_nameless(facts->view, &facts->view->functions[function]);
}

/* Returns whether FUNCTION helps a reader to find the place in the program: it has a name, is not main, and does not
 * belong to the library of C or C++. */
static bool
is_telling(const struct mp_facts *facts, uint32_t function)
{
    return !is_nameless(facts, function) && strcmp(name_of(facts, function), "main") != 0 &&
           !mp_wrappers_is_library(facts->view, &facts->view->functions[function]);
}

static uint32_t
function_of(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    return mp_tree_function(facts->tree, facts->blocks.owner[place->first]);
}

/* Searches the chain that has most of PLACE's figure for the nearest caller with a telling name. Returns MP_NO_ID if no
 * caller has one, or if the caller has less than PERMILLE thousandths of the figure. */
static uint32_t
nearest_named(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort,
              uint64_t permille)
{
    const struct mp_tree *tree = facts->tree;
    uint32_t at = mp_places_way(&facts->blocks, place, sort).user, named;
    uint64_t part = 0;

    while (!mp_tree_ends(tree, at) && !is_telling(facts, mp_tree_function(tree, at)))
        at = tree->nodes[at].parent;
    if (mp_tree_ends(tree, at))
        return MP_NO_ID;
    named = mp_tree_function(tree, at);
    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->blocks.next[node]) {
        at = node;
        while (!mp_tree_ends(tree, at) && mp_tree_function(tree, at) != named)
            at = tree->nodes[at].parent;
        if (!mp_tree_ends(tree, at))
            part = mp_plus(part, weight_of(facts, node, sort));
    }
    return mp_facts_reaches(part, mp_counts_key(&place->counts, sort), permille) ? named : MP_NO_ID;
}

/* Returns " (a.c:12, 15 and 31)" for the lines of SHARES with most of the figure, or "" if there are none. */
static const char *
lines_text(const struct mp_facts *facts, const struct shares *shares)
{
    const char *text = "", *file = "";
    uint32_t n = 0, named;

    while (n < shares->n && mp_facts_reaches(shares->list[n].weight, shares->all, LINE_PART))
        n++;
    named = n < LINES ? n : LINES;
    for (uint32_t i = 0; i < named; i++) {
        const struct mp_location *at =
            &facts->view->locations[facts->tree->nodes[shares->list[i].id].location];
        const char *here = mp_tree_file(facts->tree, shares->list[i].id);
        const char *comma = i == 0 ? "" : i + 1 == n ? " and " : ", ";

        text = strcmp(here, file) == 0
                   ? mp_arena_printf(facts->arena, "%s%s%" PRIu32, text, comma, at->line)
                   : mp_arena_printf(facts->arena, "%s%s%s:%" PRIu32, text, comma, here, at->line);
        file = here;
    }
    if (n > named)
        text = mp_arena_printf(facts->arena, "%s and %" PRIu32 " more", text, n - named);
    return n > 0 ? mp_arena_printf(facts->arena, " (%s)", text) : "";
}

const char *
mp_phrase_name(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort)
{
    const uint32_t function = function_of(facts, place);
    const char *name = mp_facts_function(facts->tree, facts->blocks.owner[place->first]);
    const struct shares lines = shares_of(facts, place, sort, 0, true);

    if (is_nameless(facts, function)) {
        const char *mostly = "";
        uint32_t below = nearest_named(facts, place, sort, SAME_CALLER);

        if (below == MP_NO_ID && *mp_phrase_callers(facts, place, sort) == '\0') {
            below = nearest_named(facts, place, sort, MOSTLY);
            mostly = "mostly ";
        }
        return below == MP_NO_ID
                   ? name : mp_arena_printf(facts->arena, "%s (%sbelow %s)", name, mostly, name_of(facts, below));
    }
    return mp_arena_printf(facts->arena, "%s%s", name, lines_text(facts, &lines));
}

/* ---------------------------------------------------------------- callers */

/* Returns "A (60 %), B (20 %) and C (9 %)" for the largest SHARES that have names and at least WAY_PART each. Returns
 * "" if these have less than WAYS_PART together. */
static const char *
ways_text(const struct mp_facts *facts, const struct shares *shares)
{
    const char *text = "";
    uint64_t sum = 0;
    uint32_t n = 0, named[WAYS];

    for (uint32_t i = 0; i < shares->n && i < WAYS; i++)
        if (mp_facts_reaches(shares->list[i].weight, shares->all, WAY_PART) &&
            !is_nameless(facts, shares->list[i].id)) {
            named[n++] = i;
            sum = mp_plus(sum, shares->list[i].weight);
        }
    if (!mp_facts_reaches(sum, shares->all, WAYS_PART))
        return "";
    for (uint32_t i = 0; i < n; i++)
        text = mp_arena_printf(facts->arena, "%s%s%s (%s)", text, i == 0 ? "" : i + 1 == n ? " and " : ", ",
                               name_of(facts, shares->list[named[i]].id),
                               mp_facts_share(facts, shares->list[named[i]].weight, shares->all));
    return text;
}

const char *
mp_phrase_callers(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort)
{
    const uint32_t own = function_of(facts, place);
    const uint32_t below = is_nameless(facts, own) ? nearest_named(facts, place, sort, SAME_CALLER) : MP_NO_ID;
    uint32_t single = MP_NO_ID, level = 1;
    const char *ways = "", *text = "";

    for (; level <= LEVELS; level++) {
        const struct shares shares = shares_of(facts, place, sort, level, false);
        const struct shares lines = shares_of(facts, place, sort, level, true);

        if (shares.n == 0)
            break;
        if (!mp_facts_reaches(shares.list[0].weight, shares.all, SAME_CALLER)) {
            ways = ways_text(facts, &shares);
            break;
        }
        if (single == MP_NO_ID && shares.list[0].id != below &&
            (is_telling(facts, shares.list[0].id) || (level == 1 && lines.n > 0))) {
            single = shares.list[0].id;
            text = mp_arena_printf(facts->arena, ", called %s %s%s", level == 1 ? "by" : "from", name_of(facts, single),
                                   lines_text(facts, &lines));
        }
    }
    if (*ways == '\0')
        return text;
    return mp_arena_printf(facts->arena, "%s%s%s", text,
                           *text ? " on behalf of " : level == 1 ? ", called by " : ", called from ", ways);
}

const char *
mp_phrase_who(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort)
{
    const char *callers = mp_phrase_callers(facts, place, sort);

    return mp_arena_printf(facts->arena, "%s%s%s", mp_phrase_name(facts, place, sort), callers, *callers ? "," : "");
}

/* ---------------------------------------------------------------- wrappers */

const char *
mp_phrase_through(const struct mp_facts *facts, const struct mp_candidate_place *place, enum mp_sort sort)
{
    const struct mp_profile *view = facts->view;
    const uint32_t node = mp_places_way(&facts->blocks, place, sort).node;
    uint32_t through = MP_NO_ID, served = 0;

    if (facts->blocks.owner[node] != node) {
        uint32_t at = node;

        while (facts->tree->nodes[at].parent != facts->blocks.owner[node])
            at = facts->tree->nodes[at].parent;
        through = mp_tree_function(facts->tree, at);
    } else if (view->through && mp_tree_cells(facts->tree, node) > 0) {
        through = view->through[view->cells[facts->tree->cells[facts->tree->nodes[node].first_cell]].context];
        served = view->served && through != MP_NO_ID ? view->served[through] : 0;
    }
    if (through == MP_NO_ID || (served == 0 && is_nameless(facts, through)) ||
        strncmp(name_of(facts, through), "std::", 5) == 0)
        return "";
    if (served < 2)
        return mp_arena_printf(facts->arena, " through %s", name_of(facts, through));
    return mp_arena_printf(facts->arena, " through %s, which serves %" PRIu32 " callers,", name_of(facts, through),
                           served);
}
