/* Grows and never falls. */
#include "facts.h"
#include "series.h"

enum { BYTES, SHARE, STEPS, STEP };

static const struct mp_limit limits[] = {
    [BYTES] = {256000, MP_IN_BYTES, "at least %s are alive in the end"},
    [SHARE] = {200, MP_IN_PERMILLE, "at least %s of the peak"},
    [STEPS] = {7, MP_IN_COUNT,
               "looked at nine times at equal distances, it was never less than at the time before, "
               "and at least %s times of eight more"},
    [STEP] = {20, MP_IN_PERMILLE, "more by at least %s of what is alive in the end"},
};

enum { LOOKS = MP_SERIES_LOOKS };

static bool
grows(const struct mp_facts *facts, const struct mp_rule *rule, const uint64_t live[static LOOKS])
{
    uint64_t end = live[LOOKS - 1], steps = 0;

    if (end < rule->limits[BYTES].value ||
        !mp_facts_reaches(end, facts->peak, rule->limits[SHARE].value))
        return false;
    for (unsigned i = 1; i < LOOKS; i++) {
        if (live[i] < live[i - 1])
            return false;
        steps += mp_facts_reaches(live[i] - live[i - 1], end, rule->limits[STEP].value);
    }
    return steps >= rule->limits[STEPS].value;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
    const struct mp_place *place, const uint64_t live[static LOOKS])
{
    const struct mp_counts *c = &place->counts;
    const uint64_t end = live[LOOKS - 1];
    struct mp_finding *finding =
        mp_facts_find(facts, rule, places, place, c->kept > 0 ? MP_SORT_KEPT : MP_SORT_PEAK, end, facts->peak);

    MP_FINDING_TEXT(facts, finding, "What %s allocates grew from the beginning to the end and was never "
                    "less: %s were alive after a quarter of the time, %s after half, %s after three "
                    "quarters, %s in the end, %s of the peak. Of %s blocks %s were freed.",
                    finding->function, mp_facts_bytes(facts, live[2]), mp_facts_bytes(facts, live[4]),
                    mp_facts_bytes(facts, live[6]), mp_facts_bytes(facts, end),
                    mp_facts_share(facts, end, facts->peak), mp_facts_blocks(facts, c->allocs),
                    c->frees == 0 ? "none" : mp_facts_blocks(facts, c->frees));
    mp_finding_figure(finding, "at_quarter", MP_IN_BYTES, live[2]);
    mp_finding_figure(finding, "at_half", MP_IN_BYTES, live[4]);
    mp_finding_figure(finding, "at_three_quarters", MP_IN_BYTES, live[6]);
    mp_finding_figure(finding, "at_end", MP_IN_BYTES, end);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, c->frees);
    mp_facts_command(facts, finding, "--table=leaks --lines");
}

static void
find_in(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places)
{
    struct mp_series series;

    if (places->n == 0 || !mp_series_of(facts, places, &series))
        return;
    for (uint32_t i = 0; i < places->n; i++)
        if (grows(facts, rule, &series.live[i * (size_t)LOOKS]))
            say(facts, rule, places, &places->list[i], &series.live[i * (size_t)LOOKS]);
}

/* Objects that a collector has not looked at are garbage perhaps: of them nothing is said. */
static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_in(facts, rule, &facts->blocks);
}

const struct mp_rule mp_rule_grows = {
    .key = "grows", .title = "Grows and never falls", .family = MP_RULES_HELD,
    .about = "What a place holds is more and more, as long as the program runs.  Known where there is a "
             "time line.  What an observer wrote in it was looked at and not stopped: each figure is of "
             "an instant near that time.  Of Lisp nothing is said here, as garbage grows, too.",
    .limits = limits, .n_limits = sizeof limits / sizeof *limits, .find = find,
};
