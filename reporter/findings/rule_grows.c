/* Grows and never falls. */
#include "facts.h"
#include "series.h"

enum { BYTES, BLOCKS, SHARE, STEPS, STEP, WHOLE };

static const struct mp_limit limits[] = {
    [BYTES] = {1000000, MP_IN_BYTES, "one place has at least %s that are alive in the end"},
    [BLOCKS] = {100, MP_IN_BLOCKS, "in at least %s blocks"},
    [SHARE] = {200, MP_IN_PERMILLE, "they are at least %s of the peak"},
    [STEPS] = {7, MP_IN_COUNT,
               "looked at nine times at equal distances, bytes and blocks were never less than the time before, and "
               "at least %s times of eight more"},
    [STEP] = {20, MP_IN_PERMILLE, "by at least %s of what is alive in the end"},
    [WHOLE] = {900, MP_IN_PERMILLE,
               "where only sums are known at so many times, these grew so, the place has at least %s of "
               "all that is alive in the end, and freed less than half of its blocks"},
};

enum { LOOKS = MP_SERIES_LOOKS };

/* Is LATER more than BEFORE by as much as counts, if the end is at END?  -1: it is less. */
static int
step(const struct mp_rule *rule, uint64_t before, uint64_t later, uint64_t end)
{
    if (later < before)
        return -1;
    return mp_rule_share(rule, STEP, later - before, end);
}

/* BLOCKS: how many they are is known, too, not in the end only. */
static bool
grows(const struct mp_facts *facts, const struct mp_rule *rule,
      const struct mp_look looks[static LOOKS], bool blocks)
{
    const struct mp_look *end = &looks[LOOKS - 1];
    uint64_t steps = 0;

    if (!mp_rule_has(rule, BYTES, end->bytes) || !mp_rule_has(rule, BLOCKS, end->blocks) ||
        !mp_rule_share(rule, SHARE, end->bytes, facts->peak))
        return false;
    for (const struct mp_look *look = looks + 1; look <= end; look++) {
        int of_bytes = step(rule, look[-1].bytes, look->bytes, end->bytes);
        int of_blocks = blocks ? step(rule, look[-1].blocks, look->blocks, end->blocks) : 1;

        if (of_bytes < 0 || of_blocks < 0)
            return false;
        steps += of_bytes && of_blocks;
    }
    return mp_rule_has(rule, STEPS, steps);
}

/* "200 kB were alive after a quarter of the time, ... after three quarters" */
static const char *
looks_text(const struct mp_facts *facts, const struct mp_look looks[static LOOKS])
{
    return mp_arena_printf(facts->arena, "%s were alive after a quarter of the time, %s after half, %s "
                           "after three quarters", mp_facts_bytes(facts, looks[2].bytes),
                           mp_facts_bytes(facts, looks[4].bytes), mp_facts_bytes(facts, looks[6].bytes));
}

static struct mp_finding *
find_one(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
         const struct mp_place *place, const struct mp_look looks[static LOOKS], uint64_t end)
{
    const struct mp_counts *c = &place->counts;
    enum mp_sort sort = c->kept > 0 ? MP_SORT_KEPT : MP_SORT_PEAK;
    struct mp_finding *finding = mp_facts_find(facts, rule, places, place, sort, end, facts->peak);

    mp_finding_figure(finding, "at_quarter", MP_IN_BYTES, looks[2].bytes);
    mp_finding_figure(finding, "at_half", MP_IN_BYTES, looks[4].bytes);
    mp_finding_figure(finding, "at_three_quarters", MP_IN_BYTES, looks[6].bytes);
    mp_finding_figure(finding, "at_end", MP_IN_BYTES, end);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, c->frees);
    mp_facts_command(facts, finding, places == &facts->objects ? "--lisp --table=gc,leaks" : "--table=leaks --lines");
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
        const struct mp_look *looks = &series->looks[i * (size_t)LOOKS];
        const uint64_t end = looks[LOOKS - 1].bytes;
        struct mp_finding *finding;

        if (!grows(facts, rule, looks, true))
            continue;
        finding = find_one(facts, rule, &facts->blocks, place, looks, end);
        MP_FINDING_TEXT(facts, finding, "What %s allocates grew from the beginning to the end and was "
                        "never less: %s, %s in the end%s", finding->function, looks_text(facts, looks),
                        mp_facts_bytes(facts, end), end_text(facts, place, end));
    }
}

/* Only what all held together; in the end, nearly all of it is one place's. */
static void
find_by_sums(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_look looks[static LOOKS])
{
    const uint64_t all = looks[LOOKS - 1].bytes;

    if (!grows(facts, rule, looks, false))
        return;
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_place *place = &facts->blocks.list[i];
        const struct mp_look end = mp_look_of(&place->counts);
        struct mp_finding *finding;

        if (!mp_rule_share(rule, WHOLE, end.bytes, all) || end.blocks <= place->counts.frees)
            continue;
        finding = find_one(facts, rule, &facts->blocks, place, looks, end.bytes);
        MP_FINDING_TEXT(facts, finding, "The memory in use grew from the beginning to the end and was never "
                        "less: %s, and %s in the end. %s allocated %s of these%s",
                        looks_text(facts, looks), mp_facts_bytes(facts, all), finding->function,
                        mp_facts_bytes(facts, end.bytes), end_text(facts, place, end.bytes));
    }
}

/* Objects that a collector has not looked at are garbage perhaps: only those that it left alive count. */
static void
find_by_collections(struct mp_facts *facts, const struct mp_rule *rule,
                    const struct mp_look looks[static LOOKS])
{
    if (!grows(facts, rule, looks, false))
        return;
    for (uint32_t i = 0; i < facts->objects.n; i++) {
        const struct mp_place *place = &facts->objects.list[i];
        const struct mp_counts *c = &place->counts;
        struct mp_finding *finding;

        if (!mp_rule_share(rule, WHOLE, c->kept, facts->objects.all.kept) || c->kept_blocks <= c->frees)
            continue;
        finding = find_one(facts, rule, &facts->objects, place, looks, c->kept);
        MP_FINDING_TEXT(facts, finding, "What collections left alive grew from the beginning to the end and was "
                        "never less: %s, and %s in the end. %s made %s of what lives still, in %s objects, %s of "
                        "the peak.", looks_text(facts, looks), mp_facts_bytes(facts, looks[LOOKS - 1].bytes),
                        finding->function, mp_facts_bytes(facts, c->kept),
                        mp_facts_blocks(facts, c->kept_blocks), mp_facts_share(facts, c->kept, facts->peak));
    }
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    struct mp_look looks[LOOKS];
    struct mp_series series;

    if (facts->blocks.n > 0 && mp_series_of(facts, &facts->blocks, &series))
        find_by_place(facts, rule, &series);
    else if (facts->blocks.n > 0 && mp_series_of_all(facts, looks))
        find_by_sums(facts, rule, looks);
    if (facts->objects.n > 0 && mp_series_of_collections(facts, looks))
        find_by_collections(facts, rule, looks);
}

const struct mp_rule mp_rule_grows = {
    .key = "grows", .title = "Grows and never falls", .family = MP_RULES_HELD,
    .of = MP_OF_ALL,
    .about = "What a place holds is more and more, as long as the program runs.  Known where there is a "
             "time line.  What an observer wrote in it was looked at and not stopped: each figure is of "
             "an instant near that time.  Of Lisp, where garbage grows, too, only what each collection left "
             "alive counts, which is known as a sum.",
    MP_RULE_LIMITS(limits), .find = find,
};
