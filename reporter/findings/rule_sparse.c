/* SPDX-License-Identifier: MIT */
/* Finds memory that malloc holds although much of it is free. */
#include "facts.h"
#include "reporter/profile/held_memory.h"

enum { FREE, SHARE, PASSED };

static const struct mp_limit limits[] = {
    [FREE] = {MP_LEAST_UNUSED, MP_IN_BYTES, "at least %s were free in chunks of malloc when the program ended"},
    [SHARE] = {500, MP_IN_PERMILLE, "these are at least %s of what malloc held"},
    [PASSED] = {250, MP_IN_PERMILLE, "and one place had at least %s of what was freed since the peak"},
};

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_live_allocator *of = &facts->view->allocator;
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_PEAK, of->free, of->held);

    MP_FINDING_TEXT(facts, finding, "malloc held %s when the program ended, and %s of them, %s, were free: it could "
                    "not give them back, or did not. Most that was freed since the peak were blocks of %s: %s of %s.",
                    mp_facts_bytes(facts, of->held), mp_facts_bytes(facts, of->free),
                    mp_facts_share(facts, of->free, of->held), finding->function,
                    mp_facts_bytes(facts, mp_place_freed_later(place)),
                    mp_facts_bytes(facts, mp_counts_key(c, MP_SORT_PEAK)));
    mp_finding_figure(finding, "held", MP_IN_BYTES, of->held);
    mp_finding_figure(finding, "free", MP_IN_BYTES, of->free);
    mp_finding_figure(finding, "kept", MP_IN_BYTES, c->kept);
    mp_finding_figure(finding, "freed", MP_IN_BYTES, mp_place_freed_later(place));
    mp_facts_command(facts, finding, "--at=peak --table=tree --lines");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_live_allocator *of = &facts->view->allocator;
    const struct mp_candidate_place *most;
    uint64_t all;

    if (!mp_rule_has(rule, FREE, of->free) || !mp_rule_share(rule, SHARE, of->free, of->held))
        return;
    most = mp_places_most_freed_later(&facts->blocks, &all);
    if (most && mp_rule_share(rule, PASSED, mp_place_freed_later(most), all))
        say(facts, rule, most);
}

const struct mp_rule mp_rule_sparse = {
    .key = "sparse", .title = "Memory that malloc holds and does not use", .family = MP_RULES_SHAPE,
    .of = MP_OF_ALL,
    .about = "The allocator still holds memory that the program has freed, because live blocks lie between, or to "
             "use it later.  With mprof run --held, glibc's malloc reports how much that is when the program calls "
             "exit().  It is unknown which blocks lie between.  Nothing is reported for other allocators and for "
             "programs that end otherwise.",
    MP_RULE_LIMITS(limits), .find = find,
};
