/* Finds who allocates blocks that are written beyond their end. */
#include "facts.h"
#include "reporter/base/format_number.h"
#include "reporter/profile/bad_frees.h"

enum { BLOCKS };

static const struct mp_limit limits[] = {
    [BLOCKS] = {1, MP_IN_COUNT, "one place allocated at least %s such block"},
};

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_bad_frees *frees = facts->view->bad_frees;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];
        struct mp_calls calls = mp_bad_free_calls(frees, place, facts->findings->arena);
        struct mp_finding *finding;

        if (place->kind != MP_FREED_OVERRUN || calls.n == 0 || !mp_rule_has(rule, BLOCKS, place->count))
            continue;
        finding = mp_facts_find_calls(facts, rule, &calls);
        MP_FINDING_TEXT(facts, finding, "%s block%s that %s allocated %s written beyond %s end. That is a fault, which "
                        "overwrites other data or the heap where no sentinel is.", mp_facts_blocks(facts, place->count),
                        mp_plural(place->count), finding->function, place->count == 1 ? "was" : "were",
                        place->count == 1 ? "its" : "their");
        mp_finding_figure(finding, "blocks", MP_IN_COUNT, place->count);
        mp_facts_command_of_all(facts, finding, "--table=bins");
    }
}

const struct mp_rule mp_rule_overrun = {
    .key = "overrun", .title = "Overruns", .family = MP_RULES_FAULTS, .of = MP_OF_ALL,
    .about = "The program writes beyond the end of blocks, as their sentinels show when they are freed or "
             "reallocated (mprof run --sentinel).  Who wrote there is not known, and blocks that are never freed are "
             "not looked at.",
    MP_RULE_LIMITS(limits), .find = find,
};
