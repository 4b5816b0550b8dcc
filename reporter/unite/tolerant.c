/* SPDX-License-Identifier: MIT */
/* tolerant.c -- matches the functions of different builds, and calls that exist in only one of the builds. */
#include "unite.h"

#include <stdlib.h>
#include <string.h>

enum { BOTH = 1u << MP_BEFORE | 1u << MP_AFTER };

/* How a matched function calls itself on one side. */
struct rounds {
    uint32_t most;              /* maximum number of its calls in a row */
    bool other;                 /* calls itself in another way than inlined to not inlined */
    bool one_build;             /* both sides contain the same build of it */
};

struct tolerant {
    struct mp_unite *unite;
    const enum mp_side *sides;  /* by run */
    struct where {
        unsigned sides;         /* sides of the runs that contain it, 1 << enum mp_side */
        uint32_t run;           /* the first of these runs */
    } *contexts, *functions;    /* by context, by function */
    struct mp_match_function **frames;  /* by frame: its function, or NULL if no context with figures has it */
    uint32_t n_matches;
    const char **names;         /* by matched function */
    struct rounds *rounds[MP_SIDES];    /* by matched function */
    bool *same;                 /* by context: one call of the source together with its parent */
    struct mp_arena *scratch;
};

/* ---------------------------------------------------------------- functions */

static void
add_where(struct where *to, struct where from)
{
    to->run = to->sides == 0 || from.run < to->run ? from.run : to->run;
    to->sides |= from.sides;
}

/* Finds out which runs contain each context and function. */
static void
find_runs(struct tolerant *t)
{
    const struct mp_unite_tree *tree = &t->unite->tree;

    t->contexts = mp_arena_alloc(t->scratch, tree->n_contexts * sizeof *t->contexts);
    for (uint32_t i = 0; i < tree->n_cells; i++) {
        const uint32_t run = tree->cells[i].kind / MP_UNITE_TAG(1u);

        add_where(&t->contexts[tree->cells[i].context], (struct where){1u << t->sides[run], run});
    }
    for (uint32_t i = tree->n_contexts - 1; i > 0; i--)
        if (t->contexts[i].sides != 0)
            add_where(&t->contexts[tree->contexts[i].parent], t->contexts[i]);
}

static uint32_t
function_of(const struct mp_unite *unite, uint32_t frame)
{
    return unite->sum.locations[unite->sum.frames[frame].first_location].function;
}

static const char *
string_at(const struct mp_unite *unite, const uint32_t *key, unsigned word)
{
    return key[word] == MP_NO_ID ? NULL : mp_map_key(&unite->strings, key[word]);
}

/* Describes the function of FRAME for matching. */
static struct mp_match_function
describe(const struct tolerant *t, uint32_t frame)
{
    const struct mp_unite *unite = t->unite;
    const struct mp_frame *what = &unite->sum.frames[frame];
    const struct mp_function *function = &unite->sum.functions[function_of(unite, frame)];
    const uint32_t *key = mp_unite_key(&unite->functions, function_of(unite, frame));
    const char *build = string_at(unite, key, MP_UNITE_FUNCTION_BUILD);
    const struct where *where = &t->functions[function_of(unite, frame)];

    return (struct mp_match_function){
        .name = mp_function_is_nameless(&unite->sum, function) ? NULL : mp_function_name(function),
        .parameters = function->parameters, .file = function->file ? function->file : function->unit,
        .module = string_at(unite, key, MP_UNITE_FUNCTION_MODULE), .build = build ? build : "",
        .module_name = function->module == MP_NO_ID ? "" : unite->sum.modules[function->module].name,
        .sides = where->sides, .run = where->run, .is_lisp = what->name != MP_NO_ID,
        .start = (uint64_t)key[MP_UNITE_FUNCTION_HIGH] << 32 | key[MP_UNITE_FUNCTION_LOW],
        .sort = what->mark != 0 ? mp_arena_printf(t->scratch, "mark %u", (unsigned)what->mark)
                : mp_frame_is_thread(what) ? "thread" : what->name != MP_NO_ID ? "language" : ""};
}

/* Matches the functions of all frames. A frame that no context with figures has matches none. */
static void
match(struct tolerant *t)
{
    const struct mp_unite *unite = t->unite;
    const struct mp_unite_tree *tree = &unite->tree;
    const uint32_t n = unite->frames.count;
    struct mp_match_function *list = mp_arena_alloc(t->scratch, n * sizeof *list);
    uint32_t n_used = 0;

    t->functions = mp_arena_alloc(t->scratch, unite->functions.count * sizeof *t->functions);
    t->frames = mp_arena_alloc(t->scratch, n * sizeof *t->frames);
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        if (t->contexts[i].sides != 0)
            add_where(&t->functions[function_of(unite, tree->contexts[i].frame)], t->contexts[i]);
    for (uint32_t i = 0; i < n; i++)
        if (t->functions[function_of(unite, i)].sides != 0) {
            list[n_used] = describe(t, i);
            t->frames[i] = &list[n_used++];
        }
    t->names = mp_match(list, n_used, &t->n_matches, unite->arena);
}

/* ---------------------------------------------------------------- parts of functions */

/*
 * Finds calls that exist in only one of the builds, because a compiler has made a part of a function a function of its
 * own. Then the caller and the called part represent one call of the source.
 *
 * 1. By name, in imported profiles: a function calls a part of itself, as mp_match() recognises it.
 *    "f > f.part.0" becomes "f".
 * 2. By debug information (symbols.h), if the part's name is f, too: the builds differ, on one side an f inlined into
 *    its caller calls an f that is not inlined, f never calls itself in another way, and on the other side f never
 *    calls itself. For example, gcc copies the test at the beginning of f into f's callers, which then call the rest.
 *    "f > f" becomes "f".
 *
 * All other calls of a function by itself are recursion.
 */

static bool
calls_itself(const struct tolerant *t, uint32_t context)
{
    const struct mp_context *contexts = t->unite->tree.contexts;
    const uint32_t parent = contexts[context].parent;

    return parent > 0 && t->frames[contexts[parent].frame]->match == t->frames[contexts[context].frame]->match;
}

static bool
is_part(const struct tolerant *t, uint32_t context)
{
    return t->frames[t->unite->tree.contexts[context].frame]->is_part;
}

static bool
is_inlined(const struct tolerant *t, uint32_t context)
{
    const struct mp_profile *sum = &t->unite->sum;

    return sum->locations[sum->frames[t->unite->tree.contexts[context].frame].first_location].inlined;
}

/* Records which functions call themselves on SIDE, apart from parts recognised by name, which are marked in `same`. */
static void
count_rounds(struct tolerant *t, enum mp_side side)
{
    const struct mp_unite_tree *tree = &t->unite->tree;
    uint32_t *in_row = mp_arena_alloc(t->scratch, tree->n_contexts * sizeof *in_row);

    for (uint32_t i = 1; i < tree->n_contexts; i++) {
        const uint32_t parent = tree->contexts[i].parent;
        struct rounds *rounds;
        bool itself;

        if (!(t->contexts[i].sides & 1u << side))
            continue;
        itself = calls_itself(t, i);
        rounds = &t->rounds[side][t->frames[tree->contexts[i].frame]->match];
        t->same[i] = itself && is_part(t, i) && !is_part(t, parent);
        in_row[i] = (itself ? in_row[parent] : 0) + !t->same[i];
        if (rounds->most < in_row[i])
            rounds->most = in_row[i];
        if (itself && !t->same[i])
            rounds->other |= is_inlined(t, i) || !is_inlined(t, parent);
        rounds->one_build |= t->frames[tree->contexts[i].frame]->build[0] &&
                             t->functions[function_of(t->unite, tree->contexts[i].frame)].sides == BOTH;
    }
}

static bool
is_split(const struct tolerant *t, enum mp_side side, uint32_t match)
{
    const struct rounds *here = &t->rounds[side][match];

    return here->most == 2 && !here->other && !here->one_build &&
           t->rounds[side == MP_BEFORE ? MP_AFTER : MP_BEFORE][match].most == 1;
}

/* Sets `same`. */
static void
find_parts(struct tolerant *t)
{
    const struct mp_unite_tree *tree = &t->unite->tree;

    t->same = mp_arena_alloc(t->scratch, tree->n_contexts * sizeof *t->same);
    for (unsigned side = 0; side < MP_SIDES; side++) {
        t->rounds[side] = mp_arena_alloc(t->scratch, t->n_matches * sizeof *t->rounds[side]);
        count_rounds(t, (enum mp_side)side);
    }
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        for (unsigned side = 0; side < MP_SIDES; side++)
            t->same[i] |= t->contexts[i].sides & 1u << side && calls_itself(t, i) &&
                          is_split(t, (enum mp_side)side, t->frames[tree->contexts[i].frame]->match);
}

/* ---------------------------------------------------------------- the result */

/* Replaces the functions, frames, locations and names by those of the matched functions. Of functions that match, the
 * last one, which is of the side "after", determines the details. */
static void
replace_functions(struct tolerant *t)
{
    struct mp_profile *sum = &t->unite->sum;
    const struct mp_profile from = *sum;
    struct mp_arena *arena = t->unite->arena;

    sum->n_functions = sum->n_locations = sum->n_frames = t->n_matches;
    sum->n_names = 0;
    sum->functions = mp_arena_alloc(arena, t->n_matches * sizeof *sum->functions);
    sum->locations = mp_arena_alloc(arena, t->n_matches * sizeof *sum->locations);
    sum->frames = mp_arena_alloc(arena, t->n_matches * sizeof *sum->frames);
    sum->names = mp_arena_alloc(arena, t->n_matches * sizeof *sum->names);
    for (uint32_t i = 0; i < from.n_frames; i++) {
        const uint32_t id = t->frames[i] ? t->frames[i]->match : MP_NO_ID;
        const struct mp_function *function = &from.functions[from.locations[from.frames[i].first_location].function];
        const char *file = from.frames[i].name == MP_NO_ID ? function->file : NULL;     /* not of Lisp */

        if (id == MP_NO_ID)
            continue;
        sum->functions[id] = (struct mp_function){.text = t->names[id], .module = function->module,
                                                  .file = file, .kind = function->kind};
        sum->locations[id] = (struct mp_location){.function = id, .file = file ? file : ""};
        sum->frames[id] = from.frames[i];
        sum->frames[id].first_location = id;
    }
    for (uint32_t i = 0; i < t->n_matches; i++)
        if (sum->frames[i].name != MP_NO_ID) {
            sum->names[sum->n_names] = (struct mp_name){
                .name = t->names[i], .file = "", .position = -1, .builtin = from.names[sum->frames[i].name].builtin};
            sum->frames[i].name = sum->n_names++;
        }
}

void
mp_unite_match(struct mp_unite *unite, const enum mp_side sides[])
{
    struct tolerant t = {.unite = unite, .sides = sides, .scratch = mp_arena_new()};
    const struct mp_unite_tree *tree = &unite->tree;
    uint32_t *frames = mp_arena_alloc(t.scratch, (tree->n_contexts + (size_t)1) * sizeof *frames);

    find_runs(&t);
    match(&t);
    find_parts(&t);
    for (uint32_t i = 1; i < tree->n_contexts; i++)
        frames[i] = t.contexts[i].sides == 0 || t.same[i] ? MP_NO_ID : t.frames[tree->contexts[i].frame]->match;
    mp_unite_replace_frames(&unite->tree, frames);
    replace_functions(&t);
    mp_arena_free(t.scratch);
}
