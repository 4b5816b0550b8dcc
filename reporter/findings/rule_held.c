/* SPDX-License-Identifier: MIT */
/* Finds single roots, such as variables or finalizers, that hold most of the heap in snapshots. */
#include "facts.h"
#include "reporter/base/format_number.h"

enum { BYTES, SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {1000000, MP_IN_BYTES, "in the last heap snapshot one root alone holds at least %s"},
    [SHARE] = {250, MP_IN_PERMILLE, "and at least %s of everything that is reached"},
};

/* Returns the place of FUNCTION that keeps most, or NULL if the recording has no such place. FUNCTION is the name in a
 * snapshot. */
static const struct mp_candidate_place *
place_of(const struct mp_places *places, const char *function)
{
    const struct mp_candidate_place *found = NULL;

    for (uint32_t i = 0; i < places->n; i++) {
        const struct mp_candidate_place *place = &places->list[i];
        const uint32_t user = mp_places_way(places, place, MP_SORT_KEPT).user;

        if (mp_lisp_text_is(function, mp_facts_function(places->tree, user), NULL) &&
            (!found || place->counts.kept > found->counts.kept))
            found = place;
    }
    return found;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_held *held, const struct mp_places *places,
    const struct mp_candidate_place *place)
{
    struct mp_finding *finding = mp_facts_find(facts, rule, places, place, MP_SORT_KEPT, held->retained, held->whole);
    const char *before = "";

    if (held->before_number > 0)
        before = mp_arena_printf(facts->arena, " In snapshot %s it held %s.",
                                 mp_facts_blocks(facts, held->before_number), mp_facts_bytes(facts, held->before));
    MP_FINDING_TEXT(facts, finding, "%s alone holds %s of the heap, %s of %s in snapshot %s, most of that by %s "
                    "object%s %s. %s allocated %s of it.%s",
                    held->root, mp_facts_share(facts, held->retained, held->whole),
                    mp_facts_bytes(facts, held->retained), mp_facts_bytes(facts, held->whole),
                    mp_facts_blocks(facts, held->number), mp_facts_blocks(facts, held->type_objects),
                    mp_plural(held->type_objects), held->type, finding->function,
                    mp_facts_share(facts, held->allocated, held->retained), before);
    mp_finding_figure(finding, "held", MP_IN_BYTES, held->retained);
    mp_finding_figure(finding, "heap", MP_IN_BYTES, held->whole);
    mp_finding_figure(finding, "held_before", MP_IN_BYTES, held->before);
    finding->command = mp_arena_strdup(facts->findings->arena, held->command);
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    for (uint32_t i = 0; i < facts->n_held; i++) {
        const struct mp_held *held = &facts->held[i];
        const struct mp_places *places = &facts->objects;
        const struct mp_candidate_place *place;

        if (!mp_rule_has(rule, BYTES, held->retained) || !mp_rule_share(rule, SHARE, held->retained, held->whole))
            continue;
        place = place_of(places, held->function);
        if (!place)
            place = place_of(places = &facts->blocks, held->function);
        if (place)
            say(facts, rule, held, places, place);
    }
}

const struct mp_rule mp_rule_held = {
    .key = "held", .title = "Held by one root", .family = MP_RULES_KEEPERS, .of = MP_OF_ALL,
    .about = "A variable, finalizers, a stack or another root alone holds a large part of the last heap snapshot "
             "beside the recording.  The rule does not report what several roots hold together.",
    MP_RULE_LIMITS(limits), .find = find,
};
