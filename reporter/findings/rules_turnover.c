/* SPDX-License-Identifier: MIT */
/* Finds functions whose blocks cost time: they are many or large, and die soon. */
#include <string.h>

#include "phrases.h"

/* Why the blocks cost time; each has a rule of its own. */
enum turnover {
    NO_TURNOVER,
    COPIED,                     /* blocks of all sizes, as when something grows by copying */
    PULSE,                      /* a few large blocks, one after the other */
    AGAIN,                      /* blocks whose bytes cost most */
    CHURN                       /* blocks whose number costs most */
};

enum { COST, SHARE, TURNS };

#define COMMON_LIMITS                                                                                              \
    [COST] = {5000000, MP_IN_NANOSECONDS, "the blocks of one function cost at least %s, estimated as 60 ns for each " \
                                          "block and 0.1 ns for each byte"},                                       \
    [SHARE] = {150, MP_IN_PERMILLE, "these are at least %s of the cost of all blocks"},                            \
    [TURNS] = {5, MP_IN_COUNT, "its bytes are at least %s times the peak or what it held at any counted point, or " \
                               "half of its blocks are temporary; and at most a third of its bytes (of churn also " \
                               "of its blocks) lived at the peak"}

static const struct mp_limit limits[] = {COMMON_LIMITS};

#define STAY        340u        /* maximum part of a place's bytes or blocks that live at the peak, per mille */
#define MOST_TOLD   3u          /* maximum number of functions that the rules of this file examine */
#define RAMP_BLOCKS 1000u       /* minimum number of blocks of something that grows by copying */
#define RAMP_LARGE  2000u       /* minimum size of the largest of these blocks, bytes */
#define RAMP_LARGER 650u        /* minimum part of these blocks that are larger than the one before, per mille, if that
                                   is known; in random order it is half of them */
#define RAMP_PROVED 900u        /* minimum part, per mille, that is sufficient evidence without evenly spread sizes */
#define PULSE_MEAN  256000u     /* minimum mean size of large blocks, bytes */
#define PULSE_MOST  5000u       /* maximum number of large blocks; if there are more, their number matters most */
#define FEW_ALIVE   16u         /* maximum number of blocks at the peak for which a program can have a variable each */

/* Advice on how to use the state of a library again, for functions whose name contains NAME. */
static const struct reuse {
    const char *name, *advice;
} reuses[] = {
    {"inflate", "inflateReset() keeps its state"},
    {"deflate", "deflateReset() keeps its state"},
    {"regcomp", "an expression that is compiled once can be used many times"},
};

/* ---------------------------------------------------------------- which */

/* Returns whether the blocks of PLACE cannot all have been alive at the same time. */
static bool
dies(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t held = mp_counts_key(c, MP_SORT_PEAK), turns = rule->limits[TURNS].value;
    const uint64_t most = facts->most ? facts->most[place - facts->blocks.list] : 0;
    const bool turned = (facts->peak > 0 && c->bytes / turns >= facts->peak) ||
                        (c->bytes - c->replaced_bytes) <= c->bytes / turns ||
                        mp_facts_reaches(c->temporary, c->allocs, 500) ||
                        (facts->most && c->bytes / turns >= (most > held ? most : held));

    return turned && c->allocs >= 3 && (long double)held * 1000 <= (long double)c->bytes * STAY;
}

/* Returns whether nearly all blocks of C were compared with the block before, so that the order of sizes is known. */
static bool
is_order_known(const struct mp_counts *c)
{
    return mp_facts_reaches(c->compared, c->allocs, 900);
}

/* Returns the bytes of PLACE in cells whose sizes differ much. */
static uint64_t
bytes_of_mixed_sizes(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const struct mp_tree *tree = facts->tree;
    uint64_t bytes = 0;

    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->blocks.next[node])
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++) {
            const struct mp_cell *cell = &tree->profile->cells[tree->cells[i]];

            if (!mp_is_lisp(cell) && (uint64_t)cell->size_max * 2 >= (uint64_t)cell->size_min * 3)
                bytes = mp_plus(bytes, cell->counts.bytes);
        }
    return bytes;
}

/* Returns whether the blocks of PLACE have all sizes from small to large, and few of them live at a time. The mean of
 * evenly spread sizes is half of the largest. If the order is known, most blocks must be larger than the one before. */
static bool
is_ramp(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const long double part = (long double)c->bytes / (long double)c->allocs / (place->size_max + 1.0L);
    const bool proved = is_order_known(c) && mp_facts_reaches(c->larger, c->compared, RAMP_PROVED);

    return c->allocs >= RAMP_BLOCKS && place->size_max >= RAMP_LARGE &&
           (proved || (place->size_min <= place->size_max / 8 && part >= 0.35L && part <= 0.65L &&
                       (!is_order_known(c) || mp_facts_reaches(c->larger, c->compared, RAMP_LARGER)))) &&
           mp_facts_reaches(bytes_of_mixed_sizes(facts, place), c->bytes, 900) &&
           mp_counts_blocks_at_peak(c) <= c->allocs / 8;
}

static enum turnover
turnover_of(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t cost = mp_facts_cost(c);
    const bool by_bytes = c->bytes / MP_BYTES_OF_BLOCK > c->allocs;

    if (facts->blocks.told[place - facts->blocks.list] || mp_facts_reaches(c->reallocs, c->allocs, 500) ||
        !mp_rule_has(rule, COST, cost) || !mp_rule_share(rule, SHARE, cost, mp_facts_cost(&facts->totals.all)) ||
        !dies(facts, rule, place))
        return NO_TURNOVER;
    /* A sampled recording does not show which blocks realloc made, and blocks of realloc need not be copies. */
    if (by_bytes && is_ramp(facts, place))
        return mp_is_estimated(&facts->view->meta) ? NO_TURNOVER : COPIED;
    if (c->bytes / c->allocs >= PULSE_MEAN && c->allocs <= PULSE_MOST)
        return PULSE;
    if (by_bytes)
        return AGAIN;
    /* A place may have many small blocks that stay beside a few large ones that die. */
    return (long double)mp_counts_blocks_at_peak(c) * 1000 <= (long double)c->allocs * STAY ? CHURN : NO_TURNOVER;
}

/* Returns the cost of PLACE if its blocks die soon, else 0. */
static uint64_t
cost_of_turnover(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    return turnover_of(facts, rule, place) == NO_TURNOVER ? 0 : mp_facts_cost(&place->counts);
}

/* ---------------------------------------------------------------- sentences */

/* Returns advice from `reuses`, such as " (inflateReset() keeps its state)", for the function or its nearest caller, or
 * "". */
static const char *
advice(const struct mp_facts *facts, const struct mp_finding *finding)
{
    const uint32_t n = finding->n_calls;

    for (uint32_t i = n > 2 ? n - 2 : 0; i < n; i++)
        for (size_t j = 0; j < sizeof reuses / sizeof *reuses; j++)
            if (strstr(finding->calls[i], reuses[j].name))
                return mp_arena_printf(facts->arena, " (%s)", reuses[j].advice);
    return "";
}

static const char *
alive_text(const struct mp_facts *facts, const struct mp_counts *c)
{
    const uint64_t alive = mp_counts_blocks_at_peak(c);
    const char *text = "none of them lived at the peak";

    if (c->allocs - c->replaced <= c->allocs / 10)
        text = mp_arena_printf(facts->arena, "at most %s of them lived at a time",
                               mp_facts_blocks(facts, c->allocs - c->replaced));
    else if (mp_is_unknown(facts->view, MP_FIGURE_PEAK_BLOCKS))
        text = "";
    else if (alive > 0)
        text = mp_arena_printf(facts->arena, "%s of them lived at the peak", mp_facts_blocks(facts, alive));
    if (mp_facts_reaches(c->temporary, c->allocs, 500))
        text = mp_arena_printf(facts->arena, "%s%s%s were freed before their thread allocated again", text,
                               *text ? ", and " : "", mp_facts_share(facts, c->temporary, c->allocs));
    return *text ? text : "nearly all of them were freed";
}

/* Returns ", 98 % of them larger than the one before" where the order is known. */
static const char *
order_text(const struct mp_facts *facts, const struct mp_counts *c)
{
    return is_order_known(c) ? mp_arena_printf(facts->arena, ", %s of them larger than the one before",
                                               mp_facts_share(facts, c->larger, c->compared)) : "";
}

/* Returns "1.3 GB, 98 % of all bytes and 37 times the peak". */
static const char *
much_text(const struct mp_facts *facts, const struct mp_counts *c)
{
    const char *text = mp_arena_printf(facts->arena, "%s, %s of all bytes", mp_facts_bytes(facts, c->bytes),
                                       mp_facts_share(facts, c->bytes, facts->totals.all.bytes));

    if (facts->peak == 0 || c->bytes / 2 < facts->peak)
        return text;
    return mp_arena_printf(facts->arena, "%s and %s times the peak", text,
                           mp_facts_blocks(facts, c->bytes / facts->peak));
}

static const char *
sentence_of(const struct mp_facts *facts, enum turnover kind, const struct mp_candidate_place *place,
            const struct mp_finding *finding)
{
    const struct mp_counts *c = &place->counts;
    const enum mp_sort sort = finding->sort;
    const char *who = mp_phrase_who(facts, place, sort), *hint = advice(facts, finding);
    const char *through = mp_phrase_through(facts, place, sort), *blocks = mp_facts_blocks(facts, c->allocs);
    const char *sizes = mp_facts_sizes(facts, &facts->blocks, place, sort), *alive = alive_text(facts, c);
    const uint64_t held = mp_counts_key(c, MP_SORT_PEAK);
    const bool differs =
        place->size_min < place->size_max / 2 && mp_facts_usual_size(&facts->blocks, place, sort) == 0;
    const bool many = mp_counts_blocks_at_peak(c) > FEW_ALIVE && c->allocs - c->replaced > FEW_ALIVE;

    switch (kind) {
    case COPIED:
        return mp_arena_printf(facts->arena, "%s allocated%s %s, in %s blocks of all sizes from %s to %s%s; %s. This "
                               "is what a text or an array looks like that is copied each time it becomes a little "
                               "longer: the cost is the square of its length. Append in place, and double the room "
                               "when it is used up.", who, through, much_text(facts, c), blocks,
                               mp_facts_size(facts, place->size_min), mp_facts_size(facts, place->size_max),
                               order_text(facts, c), alive);
    case PULSE:
        return mp_arena_printf(facts->arena, "%s allocated%s %s large blocks, %s, one after the other: %s, %s of which "
                               "lived at the peak. Keep one and use it again%s.", who, through, blocks, sizes,
                               much_text(facts, c), held > 0 ? mp_facts_bytes(facts, held) : "none", hint);
    case AGAIN:
        return mp_arena_printf(facts->arena, "%s allocated%s %s, in %s blocks, %s; %s. %s instead of making new ones "
                               "each time%s.", who, through, much_text(facts, c), blocks, sizes, alive,
                               many ? "Keep freed ones in a list and use them again"
                               : differs ? "Change such a block in place, or keep it and use it again,"
                                         : "Keep one such block and use it again", hint);
    default:
        return mp_arena_printf(facts->arena, "%s allocated%s %s blocks, %s, %s of all allocations; %s. %s%s.",
                               who, through, blocks, sizes,
                               mp_facts_share(facts, c->allocs, facts->totals.all.allocs), alive,
                               many ? "Keep freed ones in a list and use them again, or take them from an arena that "
                                      "is given back as a whole"
                                    : "One block that is kept, or one on the stack, can serve for all of these", hint);
    }
}

/* Adds to FINDING that the same can be said of PLACE. */
static void
say_also(const struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const enum mp_sort sort = finding->sort;

    facts->blocks.told[place - facts->blocks.list] = true;
    MP_FINDING_TEXT(facts, finding, "%s The same holds for %s%s: %s in %s blocks, %s (%s of all %s).", finding->text,
                    mp_phrase_name(facts, place, sort), mp_phrase_callers(facts, place, sort),
                    mp_facts_bytes(facts, c->bytes), mp_facts_blocks(facts, c->allocs),
                    mp_facts_sizes(facts, &facts->blocks, place, sort),
                    mp_facts_share(facts, mp_counts_key(c, sort), mp_counts_key(&facts->totals.all, sort)),
                    sort == MP_SORT_BYTES ? "bytes" : "allocations");
}

/* Lists the places that the rules of this file examine: those with the largest cost. */
static void
list_turned(struct mp_facts *facts, const struct mp_rule *rule)
{
    facts->turned = mp_arena_alloc(facts->arena, MOST_TOLD * sizeof *facts->turned);
    if (!facts->little)
        facts->n_turned = mp_facts_heaviest(facts, rule, cost_of_turnover, facts->turned, MOST_TOLD);
}

static void
find_kind(struct mp_facts *facts, const struct mp_rule *rule, enum turnover kind)
{
    struct mp_finding *finding = NULL;

    if (!facts->turned)
        list_turned(facts, rule);
    for (uint32_t i = 0; i < facts->n_turned; i++) {
        const struct mp_candidate_place *place = facts->turned[i];
        const struct mp_counts *c = &place->counts;

        if (turnover_of(facts, rule, place) != kind)
            continue;
        if (finding) {
            say_also(facts, finding, place);
            continue;
        }
        finding = mp_facts_find(facts, rule, &facts->blocks, place, kind == CHURN ? MP_SORT_OBJECTS : MP_SORT_BYTES,
                                mp_facts_cost(c), mp_facts_cost(&facts->totals.all));
        MP_FINDING_TEXT(facts, finding, "%s", sentence_of(facts, kind, place, finding));
        mp_finding_figure(finding, "bytes", MP_IN_BYTES, c->bytes);
        mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, c->allocs);
        mp_finding_figure(finding, "temporary", MP_IN_BLOCKS, c->temporary);
        mp_finding_figure(finding, "at_peak", MP_IN_BYTES, mp_counts_key(c, MP_SORT_PEAK));
        mp_finding_figure(finding, "peak", MP_IN_BYTES, facts->peak);
        if (c->replaced > 0)
            mp_finding_figure(finding, "at_most", MP_IN_BLOCKS, c->allocs - c->replaced);
        if (is_order_known(c))
            mp_finding_figure(finding, "larger", MP_IN_BLOCKS, c->larger);
        mp_facts_command(facts, finding, kind == CHURN ? "--table=tree --sort=allocs --lines"
                                                       : "--table=tree --sort=bytes --lines");
    }
}

static void
find_copied(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_kind(facts, rule, COPIED);
}

static void
find_pulse(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_kind(facts, rule, PULSE);
}

static void
find_again(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_kind(facts, rule, AGAIN);
}

static void
find_churn(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_kind(facts, rule, CHURN);
}

const struct mp_rule mp_rule_copied = {
    .key = "copied", .title = "Copied to become longer", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "A function allocates blocks of all sizes up to a large one, and few of them are alive at a time.  A text "
             "to which something is appended by making a new one looks like this.  If the order of the blocks is "
             "known, nearly all must be larger than the one before, or most, with sizes evenly spread from small to "
             "large.",
    MP_RULE_LIMITS(limits), .find = find_copied,
};

const struct mp_rule mp_rule_pulse = {
    .key = "pulse", .title = "A large block again and again", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "A function allocates large blocks, 256 kB on average, that follow each other.",
    MP_RULE_LIMITS(limits), .find = find_pulse,
};

const struct mp_rule mp_rule_again = {
    .key = "again", .title = "Many bytes for a moment", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "A function allocates blocks of many bytes in all that die soon.",
    MP_RULE_LIMITS(limits), .find = find_again,
};

const struct mp_rule mp_rule_churn = {
    .key = "churn", .title = "Allocated for a moment, again and again", .family = MP_RULES_MADE, .of = MP_OF_ALL,
    .about = "A function allocates many blocks that die soon.",
    MP_RULE_LIMITS(limits), .find = find_churn,
};
