/* SPDX-License-Identifier: MIT */
/* Finds blocks that are never freed, from chains that allocate again and again. */
#include "facts.h"
#include "reporter/view/startup_frames.h"
#include "series.h"

enum { BLOCKS, BYTES, SHARE, FREED, CLEAN, ALL };

static const struct mp_limit limits[] = {
    [BLOCKS] = {100, MP_IN_BLOCKS, "one place keeps at least %s blocks"},
    [BYTES] = {64000, MP_IN_BYTES, "with at least %s"},
    [SHARE] = {100, MP_IN_PERMILLE, "and at least %s of the peak"},
    [FREED] = {750, MP_IN_PERMILLE, "other chains freed at least %s of what they held at the peak"},
    [CLEAN] = {500, MP_IN_PERMILLE, "and at least %s of the other chains freed everything"},
    [ALL] = {900, MP_IN_PERMILLE, "or, if no time line of nine times shows whether memory grew, one chain keeps at "
                                  "least %s of the peak"},
};

/* Returns whether the dynamic loader, or an initializer that it ran, allocated NODE's blocks. */
static bool
is_loaded(const struct mp_facts *facts, uint32_t node)
{
    const struct mp_profile *view = facts->view;

    for (uint32_t at = node; at != facts->blocks.owner[node]; at = facts->tree->nodes[at].parent) {
        const uint32_t module = view->functions[mp_tree_function(facts->tree, at)].module;

        if (module < view->n_modules && mp_startup_is_loader(view->modules[module].name))
            return true;
    }
    return false;
}

/* Returns whether at least half of what PLACE keeps belongs to loaded shared objects. Such objects usually stay loaded
 * until the program ends, so their memory is no finding. */
static bool
loads(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    uint64_t kept = 0;

    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->blocks.next[node])
        if (is_loaded(facts, node))
            kept = mp_plus(kept, mp_places_basic(&facts->blocks, node).kept);
    return mp_facts_reaches(kept, place->counts.kept, 500);
}

static bool
is_suspect(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *counts = &place->counts;

    return mp_rule_has(rule, BLOCKS, counts->kept_blocks) && mp_rule_has(rule, BYTES, counts->kept) &&
           mp_rule_share(rule, SHARE, counts->kept, facts->peak) && !loads(facts, place);
}

/* Sums of all chains that are not suspects: bytes held at the peak and kept in the end. */
struct others {
    uint64_t held, kept;
    uint64_t chains, clean;     /* number of chains that held anything; number of chains that kept nothing */
};

static void
add_other(struct others *others, const struct mp_basic_counts *counts)
{
    const uint64_t held = mp_basic_key(counts, MP_SORT_PEAK);

    others->held = mp_plus(others->held, held);
    others->kept = mp_plus(others->kept, counts->kept);
    others->chains += held > 0 || counts->kept > 0;
    others->clean += held > 0 && counts->kept == 0;
}

static struct others
sum_others(const struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_places *places = &facts->blocks;
    struct others others = {0};

    for (uint32_t i = 0; i < places->n; i++) {
        bool suspect = is_suspect(facts, rule, &places->list[i]);

        for (uint32_t node = places->list[i].first; node != MP_NO_ID; node = places->next[node]) {
            const struct mp_basic_counts counts = mp_places_basic(places, node);

            if (!suspect || counts.kept == 0)
                add_other(&others, &counts);
        }
    }
    return others;
}

/* Returns whether the other chains freed most of what they held. Some programs free nothing before they exit. Then
 * kept blocks are no symptom. */
static bool
are_tidy(const struct mp_rule *rule, const struct others *others)
{
    return others->kept < others->held &&
           mp_rule_share(rule, FREED, others->held - others->kept, others->held) &&
           mp_rule_share(rule, CLEAN, others->clean, others->chains);
}

/* Returns whether the blocks that one chain of PLACE keeps have nearly as many bytes as the peak. Returns false if
 * there is a time line by which rule_grows.c can decide. */
static bool
is_all(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    struct mp_series_look looks[MP_SERIES_LOOKS];

    return !mp_series_of_all(facts, looks) &&
           mp_rule_share(rule, ALL, mp_places_way(&facts->blocks, place, MP_SORT_KEPT).part, facts->peak);
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place,
    const struct others *others)
{
    const struct mp_counts *c = &place->counts;
    struct mp_finding *finding = mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_KEPT,
                                               c->kept, facts->peak);
    const char *rest = "";

    if (are_tidy(rule, others))
        rest = mp_arena_printf(facts->arena, " Other chains freed %s of what they held at the peak.",
                               mp_facts_share(facts, others->held - others->kept, others->held));
    MP_FINDING_TEXT(facts, finding, "%s allocated %s blocks, %s, and freed %s: %s in %s blocks are kept, "
                    "%s of the peak.%s", finding->function, mp_facts_blocks(facts, c->allocs),
                    mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_OBJECTS),
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
    const bool tidy = are_tidy(rule, &others);

    if (!mp_facts_ended(facts))
        return;
    for (uint32_t i = 0; i < facts->blocks.n; i++) {
        const struct mp_candidate_place *place = &facts->blocks.list[i];

        if (is_suspect(facts, rule, place) && (tidy || is_all(facts, rule, place)))
            say(facts, rule, place, &others);
    }
}

const struct mp_rule mp_rule_kept = {
    .key = "kept", .title = "Never freed", .family = MP_RULES_HELD,
    .of = MP_OF_ALL,
    .about = "A place allocates again and again, and its blocks were not freed when the program ended by itself. "
             " The rule does not report blocks that are allocated once, such as tables and buffers that live as long "
             "as the program, nor what belongs to shared objects that the program has loaded, nor programs that free "
             "little of anything, as many do that are about to end.  Whether something still referred "
             "to the blocks is unknown.",
    MP_RULE_LIMITS(limits), .find = find,
};
