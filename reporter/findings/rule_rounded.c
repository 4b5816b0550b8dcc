/* SPDX-License-Identifier: MIT */
/* Finds objects that occupy much more memory than was requested. */
#include "facts.h"

enum { BYTES, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {1000000, MP_IN_BYTES, "one place has at least %s that were not requested"},
    [OWN] = {300, MP_IN_PERMILLE, "these are at least %s of what its objects occupy"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of the bytes of all objects"},
};

/* Returns the number of bytes beyond the requested ones. */
static uint64_t
more_of(const struct mp_counts *c)
{
    return c->requested > 0 && c->bytes > c->requested ? c->bytes - c->requested : 0;
}

static bool
is_rounded(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const uint64_t more = more_of(&place->counts);

    return mp_rule_has(rule, BYTES, more) && mp_rule_share(rule, OWN, more, place->counts.bytes) &&
           mp_rule_share(rule, SHARE, more, facts->objects.all.bytes);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const uint64_t more = more_of(&place->counts);
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

const struct mp_rule mp_rule_rounded = {
    .key = "rounded", .title = "Objects larger than requested", .family = MP_RULES_SHAPE,
    .of = MP_OF_ALL,
    .about = "Lisp objects occupy much more memory than was requested.  Both figures are recorded.  For blocks of "
             "malloc, the memory beyond the requested size is not recorded; it is computed for tiny blocks by the "
             "rule tiny, and not reported for larger ones.  Whether an object was ever filled is unknown.",
    MP_RULE_LIMITS(limits), .objects = true, .is = is_rounded, .say = say,
};
