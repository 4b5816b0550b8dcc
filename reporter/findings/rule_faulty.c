/* SPDX-License-Identifier: MIT */
/* Finds faulty frees, and who allocates blocks that are written beyond their end. */
#include "facts.h"
#include "reporter/base/format_number.h"
#include "reporter/graph/bad_frees.h"
#include "reporter/graph/context_calls.h"

enum { FAULTS };

/* Finds each place that has enough faults of the kinds from FIRST to LAST. SAY writes the text, and UNIT is the key of
 * the number of faults. */
static void
find_places(struct mp_facts *facts, const struct mp_rule *rule, enum mp_bad_free_kind first, enum mp_bad_free_kind last,
            const char *unit, void (*say)(struct mp_facts *, struct mp_finding *, const struct mp_bad_free *))
{
    const struct mp_bad_frees *frees = facts->view->bad_frees;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];
        struct mp_finding *finding;
        struct mp_calls calls;

        if (place->kind < first || place->kind > last || !mp_rule_has(rule, FAULTS, place->count))
            continue;
        calls = mp_context_calls(frees->of, place->context, facts->findings->arena);
        if (calls.n == 0)
            continue;
        finding = mp_facts_find_calls(facts, rule, &calls);
        say(facts, finding, place);
        mp_finding_figure(finding, unit, MP_IN_COUNT, place->count);
        mp_facts_command_of_all(facts, finding, "--table=bins");
    }
}

/* ------------------------------------------------------------------ faulty frees */

static const struct mp_limit limits_of_frees[] = {
    [FAULTS] = {1, MP_IN_COUNT, "one place has at least %s such free"},
};

static void
say_free(struct mp_facts *facts, struct mp_finding *finding, const struct mp_bad_free *place)
{
    MP_FINDING_TEXT(facts, finding, "%s free%s by %s %s %s. That is a fault, after which anything may happen "
                    "to the heap.", mp_facts_blocks(facts, place->count), mp_plural(place->count),
                    finding->function, place->count == 1 ? "is" : "are", mp_bad_free_texts[place->kind].text);
}

/* Skips frees of unknown addresses, because these blocks may have been allocated before the recording began. */
static void
find_frees(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_places(facts, rule, MP_FREED_AGAIN, MP_FREED_INSIDE, "frees", say_free);
    find_places(facts, rule, MP_FREED_MISMATCHED, MP_FREED_MISMATCHED, "frees", say_free);
}

const struct mp_rule mp_rule_faulty = {
    .key = "faulty", .title = "Faulty frees", .family = MP_RULES_FAULTS, .of = MP_OF_ALL,
    .about = "The program frees memory that it has freed already, an address within a block, or, with --sentinel, a "
             "block by another kind of function than made it: free, delete or delete[].  The place of the first "
             "free is unknown.  In a sampled recording faulty frees are unknown.",
    MP_RULE_LIMITS(limits_of_frees), .find = find_frees,
};

/* ------------------------------------------------------------------ overruns */

static const struct mp_limit limits_of_overruns[] = {
    [FAULTS] = {1, MP_IN_COUNT, "one place allocated at least %s such block"},
};

static void
say_overrun(struct mp_facts *facts, struct mp_finding *finding, const struct mp_bad_free *place)
{
    MP_FINDING_TEXT(facts, finding, "%s block%s that %s allocated %s written beyond %s end. That is a fault, which "
                    "overwrites other data or the heap where no sentinel is.", mp_facts_blocks(facts, place->count),
                    mp_plural(place->count), finding->function, place->count == 1 ? "was" : "were",
                    place->count == 1 ? "its" : "their");
}

static void
find_overruns(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_places(facts, rule, MP_FREED_OVERRUN, MP_FREED_OVERRUN, "blocks", say_overrun);
}

const struct mp_rule mp_rule_overrun = {
    .key = "overrun", .title = "Overruns", .family = MP_RULES_FAULTS, .of = MP_OF_ALL,
    .about = "The program writes beyond the end of blocks, as their sentinels show when they are freed or "
             "reallocated (mprof run --sentinel).  The writing function is unknown, and blocks that are never freed "
             "are not checked.",
    MP_RULE_LIMITS(limits_of_overruns), .find = find_overruns,
};
