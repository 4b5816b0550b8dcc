#include "join_parts.h"

#include "stem.h"

enum { BOTH = 1u << MP_BEFORE | 1u << MP_AFTER };

/* How a function calls itself on one side. */
struct rounds {
    uint32_t most;              /* maximum number of its calls in a row */
    bool other;                 /* calls itself in another way than inlined to not inlined */
    bool one_build;             /* both sides contain the same build of it */
};

struct finder {
    const struct mp_match_function *functions;
    bool *parts;                /* by function: its name is that of a part */
    struct rounds *rounds[MP_SIDES];    /* by matched function */
};

static uint32_t
match_of(const struct finder *f, const struct mp_join_nodes *nodes, uint32_t node)
{
    return f->functions[nodes->functions[node]].match;
}

static bool
calls_itself(const struct finder *f, const struct mp_join_nodes *nodes, uint32_t node)
{
    uint32_t parent = nodes->parents[node];

    return parent > 0 && match_of(f, nodes, parent) == match_of(f, nodes, node);
}

/* Records which functions call themselves, apart from parts recognised by name, which are marked in `same`. */
static void
look(const struct finder *f, struct mp_join_nodes *nodes, struct mp_arena *arena)
{
    uint32_t *in_row = mp_arena_alloc(arena, nodes->n * sizeof *in_row);

    for (uint32_t i = 1; i < nodes->n; i++) {
        struct rounds *rounds = &f->rounds[nodes->side][match_of(f, nodes, i)];
        uint32_t parent = nodes->parents[i];
        bool itself = calls_itself(f, nodes, i);

        nodes->same[i] = itself && f->parts[nodes->functions[i]] && !f->parts[nodes->functions[parent]];
        in_row[i] = (itself ? in_row[parent] : 0) + !nodes->same[i];
        if (rounds->most < in_row[i])
            rounds->most = in_row[i];
        if (itself && !nodes->same[i])
            rounds->other |= nodes->inlined[i] || !nodes->inlined[parent];
    }
    mp_arena_drop(in_row, nodes->n * sizeof *in_row);
}

static bool
is_split(const struct finder *f, enum mp_side side, uint32_t match)
{
    const struct rounds *here = &f->rounds[side][match];

    return here->most == 2 && !here->other && !here->one_build &&
           f->rounds[side == MP_BEFORE ? MP_AFTER : MP_BEFORE][match].most == 1;
}

void
mp_join_parts(struct mp_join_nodes *const list[], uint32_t n, const struct mp_match_function functions[],
              uint32_t n_functions, uint32_t n_matches, struct mp_arena *arena)
{
    struct finder f = {.functions = functions, .parts = mp_arena_alloc(arena, n_functions * sizeof *f.parts)};

    for (unsigned side = 0; side < MP_SIDES; side++)
        f.rounds[side] = mp_arena_alloc(arena, n_matches * sizeof *f.rounds[side]);
    for (uint32_t i = 0; i < n_functions; i++) {
        f.parts[i] = mp_stem_is_part(functions[i].name);
        for (unsigned side = 0; side < MP_SIDES; side++)
            f.rounds[side][functions[i].match].one_build |= functions[i].build[0] && functions[i].sides == BOTH;
    }
    for (uint32_t i = 0; i < n; i++) {
        list[i]->same = mp_arena_alloc(arena, list[i]->n * sizeof *list[i]->same);
        look(&f, list[i], arena);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 1; j < list[i]->n; j++)
            list[i]->same[j] |= calls_itself(&f, list[i], j) && is_split(&f, list[i]->side, match_of(&f, list[i], j));
}
