/* Finds places whose blocks all die young. */
#include "facts.h"
#include "reporter/profile/lifetimes.h"

enum { BLOCKS, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BLOCKS] = {100000, MP_IN_BLOCKS,
                "one place has at least %s blocks that were freed before another 32 KiB were allocated"},
    [OWN] = {999, MP_IN_PERMILLE, "these are at least %s of the blocks that the place allocated"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of all allocations of the program"},
};

/* Sums the lifetimes of all blocks of PLACE. */
static struct mp_lifetimes
lifetimes_of(const struct mp_places *places, const struct mp_candidate_place *place)
{
    const struct mp_tree *tree = places->tree;
    struct mp_lifetimes sum = {{0}, {0}}, *to = &sum;

    for (uint32_t node = place->first; node != MP_NO_ID; node = places->next[node])
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

            if (places->takes(tree, node, cell))
                mp_lifetimes_add(&to, cell->lifetimes, NULL);
        }
    return sum;
}

static bool
is_young(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    struct mp_lifetimes lifetimes;
    uint64_t blocks;

    if (!facts->view->lifetimes || !mp_rule_has(rule, BLOCKS, place->counts.frees))
        return false;
    lifetimes = lifetimes_of(&facts->blocks, place);
    blocks = mp_lifetimes_short(&lifetimes).blocks;
    return mp_rule_has(rule, BLOCKS, blocks) && mp_rule_share(rule, OWN, blocks, place->counts.allocs) &&
           mp_rule_share(rule, SHARE, blocks, facts->totals.all.allocs);
}

/* Returns the smallest bound of a bucket below which at least 90 % of BLOCKS died. */
static uint64_t
border_of_most(const struct mp_lifetimes *lifetimes, uint64_t blocks)
{
    unsigned bucket = 0;

    while (bucket + 1 < MP_LIFETIMES_SHORT &&
           !mp_facts_reaches(mp_lifetimes_between(lifetimes, 0, bucket + 1).blocks, blocks, 900))
        bucket++;
    return (uint64_t)1 << MP_LIFETIME_BITS(bucket);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_lifetimes lifetimes = lifetimes_of(&facts->blocks, place);
    const uint64_t blocks = mp_lifetimes_short(&lifetimes).blocks, all = facts->totals.all.allocs;
    const uint64_t border = border_of_most(&lifetimes, blocks);
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_OBJECTS, blocks, all);

    MP_FINDING_TEXT(facts, finding, "%s allocated %s blocks, %s, %s of all allocations, and %s of them were "
                    "freed before the program had allocated another 32 KiB, nine of ten before another %s "
                    "bytes. They can come from an arena that is given back as a whole, or from the stack.",
                    finding->function, mp_facts_blocks(facts, place->counts.allocs),
                    mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_OBJECTS), mp_facts_share(facts, blocks, all),
                    blocks == place->counts.allocs ? "all" : mp_facts_blocks(facts, blocks),
                    mp_facts_blocks(facts, border));
    mp_finding_figure(finding, "short_lived", MP_IN_BLOCKS, blocks);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, place->counts.allocs);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, place->counts.bytes);
    mp_finding_figure(finding, "most_below", MP_IN_BYTES, border);
    mp_facts_command(facts, finding, "--table=lifetimes --chain=4 --lines");
}

const struct mp_rule mp_rule_young = {
    .key = "young", .title = "All die young", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "A place allocates blocks of which none, or next to none, outlives another 32 KiB of allocation.  This "
             "is known only in recordings with --lifetimes.",
    MP_RULE_LIMITS(limits), .is = is_young, .say = say,
};
