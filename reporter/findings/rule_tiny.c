/* SPDX-License-Identifier: MIT */
/* Finds many tiny blocks with a large share of overhead in the allocator. */
#include "facts.h"

enum { BLOCKS, BYTES, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BLOCKS] = {10000, MP_IN_BLOCKS, "at least %s blocks of one place and one size were live at the peak"},
    [BYTES] = {1000000, MP_IN_BYTES, "glibc's malloc takes at least %s more for them than was requested"},
    [OWN] = {250, MP_IN_PERMILLE, "that is at least %s of what it takes for them"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of the peak"},
};

/* Blocks of one place that were alive at the peak, or at the view's point in time. */
struct tiny {
    uint64_t blocks, bytes, taken, over;
};

/* Sums the live blocks of PLACE if all have the same size, as blocks of one type do. Then the overhead can be
 * computed exactly. */
static struct tiny
sum_tiny(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const struct mp_counts *counts = &place->counts;
    const bool moment = facts->view->window != NULL;
    const int64_t blocks = moment ? (int64_t)counts->kept_blocks : counts->peak_blocks;
    const int64_t bytes = moment ? (int64_t)counts->kept : counts->peak_bytes;
    struct tiny tiny = {0};

    if (place->size_min != place->size_max || blocks <= 0 || bytes <= 0)
        return tiny;
    tiny = (struct tiny){(uint64_t)blocks, (uint64_t)bytes,
                         (uint64_t)blocks * mp_facts_malloc_takes(place->size_min), 0};
    tiny.over = tiny.taken > tiny.bytes ? tiny.taken - tiny.bytes : 0;
    return tiny;
}

static bool
is_tiny(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct tiny tiny = sum_tiny(facts, place);

    return mp_rule_has(rule, BLOCKS, tiny.blocks) && mp_rule_has(rule, BYTES, tiny.over) &&
           mp_rule_share(rule, OWN, tiny.over, tiny.taken) &&
           mp_rule_share(rule, SHARE, tiny.over, facts->peak);
}

/* Returns " (so large is struct node)" if exactly one type has that size, else "". */
static const char *
type_text(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    const struct mp_bin *bin = &facts->view->bins[place->size_min < MP_BIN_LARGE ? place->size_min : 0];

    if (place->size_min >= MP_BIN_LARGE || bin->n_types != 1)
        return "";
    return mp_arena_printf(facts->arena, " (so large is %s)", facts->view->types[bin->first_type]);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct tiny tiny = sum_tiny(facts, place);
    const bool moment = facts->view->window != NULL;
    const enum mp_sort sort = moment ? MP_SORT_KEPT : MP_SORT_PEAK;
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, sort, tiny.over, facts->peak);

    MP_FINDING_TEXT(facts, finding, "%s blocks %s%s that %s allocated were alive%s. malloc "
                    "of glibc takes %s for these %s, reckoned by its rule for such sizes: %s are "
                    "overhead. An array or a pool of them needs none.",
                    mp_facts_blocks(facts, tiny.blocks), mp_facts_sizes(facts, &facts->blocks, place, sort),
                    type_text(facts, place), finding->function, moment ? "" : " at the peak",
                    mp_facts_bytes(facts, tiny.taken),
                    mp_facts_bytes(facts, tiny.bytes), mp_facts_share(facts, tiny.over, tiny.taken));
    mp_finding_figure(finding, "blocks", MP_IN_BLOCKS, tiny.blocks);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, tiny.bytes);
    mp_finding_figure(finding, "taken", MP_IN_BYTES, tiny.taken);
    mp_facts_command(facts, finding, moment ? "--table=tree --lines" : "--at=peak --table=tree --lines");
}

const struct mp_rule mp_rule_tiny = {
    .key = "tiny", .title = "Many tiny blocks", .family = MP_RULES_SHAPE,
    .of = MP_OF_ALL | MP_OF_MOMENT,
    .about = "So many small blocks are live at once that the memory which malloc takes for itself matters.  That "
             "memory is computed from the sizes, by the rule of glibc's malloc on 64-bit machines.  It is unknown "
             "whether the program uses another allocator, and what is free between blocks.",
    MP_RULE_LIMITS(limits), .is = is_tiny, .say = say,
};
