/* Finds places that allocate temporary blocks of one size again and again. */
#include "facts.h"

enum { BLOCKS, SHARE, OWN, RATE };

static const struct mp_limit limits[] = {
    [BLOCKS] = {500000, MP_IN_BLOCKS,
                "one place has at least %s temporary blocks, and all of its blocks have one size"},
    [SHARE] = {100, MP_IN_PERMILLE, "these are at least %s of all allocations of the program"},
    [OWN] = {900, MP_IN_PERMILLE, "and at least %s of the allocations of the place"},
    [RATE] = {50000, MP_IN_COUNT, "there were at least %s per second while the program was recorded"},
};

static bool
is_churn(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const uint64_t temporary = place->counts.temporary, duration = facts->view->meta.duration;

    return duration > 0 && place->size_min == place->size_max && mp_rule_has(rule, BLOCKS, temporary) &&
           mp_rule_share(rule, SHARE, temporary, facts->totals.all.allocs) &&
           mp_rule_share(rule, OWN, temporary, place->counts.allocs) &&
           (long double)temporary * 1e9L >= (long double)duration * rule->limits[RATE].value;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t all = facts->totals.all.allocs;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_TEMPORARY,
                                               c->temporary, all);

    MP_FINDING_TEXT(facts, finding, "%s allocated a block %s %s times, and %s times it was freed before "
                    "its thread allocated another: %s of all allocations. One block that is kept, or one "
                    "on the stack, can serve for all of these.", finding->function,
                    mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_TEMPORARY), mp_facts_blocks(facts, c->allocs),
                    mp_facts_blocks(facts, c->temporary), mp_facts_share(facts, c->temporary, all));
    mp_finding_figure(finding, "temporary", MP_IN_BLOCKS, c->temporary);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "size", MP_IN_BYTES, place->size_min);
    mp_facts_command(facts, finding, "--table=tree --sort=temporary --lines");
}

const struct mp_rule mp_rule_churn = {
    .key = "churn", .title = "Allocated for a moment, again and again", .family = MP_RULES_MADE,
    .of = MP_OF_ALL,
    .about = "A place allocates blocks of one size, each of which is freed before its thread allocates "
             "another one.",
    MP_RULE_LIMITS(limits), .is = is_churn, .say = say,
};
