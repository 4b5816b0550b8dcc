/* SPDX-License-Identifier: MIT */
/* Finds places that hold more memory at the end of a part of the time than at its beginning. */
#include "facts.h"

enum { BYTES, BLOCKS, SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {64000, MP_IN_BYTES,
               "one place holds at least %s more at the end of a part of the time than at its beginning"},
    [BLOCKS] = {100, MP_IN_BLOCKS, "in at least %s more blocks"},
    [SHARE] = {100, MP_IN_PERMILLE, "and that is at least %s of the growth of all places that grew"},
};

static uint64_t
growth(uint64_t kept)
{
    return (int64_t)kept > 0 ? kept : 0;
}

static uint64_t
all_growth(const struct mp_facts *facts)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < facts->blocks.n; i++)
        all = mp_plus(all, growth(facts->blocks.list[i].counts.kept));
    return all;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place, uint64_t all)
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_KEPT, c->kept, all);

    MP_FINDING_TEXT(facts, finding, "what %s allocates grew by %s in %s blocks, %s of all that grew: it "
                    "allocated %s blocks%s%s, and %s were freed.", finding->function,
                    mp_facts_bytes(facts, c->kept), mp_facts_blocks(facts, c->kept_blocks),
                    mp_facts_share(facts, c->kept, all), mp_facts_blocks(facts, c->allocs),
                    place->size_min == place->size_max ? ", " : "",
                    place->size_min == place->size_max ? mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_OBJECTS)
                                                          : "",
                    c->frees == 0 ? "none" : mp_facts_blocks(facts, c->frees));
    mp_finding_figure(finding, "grown", MP_IN_BYTES, c->kept);
    mp_finding_figure(finding, "grown_blocks", MP_IN_BLOCKS, c->kept_blocks);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, c->frees);
    mp_facts_command(facts, finding, "--table=leaks --lines");
}

/* Considers blocks only. Objects that no collection has examined yet may be garbage. */
static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const uint64_t all = all_growth(facts);

    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_counts *c = &facts->blocks.list[i].counts;

        if (mp_rule_has(rule, BYTES, growth(c->kept)) && mp_rule_has(rule, BLOCKS, growth(c->kept_blocks)) &&
            mp_rule_share(rule, SHARE, c->kept, all))
            say(facts, rule, &facts->blocks.list[i], all);
    }
}

const struct mp_rule mp_rule_grew = {
    .key = "grew", .title = "More than before", .family = MP_RULES_HELD, .of = MP_OF_TIME,
    .about = "What a place allocates holds more memory at the end of a part of the time than at its beginning.  It "
             "is unknown whether it goes on growing or is freed later.",
    MP_RULE_LIMITS(limits), .find = find,
};
