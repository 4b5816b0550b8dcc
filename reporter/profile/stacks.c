#include "stacks.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/search.h"
#include "threads.h"

static int
compare_names(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) : !a - !b;
}

static int
by_name(const void *a, const void *b)
{
    const struct mp_thread_stacks *x = a, *y = b;
    const int order = compare_names(x->name, y->name);

    return order ? order : mp_order(x->context, y->context);
}

static int
by_depth(const void *a, const void *b)
{
    const struct mp_thread_stacks *x = a, *y = b;

    return x->deepest != y->deepest ? (x->deepest < y->deepest ? 1 : -1) : by_name(a, b);
}

struct mp_thread_stacks *
mp_stacks_by_thread(const struct mp_profile *profile, uint32_t *n, struct mp_arena *arena)
{
    struct mp_thread_stacks *rows = mp_arena_alloc(arena, profile->n_stacks * sizeof *rows);
    const char **names = profile->n_stacks > 0 ? mp_thread_names(profile, arena) : NULL;

    *n = 0;
    for (uint32_t i = 0; i < profile->n_stacks; i++) {
        const struct mp_stack *stack = &profile->stacks[i];

        rows[i] = (struct mp_thread_stacks){stack->context > 0 ? names[stack->context] : NULL,
                                            stack->context, stack->threads, stack->deepest};
    }
    qsort(rows, profile->n_stacks, sizeof *rows, by_name);
    for (uint32_t i = 0; i < profile->n_stacks; i++) {
        struct mp_thread_stacks *last = &rows[*n - (*n > 0)];

        if (*n == 0 || compare_names(last->name, rows[i].name) != 0) {
            rows[(*n)++] = rows[i];
            continue;
        }
        last->threads += rows[i].threads;
        if (rows[i].deepest > last->deepest) {
            last->deepest = rows[i].deepest;
            last->context = rows[i].context;
        }
    }
    qsort(rows, *n, sizeof *rows, by_depth);
    return rows;
}

bool
mp_stacks_away(const struct mp_profile *profile)
{
    bool away = false;

    for (uint32_t i = 0; i < profile->n_stacks && !away; i++)
        away = profile->stacks[i].away;
    return away;
}
