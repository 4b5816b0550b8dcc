/* SPDX-License-Identifier: MIT */
/* Finds that recursion made most of the contexts, which cost memory in the profiled process and time in reports. */
#include "facts.h"
#include "reporter/base/format_number.h"
#include "reporter/view/recursion.h"

enum { CONTEXTS, SHARE };

static const struct mp_limit limits[] = {
    [CONTEXTS] = {100000, MP_IN_COUNT, "there are at least %s contexts"},
    [SHARE] = {500, MP_IN_PERMILLE, "and folding saves at least %s of them"},
};

const char *
mp_finding_of_recursion(const struct mp_profile *profile, struct mp_arena *arena)
{
    const uint32_t contexts = profile->n_contexts - 1;
    char number[2][MP_NUMBER_SIZE];
    uint32_t fewer;

    if (!mp_rule_has(&mp_rule_contexts, CONTEXTS, contexts) || profile->meta.missing[MP_MISS_FOLDED] > 0)
        return NULL;
    fewer = mp_recursion_contexts(profile);
    if (!mp_rule_share(&mp_rule_contexts, SHARE, fewer, contexts))
        return NULL;
    return mp_arena_printf(arena, "Recursion made %s of the %s contexts: %s leaves its repeated rounds out of the "
                           "chains, with the same sums of functions and of calls.", mp_number_grouped(fewer, number[0]),
                           mp_number_grouped(contexts, number[1]),
                           profile->n_kinds > 0 ? "--fold-recursion (:fold-recursion)" : "mprof run --fold-recursion");
}

static void
find(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_calls none = {.profile = facts->view, .whole = true};
    struct mp_finding *finding;

    if (!facts->recursion)
        return;
    finding = mp_facts_find_calls(facts, rule, &none);
    finding->text = facts->recursion;
    mp_finding_figure(finding, "contexts", MP_IN_COUNT, facts->recorded->n_contexts - 1);
    mp_facts_command_of_all(facts, finding, "--table=tree");
}

const struct mp_rule mp_rule_contexts = {
    .key = "contexts", .title = "Contexts of recursion", .family = MP_RULES_SHAPE, .of = MP_OF_ALL,
    .about = "The program has so many different chains that mprof itself needs much memory in the process, and most of "
             "them differ only by rounds of recursion.  The number is that of the same chains folded by the rule of "
             "--fold-recursion, see mprof-run(1).",
    MP_RULE_LIMITS(limits), .find = find,
};
