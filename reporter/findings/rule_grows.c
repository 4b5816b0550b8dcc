/* SPDX-License-Identifier: MIT */
/* Finds places whose live memory grows and never falls. */
#include <inttypes.h>

#include "phrases.h"
#include "series.h"

enum { BYTES, BLOCKS, SHARE, STEPS, STEP, WHOLE, TOGETHER, EACH };
enum { MOST_TOGETHER = 4 };       /* as many as a sentence can list readably */

static const struct mp_limit limits[] = {
    [BYTES] = {1000000, MP_IN_BYTES, "one place has at least %s that are live at the end"},
    [BLOCKS] = {100, MP_IN_BLOCKS, "in at least %s blocks"},
    [SHARE] = {200, MP_IN_PERMILLE, "these are at least %s of the peak"},
    [STEPS] = {7, MP_IN_COUNT,
               "at nine times at equal distances, bytes and blocks were never less than at the time before, and they "
               "were more at %s or more of the last eight times"},
    [STEP] = {20, MP_IN_PERMILLE, "by at least %s of what is live at the end"},
    [WHOLE] = {900, MP_IN_PERMILLE,
               "if only sums are known at these times, the sums grew like that, the place has at least %s of "
               "everything that is live at the end, and it freed less than half of its blocks"},
    [TOGETHER] = {MOST_TOGETHER, MP_IN_COUNT, "or, in Lisp, at most %s such places have it together"},
    [EACH] = {100, MP_IN_PERMILLE, "with at least %s each"},
};

enum { LOOKS = MP_SERIES_LOOKS };

/* Returns 1 if LATER exceeds BEFORE by a significant share of END, the value at the end. Returns -1 if LATER is less
 * than BEFORE, else 0. */
static int
step(const struct mp_rule *rule, uint64_t before, uint64_t later, uint64_t end)
{
    if (later < before)
        return -1;
    return mp_rule_share(rule, STEP, later - before, end);
}

/* Returns whether LOOKS grow. If BLOCKS is false, numbers of blocks are known at the end only. */
static bool
grows(const struct mp_facts *facts, const struct mp_rule *rule,
      const struct mp_series_look looks[static LOOKS], bool blocks)
{
    const struct mp_series_look *end = &looks[LOOKS - 1];
    uint64_t steps = 0;

    if (!mp_rule_has(rule, BYTES, end->bytes) || !mp_rule_has(rule, BLOCKS, end->blocks) ||
        !mp_rule_share(rule, SHARE, end->bytes, facts->peak))
        return false;
    for (const struct mp_series_look *look = looks + 1; look <= end; look++) {
        int of_bytes = step(rule, look[-1].bytes, look->bytes, end->bytes);
        int of_blocks = blocks ? step(rule, look[-1].blocks, look->blocks, end->blocks) : 1;

        if (of_bytes < 0 || of_blocks < 0)
            return false;
        steps += of_bytes && of_blocks;
    }
    return mp_rule_has(rule, STEPS, steps);
}

/* Returns "200 kB were alive after a quarter of the time, ... after three quarters". */
static const char *
looks_text(const struct mp_facts *facts, const struct mp_series_look looks[static LOOKS])
{
    return mp_arena_printf(facts->arena, "%s were alive after a quarter of the time, %s after half, %s "
                           "after three quarters", mp_facts_bytes(facts, looks[2].bytes),
                           mp_facts_bytes(facts, looks[4].bytes), mp_facts_bytes(facts, looks[6].bytes));
}

static void
set_figures(struct mp_finding *finding, const struct mp_series_look looks[static LOOKS], uint64_t end,
            uint64_t allocs, uint64_t frees)
{
    mp_finding_figure(finding, "at_quarter", MP_IN_BYTES, looks[2].bytes);
    mp_finding_figure(finding, "at_half", MP_IN_BYTES, looks[4].bytes);
    mp_finding_figure(finding, "at_three_quarters", MP_IN_BYTES, looks[6].bytes);
    mp_finding_figure(finding, "at_end", MP_IN_BYTES, end);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, allocs);
    mp_finding_figure(finding, "frees", MP_IN_BLOCKS, frees);
}

static struct mp_finding *
find_one(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_places *places,
         const struct mp_candidate_place *place, const struct mp_series_look looks[static LOOKS], uint64_t end)
{
    const struct mp_counts *c = &place->counts;
    enum mp_sort sort = c->kept > 0 ? MP_SORT_KEPT : MP_SORT_PEAK;
    struct mp_finding *finding = mp_facts_find(facts, rule, places, place, sort, end, facts->peak);

    set_figures(finding, looks, end, c->allocs, c->frees);
    mp_facts_command(facts, finding, places == &facts->objects ? "--lisp --table=gc,leaks" : "--table=leaks --lines");
    return finding;
}

/* Returns ", 99 % of the peak. Of its 1,000 blocks, of 8 bytes, none were freed." */
static const char *
end_text(const struct mp_facts *facts, const struct mp_candidate_place *place, uint64_t end)
{
    const struct mp_counts *c = &place->counts;

    return mp_arena_printf(facts->arena, ", %s of the peak. Of its %s blocks, %s, %s were freed.",
                           mp_facts_share(facts, end, facts->peak), mp_facts_blocks(facts, c->allocs),
                           mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_OBJECTS),
                           c->frees == 0 ? "none" : mp_facts_blocks(facts, c->frees));
}

/* Finds growing places where the time line has the live memory of each place. */
static void
find_by_place(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_series *series)
{
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_candidate_place *place = &facts->blocks.list[i];
        const struct mp_series_look *looks = &series->looks[i * (size_t)LOOKS];
        const uint64_t end = looks[LOOKS - 1].bytes;
        struct mp_finding *finding;

        if (!grows(facts, rule, looks, true))
            continue;
        finding = find_one(facts, rule, &facts->blocks, place, looks, end);
        MP_FINDING_TEXT(facts, finding, "What %s allocates grew from the beginning to the end and was "
                        "never less: %s, %s in the end%s", mp_phrase_who(facts, place, finding->sort),
                        looks_text(facts, looks), mp_facts_bytes(facts, end), end_text(facts, place, end));
    }
}

/* Finds places where the time line has only the sum of all places. A place must have nearly all of the memory that is
 * alive in the end. */
static void
find_by_sums(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_series_look looks[static LOOKS])
{
    const uint64_t all = looks[LOOKS - 1].bytes;

    if (!grows(facts, rule, looks, false))
        return;
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_candidate_place *place = &facts->blocks.list[i];
        const struct mp_series_look end = mp_look_of(&place->counts);
        struct mp_finding *finding;

        if (!mp_rule_share(rule, WHOLE, end.bytes, all) || end.blocks <= place->counts.frees)
            continue;
        finding = find_one(facts, rule, &facts->blocks, place, looks, end.bytes);
        MP_FINDING_TEXT(facts, finding, "The memory in use grew from the beginning to the end and was never "
                        "less: %s, and %s in the end. %s allocated %s of these%s",
                        looks_text(facts, looks), mp_facts_bytes(facts, all),
                        mp_phrase_who(facts, place, finding->sort),
                        mp_facts_bytes(facts, end.bytes), end_text(facts, place, end.bytes));
    }
}

/* ---------------------------------------------------------------- objects */

/* The smallest set of places that together have nearly all live objects, sorted by size, largest first. */
struct together {
    const struct mp_candidate_place *places[MOST_TOGETHER];
    uint32_t n;
    uint64_t kept, blocks, allocs, frees;
};

/* Returns the largest suitable place that follows LAST in the order of size, then position. LAST is NULL at first.
 * Returns NULL at the end. */
static const struct mp_candidate_place *
next_largest(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *last)
{
    const struct mp_places *all = &facts->objects;
    const struct mp_candidate_place *found = NULL;

    for (uint32_t i = 0; i < all->n; i++) {
        const struct mp_candidate_place *place = &all->list[i];
        const struct mp_counts *c = &place->counts;

        if (c->kept_blocks <= c->frees || !mp_rule_share(rule, EACH, c->kept, all->all.kept))
            continue;
        if (last && (c->kept > last->counts.kept || (c->kept == last->counts.kept && place <= last)))
            continue;
        if (!found || c->kept > found->counts.kept)
            found = place;
    }
    return found;
}

/* Collects the largest places in FOUND until they have nearly all live objects. Returns false if this takes more than
 * MOST_TOGETHER places. */
static bool
find_together(const struct mp_facts *facts, const struct mp_rule *rule, struct together *found)
{
    const struct mp_candidate_place *place = NULL;

    *found = (struct together){0};
    while (found->n < MOST_TOGETHER && (place = next_largest(facts, rule, place)) != NULL) {
        found->places[found->n++] = place;
        found->kept += place->counts.kept;
        found->blocks += place->counts.kept_blocks;
        found->allocs += place->counts.allocs;
        found->frees += place->counts.frees;
        if (mp_rule_share(rule, WHOLE, found->kept, facts->objects.all.kept))
            return true;
    }
    return false;
}

/* Returns "HOLD 5.0 MB, KEEP (a.lisp:9) 4.0 MB and PUT (a.lisp:14) 1.0 MB". The first place has no
 * line, because the finding's chain shows its line. */
static const char *
places_text(const struct mp_facts *facts, const struct mp_finding *finding, const struct together *found)
{
    const char *text = finding->function;

    for (uint32_t i = 0; i < found->n; i++) {
        if (i > 0)
            text = mp_arena_printf(facts->arena, "%s%s%s", text, i + 1 < found->n ? ", " : " and ",
                                   finding->also[i - 1].call);
        text = mp_arena_printf(facts->arena, "%s %s", text, mp_facts_bytes(facts, found->places[i]->counts.kept));
    }
    return text;
}

/* Reports several places in one finding, because it is unknown which of them grew, and when. */
static void
say_together(struct mp_facts *facts, const struct mp_rule *rule, const struct together *found,
             const struct mp_series_look looks[static LOOKS])
{
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->objects, found->places[0], MP_SORT_KEPT, found->kept, facts->peak);

    mp_facts_also(facts, finding, &facts->objects, found->places + 1, found->n - 1, MP_SORT_KEPT);
    set_figures(finding, looks, found->kept, found->allocs, found->frees);
    mp_finding_figure(finding, "places", MP_IN_COUNT, found->n);
    mp_facts_command_of_all(facts, finding, "--lisp --table=gc,leaks");
    MP_FINDING_TEXT(facts, finding, "What collections left alive grew from the beginning to the end and was "
                    "never less: %s, and %s in the end. %" PRIu32 " places together made %s of what lives still, in "
                    "%s objects, %s of the peak: %s.", looks_text(facts, looks),
                    mp_facts_bytes(facts, looks[LOOKS - 1].bytes), found->n,
                    mp_facts_bytes(facts, found->kept), mp_facts_blocks(facts, found->blocks),
                    mp_facts_share(facts, found->kept, facts->peak), places_text(facts, finding, found));
}

static void
say_one(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place,
        const struct mp_series_look looks[static LOOKS])
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = find_one(facts, rule, &facts->objects, place, looks, c->kept);

    MP_FINDING_TEXT(facts, finding, "What collections left alive grew from the beginning to the end and was "
                    "never less: %s, and %s in the end. %s made %s of what lives still, in %s objects, %s of "
                    "the peak.", looks_text(facts, looks), mp_facts_bytes(facts, looks[LOOKS - 1].bytes),
                    finding->function, mp_facts_bytes(facts, c->kept),
                    mp_facts_blocks(facts, c->kept_blocks), mp_facts_share(facts, c->kept, facts->peak));
}

/* Finds growing places of objects. Only objects that a collection left alive count, because others may be garbage. */
static void
find_by_collections(struct mp_facts *facts, const struct mp_rule *rule,
                    const struct mp_series_look looks[static LOOKS])
{
    struct together found;

    if (!grows(facts, rule, looks, false) || !find_together(facts, rule, &found))
        return;
    if (found.n == 1)
        say_one(facts, rule, found.places[0], looks);
    else
        say_together(facts, rule, &found, looks);
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    struct mp_series_look looks[LOOKS];
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
    .about = "The memory that a place holds grows as long as the program runs.  This is known only with a time line. "
             " An observer reads the counters one after the other while the program runs, so each of its figures "
             "belongs to an instant near the stated time.  In Lisp, where garbage also grows, only memory that a "
             "collection left alive counts.  It is known only as a sum, so it is unknown which of several places "
             "that have most of it at the end have grown.  Recordings of less than 80 ms are not examined.",
    MP_RULE_LIMITS(limits), .find = find,
};
