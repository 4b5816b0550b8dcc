#include "changes.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/sorted.h"
#include "reporter/profile/chain.h"
#include "reporter/profile/sort.h"

const char *const mp_changes_names[MP_CHANGES_BY] = {
    [MP_BY_FUNCTION] = "function", [MP_BY_CHAIN] = "chain", [MP_BY_TYPE] = "type", [MP_BY_MODULE] = "module",
    [MP_BY_SIZE] = "size",
};

const char *
mp_changes_name(struct mp_changes *changes, const struct mp_changed *item)
{
    const struct mp_chain_options chain = {.limit = changes->chain};

    return item->name[0] ? item->name : mp_chain_text(changes->tree, &chain, item->id, changes->arena);
}

/* ---------------------------------------------------------------- figures */

static bool
is_on(const struct mp_changes *changes, const struct mp_changed *item, enum mp_side side)
{
    for (uint32_t i = 0; i < changes->join->n_runs; i++)
        if (changes->join->runs[i].side == side && mp_counts_any(&item->counts[i]))
            return true;
    return false;
}

static enum mp_became
became(const struct mp_changes *changes, const struct mp_changed *item)
{
    if (item->cost.change == 0)
        return MP_SAME;
    if (!is_on(changes, item, MP_BEFORE))
        return MP_NEW;
    if (!is_on(changes, item, MP_AFTER))
        return MP_GONE;
    return item->cost.change > 0 ? MP_GROWN : MP_SHRUNK;
}

static void
compute(const struct mp_changes *changes, struct mp_changed *item)
{
    item->cost = mp_difference_of(changes->join, item->counts, mp_sorts[changes->cost].figure);
    item->other = mp_difference_of(changes->join, item->counts, mp_other_figure(changes->cost));
    item->became = became(changes, item);
}

static void
sum_up(struct mp_changes *changes)
{
    struct mp_changed *total = &changes->total;

    total->name = "";
    total->counts = mp_arena_alloc(changes->arena, changes->join->n_runs * sizeof *total->counts);
    for (uint32_t i = 0; i < changes->n; i++)
        for (uint32_t r = 0; r < changes->join->n_runs; r++)
            mp_counts_add(&total->counts[r], &changes->list[i].counts[r]);
    compute(changes, total);
}

/* ---------------------------------------------------------------- order */

static uint64_t
size_of(int64_t change)
{
    return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

static int
compare_figures(const struct mp_changed *x, const struct mp_changed *y)
{
    uint64_t left = size_of(x->cost.change), right = size_of(y->cost.change);

    if ((left == 0) != (right == 0))
        return left == 0 ? 1 : -1;
    if (x->cost.certain != y->cost.certain)
        return x->cost.certain ? -1 : 1;
    if (left != right)
        return mp_order(right, left);
    left = size_of(x->other.change);
    right = size_of(y->other.change);
    return mp_order(right, left);
}

static int
compare_names(const struct mp_changed *x, const struct mp_changed *y)
{
    int order = strcmp(x->name, y->name);

    return order ? order : mp_order(x->id, y->id);
}

static int
compare_items(const void *a, const void *b)
{
    const int order = compare_figures(a, b);

    return order ? order : compare_names(a, b);
}

/* A chain and the text that mp_changes_name() created for it. */
struct named {
    const char *name;
    struct mp_changed item;
};

static int
compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);

    return order ? order : compare_names(&x->item, &y->item);
}

static void
order_by_name(struct mp_changes *changes, struct mp_changed *list, uint32_t n)
{
    struct named *named = mp_need(malloc(n * sizeof *named));

    for (uint32_t i = 0; i < n; i++)
        named[i] = (struct named){mp_changes_name(changes, &list[i]), list[i]};
    qsort(named, n, sizeof *named, compare_named);
    for (uint32_t i = 0; i < n; i++)
        list[i] = named[i].item;
    free(named);
}

/* Sorts chains with equal figures by text. Their ids depend on which side was read first, and the order must not. */
static void
order_chains(struct mp_changes *changes)
{
    for (uint32_t i = 0, next; i < changes->n_changed; i = next) {
        for (next = i + 1; next < changes->n_changed; next++)
            if (compare_figures(&changes->list[i], &changes->list[next]) != 0)
                break;
        if (next > i + 1)
            order_by_name(changes, &changes->list[i], next - i);
    }
}

/* ---------------------------------------------------------------- the whole */

struct mp_changes *
mp_changes_new(const struct mp_join *join, enum mp_changes_by by, enum mp_sort cost, uint32_t chain)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_changes *changes = mp_arena_alloc(arena, sizeof *changes);

    *changes = (struct mp_changes){.join = join, .by = by, .cost = cost, .chain = chain, .arena = arena};
    mp_changes_collect(changes);
    for (uint32_t i = 0; i < changes->n; i++)
        compute(changes, &changes->list[i]);
    sum_up(changes);
    if (changes->n > 0)
        qsort(changes->list, changes->n, sizeof *changes->list, compare_items);
    while (changes->n_changed < changes->n && changes->list[changes->n_changed].cost.change != 0)
        changes->n_changed++;
    if (by == MP_BY_CHAIN)
        order_chains(changes);
    return changes;
}

void
mp_changes_free(struct mp_changes *changes)
{
    if (!changes)
        return;
    mp_tree_free(changes->tree);
    mp_arena_free(changes->arena);
}
