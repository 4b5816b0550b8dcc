/* Finds faulty frees. */
#include "facts.h"
#include "reporter/base/format_number.h"
#include "reporter/profile/bad_frees.h"

enum { FREES };

static const struct mp_limit limits[] = {
    [FREES] = {1, MP_IN_COUNT, "one place has at least %s such free"},
};

/* Skips frees of unknown addresses, because these blocks may have been allocated before the recording began. */
static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_bad_frees *frees = facts->view->bad_frees;

    for (uint32_t i = 0; frees && i < frees->n; i++) {
        const struct mp_bad_free *place = &frees->places[i];
        struct mp_calls calls = mp_bad_free_calls(frees, place, facts->findings->arena);
        struct mp_finding *finding;

        if (place->kind >= MP_FREED_UNKNOWN || calls.n == 0 || !mp_rule_has(rule, FREES, place->count))
            continue;
        finding = mp_facts_find_calls(facts, rule, &calls);
        MP_FINDING_TEXT(facts, finding, "%s free%s by %s %s %s. That is a fault, after which anything may happen "
                        "to the heap.", mp_facts_blocks(facts, place->count), mp_plural(place->count),
                        finding->function, place->count == 1 ? "is" : "are", mp_bad_free_texts[place->kind].text);
        mp_finding_figure(finding, "frees", MP_IN_COUNT, place->count);
        mp_facts_command_of_all(facts, finding, "--table=bins");
    }
}

const struct mp_rule mp_rule_faulty = {
    .key = "faulty", .title = "Faulty frees", .family = MP_RULES_FAULTS, .of = MP_OF_ALL,
    .about = "The program frees memory that it has freed already, or an address within a block.  Where the first free "
             "was is not known, nor is any of it where recording was sampled.",
    MP_RULE_LIMITS(limits), .find = find,
};
