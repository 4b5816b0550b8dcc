/* Rules that find avoidable objects of Lisp programs, by the function that creates them. */
#include "facts.h"

#include <string.h>

enum { OBJECTS, SHARE };

#define LIMITS(what) { \
    [OBJECTS] = {10000, MP_IN_BLOCKS, "one function makes at least %s " what}, \
    [SHARE] = {50, MP_IN_PERMILLE, "and these are at least %s of all Lisp objects"}, \
}

static const struct mp_limit float_limits[] = LIMITS("floats"),
                             bignum_limits[] = LIMITS("bignums"),
                             rest_limits[] = LIMITS("conses of &rest lists"),
                             builtin_limits[] = LIMITS("conses"),
                             dispatch_limits[] = LIMITS("objects");

/* ---------------------------------------------------------------- which objects */

static bool
is_called(const struct mp_tree *tree, const struct mp_cell *cell, const char *kind)
{
    const struct mp_object_kind *of = mp_profile_kind(tree->profile, cell->kind);

    return of && strcmp(of->name, kind) == 0;
}

static bool
takes_floats(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell)
{
    const struct mp_object_kind *of = mp_profile_kind(tree->profile, cell->kind);

    (void)node;
    return mp_is_lisp(cell) && of && of->category == 'f';
}

static bool
takes_bignums(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell)
{
    (void)node;
    return mp_is_lisp(cell) && is_called(tree, cell, "BIGNUM");
}

/* Tests with IS the node NODE and its callers, up to and including the program's function that called the runtime
 * (mp_places_user()). Returns the first node for which IS returns true, or 0. */
static uint32_t
between(const struct mp_tree *tree, uint32_t node, bool (*is)(const struct mp_tree *, uint32_t))
{
    const uint32_t user = mp_places_user(tree, node);

    for (; node != user; node = tree->nodes[node].parent)
        if (is(tree, node))
            return node;
    return is(tree, user) ? user : 0;
}

/* Returns whether NODE is ECL's function that creates &rest lists for compiled functions. */
static bool
makes_rest(const struct mp_tree *tree, uint32_t node)
{
    return !mp_tree_ends(tree, node) && !mp_tree_name(tree, node) &&
           mp_function_is_called(&tree->profile->functions[mp_tree_function(tree, node)], "cl_grab_rest_args");
}

static bool
takes_rest(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell)
{
    return mp_is_lisp(cell) && is_called(tree, cell, "CONS") && between(tree, node, makes_rest) != 0;
}

/* Returns whether NODE is the frame that the monitor adds where a generic function searches for its methods. The
 * frame that calls the methods does not count. */
static bool
dispatches(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_name *name = mp_tree_name(tree, node);

    return name && name->dispatch && tree->profile->frames[tree->nodes[node].frame].interpreted;
}

static bool
takes_dispatch(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell)
{
    return mp_is_lisp(cell) && between(tree, node, dispatches) != 0;
}

/* Functions that do not return a list that they created, so their conses are temporary. */
static const char *const no_lists[] = {
    "EVERY", "SOME", "NOTEVERY", "NOTANY", "REDUCE", "FIND", "FIND-IF", "POSITION", "POSITION-IF",
    "COUNT", "COUNT-IF", "SEARCH", "MISMATCH", "FILL", "REPLACE", "MAP-INTO", "ELT", "LENGTH", "AREF",
    "BIT", "SBIT", "SVREF", "GETHASH", "STRING=", "EQUALP",
};

/* Returns whether NODE is a function of this list and is called directly by the program. */
static bool
makes_no_list(const struct mp_tree *tree, uint32_t node)
{
    const struct mp_name *name = mp_tree_name(tree, node);
    const uint32_t caller = tree->nodes[node].parent;

    if (!name || !name->builtin || mp_places_user(tree, node) != mp_places_user(tree, caller) ||
        mp_places_user(tree, caller) != caller)
        return false;
    for (size_t i = 0; i < sizeof no_lists / sizeof *no_lists; i++)
        if (strcmp(no_lists[i], name->name) == 0)
            return true;
    return false;
}

static bool
takes_builtin(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell)
{
    return mp_is_lisp(cell) && is_called(tree, cell, "CONS") &&
           between(tree, node, makes_no_list) != 0 && !takes_rest(tree, node, cell);
}

/* ---------------------------------------------------------------- sentences */

/* Adds the figures to FINDING and returns "BYTES, SHARE of all objects". */
static const char *
figures(struct mp_facts *facts, struct mp_finding *finding, const struct mp_counts *c)
{
    const struct mp_counts *all = &facts->objects.all;

    mp_finding_figure(finding, "objects", MP_IN_BLOCKS, c->allocs);
    mp_finding_figure(finding, "bytes", MP_IN_BYTES, c->bytes);
    mp_finding_figure(finding, "all_objects", MP_IN_BLOCKS, all->allocs);
    mp_facts_command(facts, finding, "--lisp --table=sites");
    return mp_arena_printf(facts->arena, "%s, %s of all objects", mp_facts_bytes(facts, c->bytes),
                           mp_facts_share(facts, c->allocs, all->allocs));
}

static void
say_floats(struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const char *share = figures(facts, finding, &place->counts);

    MP_FINDING_TEXT(facts, finding, "%s made %s floats that are objects of their own: %s. In "
                    "compiled code with (declare (optimize (safety 0)) (type double-float x)) a local "
                    "variable x holds a number and no object; what is returned, passed to functions "
                    "or put into lists and general vectors is an object all the same.", finding->function,
                    mp_facts_blocks(facts, place->counts.allocs), share);
}

static void
say_bignums(struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const char *share = figures(facts, finding, &place->counts);

    MP_FINDING_TEXT(facts, finding, "%s made %s bignums: %s. These are integers that do not fit into a "
                    "fixnum, each an object; halves that do, declared as fixnum, make none.",
                    finding->function, mp_facts_blocks(facts, place->counts.allocs), share);
}

/* Returns the runtime's function that creates the list, or "" if the program's own function does. */
static const char *
innermost_call(const struct mp_facts *facts, const struct mp_finding *finding)
{
    return facts->runtimes ? finding->calls[finding->n_calls - 1] : "";
}

static void
say_rest(struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const char *share = figures(facts, finding, &place->counts), *callee = innermost_call(facts, finding);

    if (callee[0])
        MP_FINDING_TEXT(facts, finding, "%s calls %s, which takes its arguments as a list: %s conses for "
                        "&rest, %s.", finding->function, callee,
                        mp_facts_blocks(facts, place->counts.allocs), share);
    else
        MP_FINDING_TEXT(facts, finding, "%s takes arguments as a &rest list: %s conses for such lists, "
                        "%s. Required and &optional parameters make none.", finding->function,
                        mp_facts_blocks(facts, place->counts.allocs), share);
}

static void
say_builtin(struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const char *share = figures(facts, finding, &place->counts), *callee = innermost_call(facts, finding);

    MP_FINDING_TEXT(facts, finding, "%s calls %s, which conses although it returns no list: %s conses, "
                    "%s. A loop written out makes none.", finding->function,
                    callee[0] ? callee : "a built-in function",
                    mp_facts_blocks(facts, place->counts.allocs), share);
}

static void
say_dispatch(struct mp_facts *facts, struct mp_finding *finding, const struct mp_candidate_place *place)
{
    const char *share = figures(facts, finding, &place->counts);

    MP_FINDING_TEXT(facts, finding, "Generic functions that %s calls made %s objects while they looked for "
                    "their methods: %s.", finding->function,
                    mp_facts_blocks(facts, place->counts.allocs), share);
}

/* ---------------------------------------------------------------- rules */

static void
find_of(struct mp_facts *facts, const struct mp_rule *rule,
        bool (*takes)(const struct mp_tree *tree, uint32_t node, const struct mp_cell *cell),
        void (*say)(struct mp_facts *, struct mp_finding *, const struct mp_candidate_place *))
{
    const uint64_t all = facts->objects.all.allocs;
    struct mp_places places;

    if (!mp_rule_has(rule, OBJECTS, all))
        return;
    places = mp_places_new(facts->tree, takes, facts->arena);
    for (uint32_t i = 0; i < places.n; i++) {
        const struct mp_candidate_place *place = &places.list[i];

        if (mp_rule_has(rule, OBJECTS, place->counts.allocs) &&
            mp_rule_share(rule, SHARE, place->counts.allocs, all))
            say(facts, mp_facts_find(facts, rule, &places, place, MP_SORT_OBJECTS, place->counts.allocs, all),
                place);
    }
}

static void
find_floats(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_of(facts, rule, takes_floats, say_floats);
}

static void
find_bignums(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_of(facts, rule, takes_bignums, say_bignums);
}

static void
find_rest(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_of(facts, rule, takes_rest, say_rest);
}

static void
find_builtin(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_of(facts, rule, takes_builtin, say_builtin);
}

static void
find_dispatch(struct mp_facts *facts, const struct mp_rule *rule)
{
    find_of(facts, rule, takes_dispatch, say_dispatch);
}

#define RULE(name, title_, about_, limits_, find_) \
    const struct mp_rule mp_rule_##name = { \
        .key = #name, .title = title_, .family = MP_RULES_MADE, .of = MP_OF_ALL | MP_OF_TIME, \
        .about = about_, MP_RULE_LIMITS(limits_), .find = find_}

RULE(boxed, "Floats as objects",
     "A Lisp function makes floats that are separate objects instead of numbers in registers.",
     float_limits, find_floats);
RULE(bignums, "Integers as objects",
     "A Lisp function makes integers that are too large for a fixnum.", bignum_limits, find_bignums);
RULE(rest, "Argument lists",
     "A compiled Lisp function has its arguments put into a list by &rest, or it calls a function of the runtime that "
     "does so.  This is unknown for interpreted functions.",
     rest_limits, find_rest);
RULE(builtin, "Built-in functions that cons",
     "A Lisp function calls a function of the runtime that conses but returns no list: EVERY, SOME, REDUCE, FIND, "
     "AREF and some more.",
     builtin_limits, find_builtin);
RULE(dispatch, "Generic functions that cons",
     "Generic functions make objects when they search for the applicable methods.",
     dispatch_limits, find_dispatch);
