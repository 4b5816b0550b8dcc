/* Grows and never falls. */
#include "facts.h"
#include "series.h"

enum { BYTES, SHARE, STEPS, STEP, WHOLE };

static const struct mp_limit limits[] = {
    [BYTES] = {256000, MP_IN_BYTES, "at least %s are alive in the end"},
    [SHARE] = {200, MP_IN_PERMILLE, "at least %s of the peak"},
    [STEPS] = {7, MP_IN_COUNT,
               "looked at nine times at equal distances, it was never less than at the time before, "
               "and at least %s times of eight more"},
    [STEP] = {20, MP_IN_PERMILLE, "more by at least %s of what is alive in the end"},
    [WHOLE] = {900, MP_IN_PERMILLE,
               "where only sums are known at so many times, these grew so, and the place has at least %s "
               "of all that is alive in the end"},
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

/* "200 kB were alive after a quarter of the time, ... after three quarters" */
static const char *
looks_text(const struct mp_facts *facts, const uint64_t live[static LOOKS])
{
    return mp_arena_printf(facts->arena, "%s were alive after a quarter of the time, %s after half, %s "
                           "after three quarters", mp_facts_bytes(facts, live[2]),
                           mp_facts_bytes(facts, live[4]), mp_facts_bytes(facts, live[6]));
}

static struct mp_finding *
find_one(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place,
         const uint64_t live[static LOOKS], uint64_t end)
{
    const struct mp_counts *c = &place->counts;
    enum mp_sort sort = c->kept > 0 ? MP_SORT_KEPT : MP_SORT_PEAK;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, sort, end, facts->peak);

    mp_finding_figure(finding, "at_quarter", MP_IN_BYTES, live[2]);
    mp_finding_figure(finding, "at_half", MP_IN_BYTES, live[4]);
    mp_finding_figure(finding, "at_three_quarters", MP_IN_BYTES, live[6]);
    mp_finding_figure(finding, "at_end", MP_IN_BYTES, end);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, c->frees);
    mp_facts_command(facts, finding, "--table=leaks --lines");
    return finding;
}

/* ", 99 % of the peak. Of its 1,000 blocks, of 8 bytes, none were freed." */
static const char *
end_text(const struct mp_facts *facts, const struct mp_place *place, uint64_t end)
{
    const struct mp_counts *c = &place->counts;

    return mp_arena_printf(facts->arena, ", %s of the peak. Of its %s blocks, %s, %s were freed.",
                           mp_facts_share(facts, end, facts->peak), mp_facts_blocks(facts, c->allocs),
                           mp_facts_sizes(facts, place, c->kept > 0 ? MP_SORT_KEPT : MP_SORT_PEAK),
                           c->frees == 0 ? "none" : mp_facts_blocks(facts, c->frees));
}

/* What each place held is known at all times. */
static void
find_by_place(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_series *series)
{
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_place *place = &facts->blocks.list[i];
        const uint64_t *live = &series->live[i * (size_t)LOOKS], end = live[LOOKS - 1];
        struct mp_finding *finding;

        if (!grows(facts, rule, live))
            continue;
        finding = find_one(facts, rule, place, live, end);
        MP_FINDING_TEXT(facts, finding, "What %s allocates grew from the beginning to the end and was "
                        "never less: %s, %s in the end%s", finding->function, looks_text(facts, live),
                        mp_facts_bytes(facts, end), end_text(facts, place, end));
    }
}

/* Only what all held together; in the end, nearly all of it is one place's. */
static void
find_by_sums(struct mp_facts *facts, const struct mp_rule *rule, uint64_t live[static LOOKS])
{
    const struct mp_counts *sums = &facts->totals.all;
    const uint64_t all = sums->bytes > sums->freed ? sums->bytes - sums->freed : 0;

    live[LOOKS - 1] = all;      /* what the last point saw was before the end */
    if (!grows(facts, rule, live))
        return;
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_place *place = &facts->blocks.list[i];
        uint64_t end = place->counts.bytes - place->counts.freed;
        struct mp_finding *finding;

        if (!mp_facts_reaches(end, all, rule->limits[WHOLE].value))
            continue;
        finding = find_one(facts, rule, place, live, end);
        MP_FINDING_TEXT(facts, finding, "The memory in use grew from the beginning to the end and was never "
                        "less: %s, and %s in the end. %s allocated %s of these%s",
                        looks_text(facts, live), mp_facts_bytes(facts, all), finding->function,
                        mp_facts_bytes(facts, end), end_text(facts, place, end));
    }
}

/* Objects that a collector has not looked at are garbage perhaps: of them nothing is said. */
static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    uint64_t live[LOOKS];
    struct mp_series series;

    if (facts->blocks.n == 0)
        return;
    if (mp_series_of(facts, &facts->blocks, &series))
        find_by_place(facts, rule, &series);
    else if (mp_series_of_all(facts, live))
        find_by_sums(facts, rule, live);
}

const struct mp_rule mp_rule_grows = {
    .key = "grows", .title = "Grows and never falls", .family = MP_RULES_HELD,
    .about = "What a place holds is more and more, as long as the program runs.  Known where there is a "
             "time line.  What an observer wrote in it was looked at and not stopped: each figure is of "
             "an instant near that time.  Of Lisp nothing is said here, as garbage grows, too.",
    .limits = limits, .n_limits = sizeof limits / sizeof *limits, .find = find,
};
