/* SPDX-License-Identifier: MIT */
/* Finds blocks that one thread allocates and another frees. */
#include "facts.h"

enum { BLOCKS, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BLOCKS] = {100000, MP_IN_BLOCKS,
                "at least %s blocks of one place were freed by threads that had not allocated them"},
    [OWN] = {500, MP_IN_PERMILLE, "these are at least %s of the freed blocks of the place"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of all freed blocks"},
};

static bool
is_across(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;

    return mp_rule_has(rule, BLOCKS, c->crossed) && mp_rule_share(rule, OWN, c->crossed, c->frees) &&
           mp_rule_share(rule, SHARE, c->crossed, facts->blocks.all.frees);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_OBJECTS,
                                               c->crossed, facts->blocks.all.frees);

    MP_FINDING_TEXT(facts, finding, "%s allocated %s blocks, of which at least %s were freed by other "
                    "threads than had allocated them, %s of all that were freed. An allocator that keeps "
                    "blocks for each thread does not find them again where the next one is wanted.",
                    finding->function, mp_facts_blocks(facts, c->allocs),
                    mp_facts_blocks(facts, c->crossed),
                    mp_facts_share(facts, c->crossed, facts->blocks.all.frees));
    mp_finding_figure(finding, "crossed", MP_IN_BLOCKS, c->crossed);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, c->frees);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_facts_command(facts, finding, "--table=tree --sort=allocs --lines");
}

const struct mp_rule mp_rule_across = {
    .key = "across", .title = "Allocated by one thread, freed by another", .family = MP_RULES_SHAPE,
    .of = MP_OF_ALL,
    .about = "Threads pass blocks on to other threads, which free them.  Their number is known only as a minimum, "
             "that is, the frees of a chain by a thread less its allocations.  In a sampled recording it is unknown.",
    MP_RULE_LIMITS(limits), .is = is_across, .say = say,
};
