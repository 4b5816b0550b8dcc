/* Objects that occupy much more than was asked for. */
#include "facts.h"

enum { BYTES, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {1000000, MP_IN_BYTES, "one place has at least %s that were not asked for"},
    [OWN] = {300, MP_IN_PERMILLE, "these are at least %s of what its objects occupy"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of the bytes of all objects"},
};

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place, uint64_t more)
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->objects, place, MP_SORT_BYTES, more,
                                               facts->objects.all.bytes);

    MP_FINDING_TEXT(facts, finding, "%s asked for %s in %s objects, which occupy %s: the collector rounds "
                    "sizes up, and %s of these bytes are never used.", finding->function,
                    mp_facts_bytes(facts, c->requested), mp_facts_blocks(facts, c->allocs),
                    mp_facts_bytes(facts, c->bytes), mp_facts_share(facts, more, c->bytes));
    mp_finding_figure(finding, "requested", MP_IN_BYTES, c->requested);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, c->bytes);
    mp_finding_figure(finding, "objects", MP_IN_BLOCKS, c->allocs);
    mp_facts_command(facts, finding, "--lisp --table=sites");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    for (uint32_t i = 0; i < facts->objects.n; i++) {
        const struct mp_counts *c = &facts->objects.list[i].counts;
        uint64_t more = c->bytes > c->requested ? c->bytes - c->requested : 0;

        if (c->requested > 0 && more >= rule->limits[BYTES].value &&
            mp_facts_reaches(more, c->bytes, rule->limits[OWN].value) &&
            mp_facts_reaches(more, facts->objects.all.bytes, rule->limits[SHARE].value))
            say(facts, rule, &facts->objects.list[i], more);
    }
}

const struct mp_rule mp_rule_rounded = {
    .key = "rounded", .title = "Objects larger than what was asked for", .family = MP_RULES_SHAPE,
    .about = "Objects of Lisp occupy much more than was asked for: both are recorded.  Of blocks of malloc "
             "this is known of tiny ones only; whether a block was ever filled is not.",
    .limits = limits, .n_limits = sizeof limits / sizeof *limits, .find = find,
};
