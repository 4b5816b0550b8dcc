/* SPDX-License-Identifier: MIT */
/* Two rules about the age of objects in a collected heap: objects that die at once, and objects that stay. */
#include "facts.h"

static uint64_t
examined(const struct mp_counts *counts)
{
    return mp_plus(counts->frees, counts->kept_blocks);
}

/* ---------------------------------------------------------------- fleeting */

enum { OBJECTS, SHARE, ALIVE };

static const struct mp_limit fleeting_limits[] = {
    [OBJECTS] = {100000, MP_IN_BLOCKS, "collections examined at least %s objects of one place"},
    [SHARE] = {300, MP_IN_PERMILLE, "the place made at least %s of all objects"},
    [ALIVE] = {10, MP_IN_PERMILLE, "at most %s of the examined objects survived"},
};

/* Returns " (872,778 of type CONS)" with the most frequent type at PLACE, or "". */
static const char *
type_text(const struct mp_facts *facts, const struct mp_candidate_place *place)
{
    struct mp_map kinds = {.arena = facts->arena};
    uint64_t *objects = mp_arena_alloc(facts->arena, (facts->view->n_kinds + 1) * sizeof *objects);
    const struct mp_object_kind *kind;
    uint32_t most = 0;

    for (uint32_t node = place->first; node != MP_NO_ID; node = facts->objects.next[node])
        for (struct mp_tree_part part = {.node = node}; mp_tree_next(facts->tree, &part);)
            if (part.kind >= MP_KIND_LISP && mp_map_add_u64(&kinds, part.kind) < facts->view->n_kinds)
                objects[mp_map_find_u64(&kinds, part.kind)] += part.counts.allocs;
    for (uint32_t i = 0; i < kinds.count; i++)
        most = objects[i] > objects[most] ? i : most;
    for (uint32_t i = 0; i < facts->view->n_kinds; i++) {
        kind = &facts->view->kinds[i];
        if (mp_map_find_u64(&kinds, kind->kind) == most)
            return mp_arena_printf(facts->arena, " (%s of type %s)",
                                   mp_facts_blocks(facts, objects[most]), kind->name);
    }
    return "";
}

static void
say_fleeting(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t all = facts->objects.all.allocs;
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->objects, place, MP_SORT_OBJECTS, c->allocs, all);

    MP_FINDING_TEXT(facts, finding, "%s made %s objects%s of %s, %s of all objects. Nearly all of them "
                    "were garbage at once: of %s that a collection examined, %s survived it.",
                    finding->function, mp_facts_blocks(facts, c->allocs), type_text(facts, place),
                    mp_facts_bytes(facts, c->bytes), mp_facts_share(facts, c->allocs, all),
                    mp_facts_blocks(facts, examined(c)), mp_facts_blocks(facts, c->survived[0]));
    mp_finding_figure(finding, "objects", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, c->bytes);
    mp_finding_figure(finding, "examined", MP_IN_BLOCKS, examined(c));
    mp_finding_figure(finding, "survived", MP_IN_BLOCKS, c->survived[0]);
    mp_facts_command(facts, finding, "--lisp --table=gc,sites");
}

static bool
is_fleeting(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;

    return mp_rule_has(rule, OBJECTS, examined(c)) &&
           mp_rule_share(rule, SHARE, c->allocs, facts->objects.all.allocs) &&
           !mp_facts_reaches(c->survived[0], examined(c), rule->limits[ALIVE].value + 1);
}

const struct mp_rule mp_rule_fleeting = {
    .key = "fleeting", .title = "Objects that die at once", .family = MP_RULES_MADE,
    .of = MP_OF_ALL,
    .about = "One function makes much of the garbage of a Lisp program.",
    MP_RULE_LIMITS(fleeting_limits), .objects = true, .is = is_fleeting, .say = say_fleeting,
};

/* ---------------------------------------------------------------- tenured */

enum { KEPT, BYTES, OLD, KEPT_SHARE };

static const struct mp_limit tenured_limits[] = {
    [KEPT] = {1000, MP_IN_BLOCKS, "at least %s objects of one place survived a collection and are still live"},
    [BYTES] = {1000000, MP_IN_BYTES, "they occupy at least %s"},
    [OLD] = {500, MP_IN_PERMILLE, "objects that survived four collections are at least %s of the objects "
                                  "that collections examined"},
    [KEPT_SHARE] = {250, MP_IN_PERMILLE, "the place has at least %s of everything that survived and is still live"},
};

static void
say_tenured(struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;
    const uint64_t all = facts->objects.all.kept;
    struct mp_finding *finding =
        mp_facts_find(facts, rule, &facts->objects, place, MP_SORT_KEPT, c->kept, all);

    MP_FINDING_TEXT(facts, finding, "%s made %s objects that survived a collection and still live, %s or "
                    "%s of all such; %s survived four and more. Each full collection marks them again.",
                    finding->function, mp_facts_blocks(facts, c->kept_blocks),
                    mp_facts_bytes(facts, c->kept), mp_facts_share(facts, c->kept, all),
                    mp_facts_blocks(facts, c->survived[2]));
    mp_finding_figure(finding, "kept", MP_IN_BYTES, c->kept);
    mp_finding_figure(finding, "kept_objects", MP_IN_BLOCKS, c->kept_blocks);
    mp_finding_figure(finding, "survived_four", MP_IN_BLOCKS, c->survived[2]);
    mp_facts_command(facts, finding, "--lisp --table=gc,leaks");
}

static bool
is_tenured(const struct mp_facts *facts, const struct mp_rule *rule, const struct mp_candidate_place *place)
{
    const struct mp_counts *c = &place->counts;

    return mp_rule_has(rule, KEPT, c->kept_blocks) && mp_rule_has(rule, BYTES, c->kept) &&
           mp_rule_share(rule, OLD, c->survived[2], examined(c)) &&
           mp_rule_share(rule, KEPT_SHARE, c->kept, facts->objects.all.kept);
}

const struct mp_rule mp_rule_tenured = {
    .key = "tenured", .title = "Objects that stay", .family = MP_RULES_HELD,
    .of = MP_OF_ALL,
    .about = "Objects that one Lisp function made live through collection after collection.  Whether the program "
             "still needs them is unknown.",
    MP_RULE_LIMITS(tenured_limits), .objects = true, .is = is_tenured, .say = say_tenured,
};
