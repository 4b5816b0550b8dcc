/* SPDX-License-Identifier: MIT */
/* Finds blocks that realloc enlarges in many small steps. */
#include "phrases.h"

enum { STEPS, OWN, EACH, SMALL, SHARE, COST, BYTES, TURNS };

static const struct mp_limit limits[] = {
    [STEPS] = {1000, MP_IN_BLOCKS, "one function has at least %s such steps, "
                                   "of blocks that the same call had allocated"},
    [OWN] = {500, MP_IN_PERMILLE, "at least %s of its blocks are made by realloc from older ones"},
    [EACH] = {200, MP_IN_PERMILLE, "the steps together made the blocks larger by less than %s"},
    [SMALL] = {4096, MP_IN_BYTES, "or no block has more than %s"},
    [SHARE] = {150, MP_IN_PERMILLE, "they are at least %s of all allocations, or moved this part of all bytes"},
    [COST] = {5000000, MP_IN_NANOSECONDS, "and they cost at least %s, estimated as 60 ns for each and 0.1 ns for each "
                                          "byte that moved"},
    [BYTES] = {500, MP_IN_PERMILLE, "or the blocks that they made are at least %s of the bytes of all allocations"},
    [TURNS] = {10, MP_IN_COUNT, "and %s times the peak"},
};

/* The limit EACH tells small steps from doubling. Doubling adds 1000 permille of the block's size at each step. Growing
 * a block in N equal steps adds about 2/N of the sum of all sizes before the steps. */
static bool
is_steps(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts, *all = &facts->totals.all;
    const struct mp_counts moved = {.allocs = c->reallocs, .bytes = c->moved};

    const bool costly = !facts->little && mp_rule_has(rule, COST, mp_facts_cost(&moved)) &&
                        (mp_rule_share(rule, SHARE, c->reallocs, all->allocs) ||
                         mp_rule_share(rule, SHARE, c->moved, all->bytes));
    const uint64_t bytes = mp_plus(c->steps_from, c->steps_by);
    const bool puzzling = mp_rule_share(rule, BYTES, bytes, all->bytes) && facts->peak > 0 &&
                          bytes / rule->limits[TURNS].value >= facts->peak;

    return mp_rule_has(rule, STEPS, c->steps) && mp_rule_share(rule, OWN, c->reallocs, c->allocs) &&
           (!mp_rule_share(rule, EACH, c->steps_by, c->steps_from) || place->size_max <= rule->limits[SMALL].value) &&
           (costly || puzzling);
}

static const char *
moved(const struct mp_facts *facts, const struct mp_counts *c)
{
    if (c->moved == 0)
        return "No block got another address";
    return mp_arena_printf(facts->arena, "Blocks of %s in all got another address, %s of the bytes of all "
                           "allocations", mp_facts_bytes(facts, c->moved),
                           mp_facts_share(facts, c->moved, facts->totals.all.bytes));
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts, *all = &facts->totals.all;
    const bool calls = (long double)c->steps * all->bytes > (long double)c->moved * all->allocs;
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_OBJECTS, calls ? c->steps : c->moved,
                      calls ? all->allocs : all->bytes);

    MP_FINDING_TEXT(facts, finding, "realloc, called%s by %s%s, %s times made a block larger that it had "
                    "allocated before: from %s bytes to %s, on average. These are %s of all allocations and, as each "
                    "counts with its whole new size, %s of the %s that were allocated. %s. %s needs few calls.",
                    mp_phrase_through(facts, place, MP_SORT_OBJECTS),
                    mp_phrase_name(facts, place, MP_SORT_OBJECTS), mp_phrase_callers(facts, place, MP_SORT_OBJECTS),
                    mp_facts_blocks(facts, c->steps), mp_facts_blocks(facts, c->steps_from / c->steps),
                    mp_facts_blocks(facts, mp_plus(c->steps_from, c->steps_by) / c->steps),
                    mp_facts_share(facts, c->steps, all->allocs),
                    mp_facts_bytes(facts, mp_plus(c->steps_from, c->steps_by)), mp_facts_bytes(facts, all->bytes),
                    moved(facts, c),
                    place->size_max <= rule->limits[SMALL].value ? "A block that begins with room for several"
                                                     : "Room that is reserved at once, or doubled when it is used up,");
    mp_finding_figure(finding, "steps", MP_IN_BLOCKS, c->steps);
    mp_finding_figure(finding, "steps_from", MP_IN_BYTES, c->steps_from);
    mp_finding_figure(finding, "steps_by", MP_IN_BYTES, c->steps_by);
    mp_finding_figure(finding, "reallocs", MP_IN_BLOCKS, c->reallocs);
    mp_finding_figure(finding, "moved", MP_IN_BYTES, c->moved);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_facts_command(facts, finding, "--table=tree --sort=allocs --lines");
}

const struct mp_rule mp_rule_steps = {
    .key = "steps", .title = "Made larger in small steps", .family = MP_RULES_MADE,
    .of = MP_OF_ALL,
    .about = "realloc makes a block a little larger, again and again.  A realloc without a block, or one that does "
             "not make the block larger, is not a step.  A block whose address changed was copied or mapped "
             "elsewhere; a step that kept the address still costs a call.  In a sampled recording steps are unknown.",
    MP_RULE_LIMITS(limits), .is = is_steps, .say = say,
};
