/* Many tiny blocks, of which the allocator takes more than they hold. */
#include "facts.h"

enum { BLOCKS, OWN, SHARE };

static const struct mp_limit limits[] = {
    [BLOCKS] = {10000, MP_IN_BLOCKS, "at least %s blocks of one place were alive at the peak"},
    [OWN] = {250, MP_IN_PERMILLE, "at least %s of what glibc's malloc takes for them is not theirs"},
    [SHARE] = {100, MP_IN_PERMILLE, "that is at least %s of the peak"},
};

/* What malloc of glibc takes from the heap for a block of SIZE bytes on a machine of 64 bits: usable are
 * max(24, ((SIZE + 8 + 15) & ~15) - 8), and 8 more are its header. */
static uint64_t
taken(uint64_t size)
{
    uint64_t chunk = (size + 8 + 15) & ~(uint64_t)15;

    return chunk < 32 ? 32 : chunk;
}

/* Those of one place that were alive at the peak. */
struct tiny {
    uint64_t blocks, bytes, taken;
    uint32_t size_min, size_max;
};

/* Only chains whose blocks all take the same, so that nothing need be estimated. */
static void
add_cell(struct tiny *tiny, const struct mp_cell *cell)
{
    const struct mp_counts *counts = &cell->counts;

    if (mp_is_lisp(cell) || cell->size_min > cell->size_max || counts->peak_blocks <= 0 ||
        counts->peak_bytes < 0 || taken(cell->size_min) != taken(cell->size_max))
        return;
    tiny->blocks = mp_plus(tiny->blocks, (uint64_t)counts->peak_blocks);
    tiny->bytes = mp_plus(tiny->bytes, (uint64_t)counts->peak_bytes);
    tiny->taken = mp_plus(tiny->taken, (uint64_t)counts->peak_blocks * taken(cell->size_min));
    tiny->size_min = cell->size_min < tiny->size_min ? cell->size_min : tiny->size_min;
    tiny->size_max = cell->size_max > tiny->size_max ? cell->size_max : tiny->size_max;
}

static struct tiny
sum_tiny(const struct mp_facts *facts, const struct mp_place *place)
{
    const struct mp_tree *tree = facts->tree;
    struct tiny tiny = {.size_min = UINT32_MAX};

    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->blocks.next[node])
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++)
            add_cell(&tiny, &tree->profile->cells[tree->cells[i]]);
    return tiny;
}

/* " (as struct node is)", if there is one type of that size. */
static const char *
type_text(const struct mp_facts *facts, const struct tiny *tiny)
{
    const struct mp_bin *bin = &facts->view->bins[tiny->size_min < MP_BIN_LARGE ? tiny->size_min : 0];

    if (tiny->size_min != tiny->size_max || tiny->size_min >= MP_BIN_LARGE || bin->n_types != 1)
        return "";
    return mp_arena_printf(facts->arena, " (so large is %s)", facts->view->types[bin->first_type]);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_place *place,
    const struct tiny *tiny)
{
    const uint64_t over = tiny->taken - tiny->bytes;
    const struct mp_place sizes = {.size_min = tiny->size_min, .size_max = tiny->size_max};
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_PEAK, over, facts->peak);

    MP_FINDING_TEXT(facts, finding, "%s blocks of %s%s that %s allocated were alive at the peak. malloc "
                    "of glibc takes %s for these %s, reckoned by its rule for such sizes: %s are "
                    "overhead. An array or a pool of them needs none.",
                    mp_facts_blocks(facts, tiny->blocks), mp_facts_sizes(facts, &sizes),
                    type_text(facts, tiny), finding->function, mp_facts_bytes(facts, tiny->taken),
                    mp_facts_bytes(facts, tiny->bytes), mp_facts_share(facts, over, tiny->taken));
    mp_finding_figure(finding, "blocks", MP_IN_BLOCKS, tiny->blocks);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, tiny->bytes);
    mp_finding_figure(finding, "taken", MP_IN_BYTES, tiny->taken);
    mp_facts_command(facts, finding, "--at=peak --table=tree --lines");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_place *place = &facts->blocks.list[i];
        struct tiny tiny = sum_tiny(facts, place);

        if (tiny.blocks >= rule->limits[BLOCKS].value && tiny.taken > tiny.bytes &&
            mp_facts_reaches(tiny.taken - tiny.bytes, tiny.taken, rule->limits[OWN].value) &&
            mp_facts_reaches(tiny.taken - tiny.bytes, facts->peak, rule->limits[SHARE].value))
            say(facts, rule, place, &tiny);
    }
}

const struct mp_rule mp_rule_tiny = {
    .key = "tiny", .title = "Many tiny blocks", .family = MP_RULES_SHAPE,
    .about = "So many small blocks are alive at once that what malloc takes for itself counts.  That is "
             "reckoned from the sizes, as malloc of glibc does it on machines of 64 bits; whether the "
             "program uses another one is not known, nor what lies free between blocks.",
    .limits = limits, .n_limits = sizeof limits / sizeof *limits, .find = find,
};
