/* SPDX-License-Identifier: MIT */
/* Says below which function most blocks are allocated, if no single function has many of them. */
#include "phrases.h"

enum { COST, TURNS, ALONE, BELOW };

static const struct mp_limit limits[] = {
    [COST] = {40000000, MP_IN_NANOSECONDS, "all blocks cost at least %s, estimated as 60 ns for each block and 0.1 ns "
                                           "for each byte"},
    [TURNS] = {5, MP_IN_COUNT, "at least %s times the peak is allocated"},
    [ALONE] = {500, MP_IN_PERMILLE, "no function has %s of the cost alone"},
    [BELOW] = {350, MP_IN_PERMILLE, "a function below which most is allocated has at least %s of the cost"},
};

#define NAMED   3u              /* largest functions that the sentence names */
#define ALL     950u            /* per mille; a function with more of the cost, such as main, is not worth naming */

/* Returns the cost of PLACE if most of its bytes were freed before the peak or allocated after it, else 0. */
static uint64_t
cost_of_freed(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    (void)facts;
    (void)rule;
    return mp_counts_key(&place->counts, MP_SORT_PEAK) <= place->counts.bytes / 2 ? mp_facts_cost(&place->counts) : 0;
}

/* Returns, by node, the cost of the blocks of the node and all its descendants. */
static const uint64_t *
inclusive_costs(const struct mp_facts *facts)
{
    const struct mp_tree *tree = facts->tree;
    uint64_t *costs = mp_arena_alloc(facts->arena, tree->n_nodes * sizeof *costs);

    for (uint32_t node = tree->n_nodes; node-- > 0;) {
        const struct mp_counts self = mp_places_counts(&facts->blocks, node);

        costs[node] = mp_plus(costs[node], mp_facts_cost(&self));
        if (node > 0)
            costs[tree->nodes[node].parent] = mp_plus(costs[tree->nodes[node].parent], costs[node]);
    }
    return costs;
}

/* Follows the callee with the largest cost inwards from the root. Returns the innermost node that has a name, at least
 * the limit BELOW of the cost, and less than ALL of it. Returns 0 if there is none. */
static uint32_t
common_caller(const struct mp_facts *facts, const struct mp_rule *rule, const uint64_t *costs)
{
    const struct mp_tree *tree = facts->tree;
    const struct mp_tree_children children = mp_tree_children(tree, facts->arena);
    uint32_t at = 0, found = 0;

    for (;;) {
        uint32_t most = 0;

        for (uint32_t i = children.first[at]; i < children.first[at + 1]; i++)
            if (most == 0 || costs[children.list[i]] > costs[most])
                most = children.list[i];
        if (most == 0 || mp_tree_ends(tree, most) || !mp_rule_share(rule, BELOW, costs[most], costs[0]))
            return found;
        at = most;
        if (!mp_facts_reaches(costs[at], costs[0], ALL) &&
            !mp_function_is_nameless(facts->view, &facts->view->functions[mp_tree_function(tree, at)]))
            found = at;
    }
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_counts *all = &facts->blocks.all;
    const struct mp_candidate_place *list[NAMED];
    struct mp_finding *finding;
    const uint64_t *costs;
    const char *text;
    uint32_t n = 0, below;

    for (uint32_t i = 0; i < facts->findings->n; i++)
        if (facts->findings->list[i].rule->family == MP_RULES_MADE)
            return;
    if (facts->little || facts->objects.n > 0 || facts->peak == 0 || !mp_rule_has(rule, COST, mp_facts_cost(all)) ||
        all->bytes / rule->limits[TURNS].value < facts->peak)
        return;
    n = mp_facts_heaviest(facts, rule, cost_of_freed, list, NAMED);
    if (n == 0)
        return;
    if (mp_rule_share(rule, ALONE, mp_facts_cost(&list[0]->counts), mp_facts_cost(all)))
        return;
    costs = inclusive_costs(facts);
    below = common_caller(facts, rule, costs);
    finding = mp_facts_find(facts, rule, &facts->blocks, list[0], MP_SORT_BYTES, mp_facts_cost(&list[0]->counts),
                            costs[0]);
    text = mp_arena_printf(facts->arena, "%s blocks with %s, %s times the peak, were allocated by many functions",
                           mp_facts_blocks(facts, all->allocs), mp_facts_bytes(facts, all->bytes),
                           mp_facts_blocks(facts, all->bytes / facts->peak));
    if (below > 0)
        text = mp_arena_printf(facts->arena, "%s, %s of the estimated cost below %s", text,
                               mp_facts_share(facts, costs[below], costs[0]), mp_facts_function(facts->tree, below));
    for (uint32_t i = 0; i < n; i++)
        text = mp_arena_printf(facts->arena, "%s%s %s%s (%s, %s blocks, %s)", text, i == 0 ? ". The largest:" : ";",
                               mp_phrase_name(facts, list[i], MP_SORT_BYTES),
                               mp_phrase_callers(facts, list[i], MP_SORT_BYTES),
                               mp_facts_share(facts, mp_facts_cost(&list[i]->counts), costs[0]),
                               mp_facts_blocks(facts, list[i]->counts.allocs),
                               mp_facts_sizes(facts, &facts->blocks, list[i], MP_SORT_BYTES));
    MP_FINDING_TEXT(facts, finding, "%s.", text);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, all->bytes);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, all->allocs);
    mp_finding_figure(finding, "peak", MP_IN_BYTES, facts->peak);
    mp_facts_command_of_all(facts, finding, "--table=sites --lines");
}

const struct mp_rule mp_rule_spread = {
    .key = "spread", .title = "Many blocks by many functions", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "Much is allocated and freed, and no function has much of it alone.  The sentence names the function "
             "below which most is allocated, if there is one, and the largest places.",
    MP_RULE_LIMITS(limits), .find = find,
};
