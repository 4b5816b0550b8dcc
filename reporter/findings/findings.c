/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/missing.h"
#include "reporter/view/window.h"
#include "series.h"

#define POINTER(name) &mp_rule_##name,
const struct mp_rule *const mp_rules[] = {MP_EACH_RULE(POINTER)};
const size_t mp_n_rules = sizeof mp_rules / sizeof *mp_rules;

/* There is little to gain if all blocks cost less than LITTLE_TIME and the peak is smaller than LITTLE_MEMORY. */
#define LITTLE_TIME     20000000u       /* ns */
#define LITTLE_MEMORY   5000000u        /* bytes */

/* ---------------------------------------------------------------- facts */

static void
collect_facts(struct mp_facts *facts, const struct mp_findings_options *options)
{
    const struct mp_tree_options wanted = {.lines = true, .paths = options->paths, .one_cut = true};
    const struct mp_profile *view = facts->view;

    facts->arena = mp_arena_new();
    facts->tree = mp_tree_suits(options->tree, view, &wanted) ? options->tree : mp_tree_build(view, &wanted);
    facts->blocks = mp_places_new(facts->tree, mp_places_blocks, facts->arena);
    facts->objects = mp_places_new(facts->tree, mp_places_objects, facts->arena);
    mp_profile_totals(view, &facts->totals);
    facts->peak = view->window && view->window->alive ? facts->totals.all.kept
                  : view->meta.peak_bytes > 0         ? (uint64_t)view->meta.peak_bytes
                                                      : 0;
    facts->little = mp_facts_cost(&facts->totals.all) < LITTLE_TIME && facts->peak < LITTLE_MEMORY;
    facts->most = mp_series_most(facts, &facts->blocks);
    facts->file = options->file ? mp_arena_printf(facts->arena, " %s", mp_text_in_shell(facts->arena, options->file))
                                : "";
}

/* ---------------------------------------------------------------- rules */

static void
find_each(struct mp_facts *facts, const struct mp_rule *rule)
{
    const struct mp_places *places = rule->objects ? &facts->objects : &facts->blocks;

    for (uint32_t i = 0; i < places->n; i++)
        if (rule->is(facts, rule, &places->list[i]))
            rule->say(facts, rule, &places->list[i]);
}

/* Applies all rules that support this kind of view. */
static void
ask_rules(struct mp_facts *facts)
{
    const struct mp_window *window = facts->view->window;
    const unsigned of = !window ? MP_OF_ALL : window->alive ? MP_OF_MOMENT : MP_OF_TIME;

    for (size_t i = 0; i < mp_n_rules; i++)
        if (mp_rules[i]->of & of)
            (mp_rules[i]->find ? mp_rules[i]->find : find_each)(facts, mp_rules[i]);
}

/* ---------------------------------------------------------------- caveat */

/* Returns a sentence that lists what the recording lacks, in ARENA, or NULL. */
static const char *
caveat_of(const struct mp_meta *meta, struct mp_arena *arena)
{
    const char *text = "";
    char reason[MP_MISSING_SIZE], ending[MP_ENDING_SIZE];

    for (size_t i = 0; i < MP_MISS_KINDS; i++) {
        const enum mp_missing kind = mp_missing_facts[i].kind;

        if (meta->missing[kind] > 0 && mp_missing_text(kind, meta->missing[kind], reason))
            text = mp_arena_printf(arena, "%s%s%s", text, *text ? "; " : "", reason);
    }
    if (meta->ending == MP_END_FULL)
        text = mp_arena_printf(arena, "%s%s%s", text, *text ? "; " : "", mp_ending_text(meta, ending));
    return *text ? mp_arena_printf(arena, "Figures may be incomplete, because %s.", text) : NULL;
}

/* Returns the sentence that stands in place of the findings if there are none. */
static const char *
nothing_text(const struct mp_facts *facts, struct mp_arena *arena)
{
    const struct mp_counts *all = &facts->totals.all;
    const uint64_t objects = facts->totals.lisp.allocs;
    const char *things = objects == 0 ? "block" : objects == all->allocs ? "object" : "blocks and object";

    if (facts->view->meta.unknown != 0)
        return "None: no rule of mprof-findings(1) has anything to say of the figures that are known.";
    if (facts->view->window)
        return "None: no rule of mprof-findings(1) that speaks of a part of the time has anything to say.";
    if (!facts->little)
        return "None: no rule of mprof-findings(1) has anything to say.";
    return mp_arena_printf(arena, "None: there is little to gain. The program allocated %s in %s %s%s, at most %s "
                           "at a time.", mp_facts_bytes(facts, all->bytes), mp_facts_blocks(facts, all->allocs),
                           things, mp_plural(all->allocs), mp_facts_bytes(facts, facts->peak));
}

/* ---------------------------------------------------------------- ranking */

static int
by_share(const void *a, const void *b)
{
    const struct mp_finding *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    if (x->rule != y->rule)
        for (size_t i = 0; i < mp_n_rules; i++)
            if (mp_rules[i] == x->rule || mp_rules[i] == y->rule)
                return mp_rules[i] == x->rule ? -1 : 1;
    return strcmp(x->function, y->function);
}

static bool
same_calls(const struct mp_finding *a, const struct mp_finding *b)
{
    uint32_t n = a->n_calls < b->n_calls ? a->n_calls : b->n_calls;

    for (uint32_t i = 1; i <= n; i++)
        if (strcmp(a->calls[a->n_calls - i], b->calls[b->n_calls - i]) != 0)
            return false;
    return n > 0;
}

/* Returns whether the place of B is among the further places of A. */
static bool
names_also(const struct mp_finding *a, const struct mp_finding *b)
{
    for (uint32_t i = 0; i < a->n_also; i++)
        for (uint32_t j = 0; strcmp(a->also[i].function, b->function) == 0 && j < b->n_calls; j++)
            if (strcmp(a->also[i].call, b->calls[j]) == 0)
                return true;
    return false;
}

/* Returns whether A already reports the fault of B. A precedes B in the order of the rules. Two places found by one
 * rule are two faults. */
static bool
tells_of(const struct mp_finding *a, const struct mp_finding *b)
{
    if (a->rule == b->rule || a->rule->family != b->rule->family || (a->rule->apart && b->rule->apart))
        return false;
    return names_also(a, b) ||
           (strcmp(a->function, b->function) == 0 && (a->rule->family == MP_RULES_MADE || same_calls(a, b)));
}

/* Drops findings that repeat an earlier finding of the same family. The earlier one takes over the larger share. */
static void
tell_once(struct mp_findings *findings)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < findings->n; i++) {
        struct mp_finding *told = NULL;

        for (uint32_t j = 0; j < n && !told; j++)
            if (tells_of(&findings->list[j], &findings->list[i]))
                told = &findings->list[j];
        if (!told)
            findings->list[n++] = findings->list[i];
        else if (findings->list[i].permille > told->permille)
            told->permille = told->rank = findings->list[i].permille;
    }
    findings->n = n;
}

/* Appends a sentence to findings whose chain has less than 95 % of the figure. */
static void
say_ways(struct mp_findings *findings)
{
    for (uint32_t i = 0; i < findings->n; i++) {
        struct mp_finding *finding = &findings->list[i];

        for (uint32_t j = 0; j < finding->n_figures; j++)
            if (strcmp(finding->figures[j].key, "through_chain") == 0 && finding->figures[j].number < 950)
                finding->text = mp_arena_printf(
                    findings->arena, "%s %u %% of this came by the chain below.", finding->text,
                    mp_number_share(finding->figures[j].number, 1000));
    }
}

/* Prefixes texts with the part of the time, as in "At checkpoint parsed (1.250 s): ...". */
static void
say_when(struct mp_findings *findings, const struct mp_window *window)
{
    char *when;

    if (!window || findings->n == 0)
        return;
    when = mp_arena_strdup(findings->arena, mp_window_text(window, findings->arena));
    when[0] = (char)toupper((unsigned char)when[0]);
    for (uint32_t i = 0; i < findings->n; i++)
        findings->list[i].text =
            mp_arena_printf(findings->arena, "%s: %s", when, findings->list[i].text);
}

struct mp_findings *
mp_findings_new(const struct mp_profile *view, const struct mp_findings_options *options)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_findings *findings = mp_arena_alloc(arena, sizeof *findings);
    struct mp_facts facts = {.view = view, .findings = findings, .held = options->held,
                             .n_held = options->n_held, .lost = options->lost, .n_lost = options->n_lost,
                             .frames = options->frames, .recorded = options->recorded};

    findings->arena = arena;
    findings->estimated = mp_is_estimated(&view->meta);
    findings->caveat = caveat_of(&view->meta, arena);
    /* Both this search and the facts need much memory. The search frees its memory before the facts are collected. */
    facts.recursion = options->recorded ? mp_finding_of_recursion(options->recorded, arena) : NULL;
    collect_facts(&facts, options);
    ask_rules(&facts);
    tell_once(findings);
    findings->nothing = nothing_text(&facts, arena);
    if (findings->n > 0)
        qsort(findings->list, findings->n, sizeof *findings->list, by_share);
    if (options->most > 0 && findings->n > options->most) {
        findings->left_out = findings->n - options->most;
        findings->n = options->most;
    }
    say_ways(findings);
    say_when(findings, view->window);
    for (uint32_t i = 0; i < findings->n; i++)
        findings->list[i].text = mp_facts_units(findings->list[i].text, arena);
    findings->nothing = mp_facts_units(findings->nothing, arena);
    findings->tree = facts.tree != options->tree ? facts.tree : NULL;
    mp_arena_free(facts.arena);
    return findings;
}

/* Returns whether the view of PROFILE that WANTED describes has all frames, and lines in all names. */
static bool
has_all(const struct mp_profile *profile, const struct mp_view_options *wanted)
{
    return mp_frames_shown(wanted, profile) != MP_FRAMES_LISP && !wanted->skip.runtime &&
           (wanted->places || profile->n_names == 0);
}

struct mp_findings *
mp_findings_of(const struct mp_profile *profile, const struct mp_view_options *wanted,
               const struct mp_filters *filters, const struct mp_findings_options *options,
               struct mp_error *error)
{
    struct mp_findings_options named = *options;
    struct mp_view_options all = *wanted;
    struct mp_findings *findings;
    struct mp_profile *view;

    named.frames = wanted->frames;
    named.recorded = !filters || filters->n == 0 ? profile : NULL;
    if (options->view && has_all(profile, wanted))
        return mp_findings_new(options->view, &named);
    if (all.frames != MP_FRAMES_C)
        all.frames = MP_FRAMES_ALL;
    all.skip.runtime = false;
    all.places = true;
    view = mp_filtered_view(profile, &all, filters, NULL, error);
    if (!view)
        return NULL;
    findings = mp_findings_new(view, &named);
    findings->view = view;
    return findings;
}

const char *
mp_finding_sentence(const struct mp_finding *finding, struct mp_arena *arena)
{
    return mp_arena_printf(arena, "%.*s", (int)(mp_facts_sentence_end(finding->text) - finding->text), finding->text);
}

void
mp_findings_free(struct mp_findings *findings)
{
    if (!findings)
        return;
    mp_tree_free(findings->tree);
    mp_profile_free(findings->view);
    mp_arena_free(findings->arena);
}
