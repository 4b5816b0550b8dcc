/* Never freed, by chains that allocate again and again. */
#include "facts.h"

enum { BLOCKS, BYTES, SHARE, FREED, CLEAN };

static const struct mp_limit limits[] = {
    [BLOCKS] = {100, MP_IN_BLOCKS, "at least %s blocks of one place are kept"},
    [BYTES] = {64000, MP_IN_BYTES, "at least %s"},
    [SHARE] = {100, MP_IN_PERMILLE, "at least %s of the peak"},
    [FREED] = {750, MP_IN_PERMILLE,
               "all other places had less than a tenth of the peak, or freed at least %s of what they "
               "held then"},
    [CLEAN] = {500, MP_IN_PERMILLE, "and at least %s of these places freed all"},
};

static bool
is_suspect(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place)
{
    const struct mp_counts *counts = &place->counts;

    return counts->kept_blocks >= rule->limits[BLOCKS].value &&
           counts->kept >= rule->limits[BYTES].value &&
           mp_facts_reaches(counts->kept, facts->peak, rule->limits[SHARE].value);
}

/* What places that are no suspects held at the peak and in the end. */
struct others {
    uint64_t held, kept;
    uint64_t places, clean;     /* how many held anything, and kept nothing of it */
};

static struct others
sum_others(const struct mp_facts *facts, const struct mp_rule *rule)
{
    struct others others = {0};

    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_place *place = &facts->blocks.list[i];
        uint64_t held;

        if (is_suspect(facts, rule, place))
            continue;
        held = mp_counts_key(&place->counts, MP_SORT_PEAK);
        others.held = mp_plus(others.held, held);
        others.kept = mp_plus(others.kept, place->counts.kept);
        others.places += held > 0 || place->counts.kept > 0;
        others.clean += held > 0 && place->counts.kept == 0;
    }
    return others;
}

static bool
others_are_few(const struct mp_facts *facts, const struct others *others)
{
    uint64_t most = others->held > others->kept ? others->held : others->kept;

    return !mp_facts_reaches(most, facts->peak, 100);
}

/* A program that leaves it to its exit to free what it holds does so with all: then what is kept says
 * nothing. */
static bool
is_tidy(const struct mp_facts *facts, const struct mp_rule *rule, const struct others *others)
{
    if (others_are_few(facts, others))
        return true;
    return others->kept < others->held &&
           mp_facts_reaches(others->held - others->kept, others->held, rule->limits[FREED].value) &&
           mp_facts_reaches(others->clean, others->places, rule->limits[CLEAN].value);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place,
    const struct others *others)
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_KEPT,
                                               c->kept, facts->peak);
    const char *rest = "";

    if (!others_are_few(facts, others))
        rest = mp_arena_printf(facts->arena, " All others freed %s of what they held at the peak.",
                               mp_facts_share(facts, others->held - others->kept, others->held));
    MP_FINDING_TEXT(facts, finding, "%s allocated %s blocks, %s, and freed %s: %s in %s blocks are kept, "
                    "%s of the peak.%s", finding->function, mp_facts_blocks(facts, c->allocs),
                    mp_facts_sizes(facts, place, MP_SORT_KEPT),
                    c->frees == 0 ? "none" : mp_facts_blocks(facts, c->frees),
                    mp_facts_bytes(facts, c->kept), mp_facts_blocks(facts, c->kept_blocks),
                    mp_facts_share(facts, c->kept, facts->peak), rest);
    mp_finding_figure(finding, "kept", MP_IN_BYTES, c->kept);
    mp_finding_figure(finding, "kept_blocks", MP_IN_BLOCKS, c->kept_blocks);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "peak", MP_IN_BYTES, facts->peak);
    mp_facts_command(facts, finding, "--table=leaks --lines");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct others others = sum_others(facts, rule);

    if (!mp_facts_ended(facts) || !is_tidy(facts, rule, &others))
        return;
    for (uint32_t i = 0; i < facts->blocks.n; i++)
        if (is_suspect(facts, rule, &facts->blocks.list[i]))
            say(facts, rule, &facts->blocks.list[i], &others);
}

const struct mp_rule mp_rule_kept = {
    .key = "kept", .title = "Never freed", .family = MP_RULES_HELD,
    .about = "A place allocates again and again, and what it allocates was not freed when the program "
             "ended by itself.  What is allocated once is not meant: tables and buffers that live as "
             "long as the program.  Nor are programs that free little of anything, as many do that are "
             "about to end.  Whether something still referred to the blocks is not known.",
    .limits = limits, .n_limits = sizeof limits / sizeof *limits, .find = find,
};
