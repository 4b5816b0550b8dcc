/* SPDX-License-Identifier: MIT */
/* Finds places whose blocks are lost according to a search for leaks. */
#include <string.h>

#include "phrases.h"
#include "reporter/base/format_number.h"
#include "reporter/base/map.h"

enum { BYTES, SHARE };

static const struct mp_limit limits[] = {
    [BYTES] = {1000, MP_IN_BYTES, "at least %s that one place allocated are definitely lost"},
    [SHARE] = {50, MP_IN_PERMILLE, "and at least %s of all that is definitely lost"},
};

/* What a place has lost. */
struct loss {
    uint64_t blocks, bytes;
};

/* Places by the names of their functions. */
struct named {
    struct mp_map names;
    uint32_t *places;           /* by name: the place, or MP_NO_ID if several functions have this name */
};

static struct named
name_places(const struct mp_facts *facts)
{
    const struct mp_places *places = &facts->blocks;
    struct named named = {.names.arena = facts->arena,
                          .places = mp_arena_alloc(facts->arena, places->n * sizeof *named.places)};

    for (uint32_t i = 0; i < places->n; i++) {
        const char *name = mp_facts_function(places->tree, places->owner[places->list[i].first]);
        const uint32_t n = named.names.count, id = mp_map_add(&named.names, name, strlen(name));

        named.places[id] = id == n ? i : MP_NO_ID;
    }
    return named;
}

/* Returns the place of the innermost function of LOST that has one, or MP_NO_ID. */
static uint32_t
place_of(const struct named *named, const struct mp_lost *lost)
{
    for (uint32_t i = 0; i < lost->n; i++) {
        const uint32_t id = mp_map_find(&named->names, lost->functions[i], strlen(lost->functions[i]));

        if (id != MP_NO_ID)
            return named->places[id];
    }
    return MP_NO_ID;
}

static void
say(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place, const struct loss *loss,
    uint64_t all)
{
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->blocks, place, MP_SORT_KEPT, loss->bytes, all);

    MP_FINDING_TEXT(facts, finding, "%s allocated%s %s block%s, %s in all, that nothing in the program refers to "
                    "any more: they are definitely lost. It allocated %s, %s, and freed %s.",
                    mp_phrase_who(facts, place, MP_SORT_KEPT),
                    mp_phrase_through(facts, place, MP_SORT_KEPT), mp_facts_blocks(facts, loss->blocks),
                    mp_plural(loss->blocks), mp_facts_bytes(facts, loss->bytes),
                    mp_facts_blocks(facts, place->counts.allocs),
                    mp_facts_sizes(facts, &facts->blocks, place, MP_SORT_OBJECTS),
                    place->counts.frees == 0 ? "none" : mp_facts_blocks(facts, place->counts.frees));
    mp_finding_figure(finding, "lost", MP_IN_BYTES, loss->bytes);
    mp_finding_figure(finding, "lost_blocks", MP_IN_BLOCKS, loss->blocks);
    mp_finding_figure(finding, "allocations", MP_IN_BLOCKS, place->counts.allocs);
    finding->command = mp_arena_printf(facts->findings->arena, "mprof leaks%s", facts->file);
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_places *places = &facts->blocks;
    struct loss *losses = mp_arena_alloc(facts->arena, places->n * sizeof *losses);
    const struct named named = name_places(facts);
    uint64_t all = 0;

    for (uint32_t i = 0; i < facts->n_lost; i++) {
        const struct mp_lost *lost = &facts->lost[i];
        const uint32_t place = place_of(&named, lost);

        all = mp_plus(all, lost->bytes);
        if (place == MP_NO_ID)
            continue;
        losses[place].blocks = mp_plus(losses[place].blocks, lost->blocks);
        losses[place].bytes = mp_plus(losses[place].bytes, lost->bytes);
    }
    for (uint32_t i = 0; i < places->n; i++)
        if (mp_rule_has(rule, BYTES, losses[i].bytes) && mp_rule_share(rule, SHARE, losses[i].bytes, all))
            say(facts, rule, &places->list[i], &losses[i], all);
}

const struct mp_rule mp_rule_lost = {
    .key = "lost", .title = "Lost", .family = MP_RULES_HELD, .of = MP_OF_ALL,
    .about = "A search for leaks, as by mprof run --leaks, found blocks that nothing in the program refers to.  The "
             "rule uses the newest such search beside the recording, and only what it calls definitely lost.",
    MP_RULE_LIMITS(limits), .find = find,
};
