/* SPDX-License-Identifier: MIT */
/* Says what the peak is made of. */
#include "phrases.h"
#include "reporter/base/format_number.h"

enum { PEAK, PART };

static const struct mp_limit limits[] = {
    [PEAK] = {5000000, MP_IN_BYTES, "the peak is at least %s, or no rule before this one has anything to say"},
    [PART] = {80, MP_IN_PERMILLE, "a function that is named has at least %s of it"},
};

#define NAMED       3u          /* functions that the sentence names */
#define CALLERS     200u        /* minimum part of the peak for a function's callers to be named, per mille */
#define MANY        10000u      /* blocks of one size for which malloc's own memory is worth a remark */
#define ALLOCATED   3u          /* if all bytes are less than so many times the peak, this finding is the first */

static uint64_t
part_of_peak(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    (void)facts;
    (void)rule;
    return mp_counts_key(&place->counts, MP_SORT_PEAK);
}

/* Returns "5,000 blocks of 200 bytes", "3 blocks of 4.1 MB on average" or "one block of 64.0 MB". */
static const char *
blocks_text(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const uint64_t blocks = mp_counts_blocks_at_peak(&place->counts),
                   bytes = mp_counts_key(&place->counts, MP_SORT_PEAK);
    const uint32_t usual = mp_facts_usual_size(&facts->blocks, place, MP_SORT_PEAK);

    if (blocks == 1)
        return mp_arena_printf(facts->arena, "one block of %s", mp_facts_size(facts, bytes));
    if (usual > 0 && usual * blocks == bytes)
        return mp_arena_printf(facts->arena, "%s blocks of %s", mp_facts_blocks(facts, blocks),
                               mp_facts_size(facts, usual));
    if (usual > 0)
        return mp_arena_printf(facts->arena, "%s blocks, most bytes in those of %s", mp_facts_blocks(facts, blocks),
                               mp_facts_size(facts, usual));
    return mp_arena_printf(facts->arena, "%s blocks of %s on average", mp_facts_blocks(facts, blocks),
                           mp_facts_size(facts, blocks > 0 ? bytes / blocks : bytes));
}

/* Returns a remark about the first place, with a blank before it, or "". */
static const char *
remark(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t blocks = mp_counts_blocks_at_peak(c), held = mp_counts_key(c, MP_SORT_PEAK);
    const uint32_t usual = mp_facts_usual_size(&facts->blocks, place, MP_SORT_PEAK);
    const uint64_t more = mp_facts_malloc_takes(usual) - usual;

    if (mp_facts_reaches(c->reallocs, c->allocs, 500) && blocks < 100 && c->steps > 0)
        return mp_arena_printf(facts->arena, " realloc enlarged %s %s times, by %s each: reserve the room if the final "
                               "size is known.", blocks > 1 ? "the blocks of the first" : "the block of the first",
                               mp_facts_blocks(facts, c->steps),
                               mp_facts_share(facts, c->steps_by, c->steps_from > 0 ? c->steps_from : 1));
    if (usual > 0 && blocks >= MANY && mp_facts_reaches(more, usual, 100))
        return mp_arena_printf(facts->arena, " malloc of glibc needs %s bytes more for each of the first (%s): "
                               "allocate many of them as one array.", mp_facts_blocks(facts, more),
                               mp_facts_bytes(facts, more * blocks));
    if (mp_facts_ended(facts) && c->kept > 0 && mp_facts_reaches(c->kept, held, 900) && c->frees < c->allocs / 10 &&
        c->kept_blocks >= 100)
        return " The first is not freed before the end.";
    return "";
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_candidate_place *tops[NAMED];
    const uint32_t n = mp_facts_heaviest(facts, rule, part_of_peak, tops, NAMED);
    const bool first = facts->totals.all.bytes / ALLOCATED < facts->peak;
    struct mp_finding *finding;
    const char *text;
    uint64_t sum = 0;
    bool all_told = true;
    uint32_t named = 0;

    if (n == 0 || facts->objects.n > 0 || facts->peak == 0 || facts->little ||
        mp_is_unknown(facts->view, MP_FIGURE_PEAK_BYTES))
        return;
    while (named < n && mp_rule_share(rule, PART, mp_counts_key(&tops[named]->counts, MP_SORT_PEAK), facts->peak)) {
        sum = mp_plus(sum, mp_counts_key(&tops[named]->counts, MP_SORT_PEAK));
        all_told = all_told && facts->blocks.told[tops[named] - facts->blocks.list];
        named++;
    }
    if ((!mp_rule_has(rule, PEAK, facts->peak) || (named > 0 && all_told)) && facts->findings->n > 0)
        return;
    finding = mp_facts_find(facts, rule, &facts->blocks, tops[0], MP_SORT_PEAK, named > 0 ? sum : 0, facts->peak);
    finding->rank = first ? 1000 : facts->findings->n > 1 ? 0 : finding->rank;
    if (named == 0)
        text = mp_arena_printf(facts->arena, "The peak of %s is spread over many functions; the largest part is that "
                               "of %s%s, %s.", mp_facts_bytes(facts, facts->peak),
                               mp_phrase_name(facts, tops[0], MP_SORT_PEAK),
                               mp_phrase_callers(facts, tops[0], MP_SORT_PEAK),
                               mp_facts_bytes(facts, mp_counts_key(&tops[0]->counts, MP_SORT_PEAK)));
    else if (mp_facts_reaches(sum, facts->peak, 500))
        text = mp_arena_printf(facts->arena, "The peak of %s is %sthat of ", mp_facts_bytes(facts, facts->peak),
                               mp_facts_reaches(sum, facts->peak, 900) ? "" : "mostly ");
    else
        text = mp_arena_printf(facts->arena, "The largest part%s of the peak of %s %s of ", mp_plural(named),
                               mp_facts_bytes(facts, facts->peak), named == 1 ? "is that" : "are those");
    for (uint32_t i = 0; i < named; i++) {
        const uint64_t held = mp_counts_key(&tops[i]->counts, MP_SORT_PEAK);

        text = mp_arena_printf(facts->arena, "%s%s%s%s: %s (%s) in %s%s", text, i > 0 ? "; of " : "",
                               mp_phrase_name(facts, tops[i], MP_SORT_PEAK),
                               mp_facts_reaches(held, facts->peak, CALLERS)
                                   ? mp_phrase_callers(facts, tops[i], MP_SORT_PEAK) : "",
                               mp_facts_bytes(facts, held), mp_facts_share(facts, held, facts->peak),
                               blocks_text(facts, tops[i]), i + 1 == named ? "." : "");
    }
    MP_FINDING_TEXT(facts, finding, "%s%s", text, named > 0 ? remark(facts, tops[0]) : "");
    mp_finding_figure(finding, "peak", MP_IN_BYTES, facts->peak);
    mp_finding_figure(finding, "named", MP_IN_BYTES, sum);
    mp_facts_command_of_all(facts, finding, "--at=peak --table=sites --lines");
}

const struct mp_rule mp_rule_peak = {
    .key = "peak", .title = "What the peak is made of", .family = MP_RULES_HELD, .of = MP_OF_ALL,
    .about = "Names up to three functions with the largest parts of the peak, if no other rule reports all of them.",
    MP_RULE_LIMITS(limits), .find = find,
};
