/* Finds blocks that realloc enlarges in many small steps. */
#include "facts.h"

enum { STEPS, EACH, OTHERS, CALLS, CALLS_SHARE, MOVED, MOVED_SHARE };

static const struct mp_limit limits[] = {
    [STEPS] = {1000, MP_IN_BLOCKS,
               "one place has at least %s such steps, of blocks that the same call had allocated"},
    [EACH] = {100, MP_IN_PERMILLE, "together these made the blocks larger by at most %s"},
    [OTHERS] = {10, MP_IN_COUNT, "they are at least %s times as many as all other allocations of the place"},
    [CALLS] = {100000, MP_IN_BLOCKS, "and either they are at least %s"},
    [CALLS_SHARE] = {100, MP_IN_PERMILLE, "and at least %s of all allocations of the program"},
    [MOVED] = {10000000, MP_IN_BYTES, "or the blocks of the place whose address changed have at least %s"},
    [MOVED_SHARE] = {100, MP_IN_PERMILLE, "and at least %s of the bytes of all allocations"},
};

/* Returns whether blocks grow in many small steps. Doubling a block adds 1000 permille of its size at each step.
 * Growing it in N equal pieces adds about 2/N of the sum of all sizes before the steps. */
static bool
is_stairs(const struct mp_rule *rule, const struct mp_counts *c)
{
    return mp_rule_has(rule, STEPS, c->steps) &&
           (long double)c->steps_by * 1000 <= (long double)c->steps_from * rule->limits[EACH].value &&
           (long double)c->steps >= (long double)(c->allocs - c->steps) * rule->limits[OTHERS].value;
}

static bool
has_cost(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_counts *c)
{
    const struct mp_counts *all = &facts->totals.all;

    return (mp_rule_has(rule, CALLS, c->steps) &&
            mp_rule_share(rule, CALLS_SHARE, c->steps, all->allocs)) ||
           (mp_rule_has(rule, MOVED, c->moved) && mp_rule_share(rule, MOVED_SHARE, c->moved, all->bytes));
}

static bool
is_steps(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    return is_stairs(rule, &place->counts) && has_cost(facts, rule, &place->counts);
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

    MP_FINDING_TEXT(facts, finding, "realloc, called by %s, %s times made a block larger that it had "
                    "allocated before: from %s bytes to %s, on average. Of all allocations of the program "
                    "these are %s. %s. Room that is reserved at once, or doubled when it is used "
                    "up, needs few calls.", finding->function, mp_facts_blocks(facts, c->steps),
                    mp_facts_blocks(facts, c->steps_from / c->steps),
                    mp_facts_blocks(facts, mp_plus(c->steps_from, c->steps_by) / c->steps),
                    mp_facts_share(facts, c->steps, all->allocs), moved(facts, c));
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
