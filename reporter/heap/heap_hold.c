/* SPDX-License-Identifier: MIT */
#include "heap_hold.h"

#include <stdlib.h>
#include <string.h>

#include "disjoint.h"
#include "heap_parts.h"
#include "heap_report.h"

/* ------------------------------------------------------------------ roots */

/* Returns whether ROOT belongs to the asker. */
static bool
is_own(const struct mp_heap_root *root, const struct mp_heap_range *own, size_t n)
{
    if (root->place == 0)
        return n > 0 && root->kind == MP_ROOT_STACK;
    for (size_t i = 0; i < n; i++)
        if (root->place >= own[i].start && root->place < own[i].end)
            return true;
    return false;
}

uint32_t
mp_heap_part_roots(struct mp_heap *heap, const struct mp_heap_range *own, size_t n)
{
    struct mp_heap_root *last = mp_need(malloc(((size_t)heap->n_roots + 1) * sizeof *last));
    uint32_t n_others = 0, n_own = 0;

    for (uint32_t i = 0; i < heap->n_roots; i++)
        if (is_own(&heap->roots[i], own, n))
            last[n_own++] = heap->roots[i];
        else
            heap->roots[n_others++] = heap->roots[i];
    memcpy(heap->roots + n_others, last, n_own * sizeof *last);
    free(last);
    return n_others;
}

static bool
begin(struct mp_heap *heap, struct mp_error *error)
{
    if (!mp_heap_recall_references(heap, error))
        return false;
    mp_heap_prefer_lasting(heap);
    return true;
}

/* HEAP keeps all its roots, because recalling references checks the number of roots in the file's end record. */
void
mp_heap_use_roots(struct mp_heap *heap, uint32_t n)
{
    const uint32_t all = heap->n_roots;

    mp_heap_forget_references(heap);
    heap->n_roots = n;
    mp_heap_make_tops(heap);
    heap->n_roots = all;
}

static bool
begin_with(struct mp_heap *heap, uint32_t n, struct mp_error *error)
{
    mp_heap_use_roots(heap, n);
    return begin(heap, error);
}

/* ------------------------------------------------------------------- sums */

static bool
is_the_object(const struct mp_heap *heap, uint32_t node, const void *data)
{
    (void)heap;
    return node == *(const uint32_t *)data;
}

static struct mp_heap_sum
retained_by(const struct mp_heap *heap, uint32_t object)
{
    uint8_t *others = mp_heap_reach_without(heap, is_the_object, &object), *from = mp_heap_reach_from(heap, object);
    struct mp_heap_sum sum = {0};

    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (from[i] && !others[i]) {
            sum.objects += !mp_heap_is_part(heap, i);
            sum.bytes += mp_heap_size(heap, i);
        }
    free(others);
    free(from);
    return sum;
}

/* -------------------------------------------------------------------- way */

/* Returns the step to NODE by the slot TEXT. If NODE is a root, uses its kind and group instead of TEXT. */
static struct mp_heap_step
step(const struct mp_heap *heap, uint32_t node, const char *text, struct mp_arena *arena)
{
    const bool root = node >= heap->n_objects;

    return (struct mp_heap_step){.what = mp_heap_node_text(heap, node, arena),
                                 .by = root ? mp_heap_reference_text(heap, node, 0, arena) : text,
                                 .address = root ? 0 : mp_heap_address(heap, node), .bytes = mp_heap_size(heap, node)};
}

/* Returns whether NODE is an object or a root. Tops above roots are not shown. */
static bool
is_shown(const struct mp_heap *heap, uint32_t node)
{
    return node < heap->n_objects || heap->tops[node - heap->n_objects].level == MP_TOP_ROOT;
}

static void
find_shortest(const struct mp_heap *heap, uint32_t object, struct mp_arena *arena, struct mp_heap_hold *hold)
{
    uint32_t n, *path = mp_heap_path(heap, mp_heap_all_roots(heap), is_the_object, &object, &n);
    struct mp_heap_hold_way *way = mp_arena_alloc(arena, sizeof *way);

    *way = (struct mp_heap_hold_way){.steps = mp_arena_alloc(arena, ((size_t)n + 1) * sizeof *way->steps)};
    for (uint32_t i = 1; i < n; i++)            /* path[0] is the node of all roots */
        if (is_shown(heap, path[i]))
            way->steps[way->n++] = step(heap, path[i], mp_heap_slot_text(heap, path[i - 1], path[i], arena), arena);
    hold->ways = way;
    hold->n_ways = n > 0;
    free(path);
}

static void
find_ways(const struct mp_heap *heap, uint32_t object, uint32_t most, struct mp_arena *arena, struct mp_heap_hold *hold)
{
    struct mp_heap_ways ways;

    if (most == 1) {
        find_shortest(heap, object, arena, hold);
        return;
    }
    ways = mp_heap_disjoint(heap, is_the_object, &object, most, arena);
    hold->n_ways = ways.n;
    hold->more = ways.more;
    hold->n_cut = ways.n_cut;
    hold->ways = mp_arena_alloc(arena, ((size_t)ways.n + 1) * sizeof *hold->ways);
    hold->cut = mp_arena_alloc(arena, ((size_t)ways.n_cut + 1) * sizeof *hold->cut);
    for (uint32_t i = 0; i < ways.n; i++) {
        const struct mp_heap_way *way = &ways.list[i];
        struct mp_heap_step *steps = mp_arena_alloc(arena, ((size_t)way->n + 1) * sizeof *steps);

        steps[0] = step(heap, way->links[0].from, "", arena);
        for (uint32_t k = 0; k < way->n; k++)
            steps[k + 1] = step(heap, way->links[k].to,
                                k > 0 ? mp_heap_reference_text(heap, way->links[k].from, way->links[k].reference, arena)
                                      : "", arena);
        hold->ways[i] = (struct mp_heap_hold_way){steps, way->n + 1};
    }
    for (uint32_t i = 0; i < ways.n_cut; i++)
        hold->cut[i] = step(heap, ways.cut[i].from,
                            mp_heap_reference_text(heap, ways.cut[i].from, ways.cut[i].reference, arena), arena);
}

bool
mp_heap_hold(struct mp_heap *heap, uint64_t address, const struct mp_heap_range *own, size_t n, uint32_t most,
             struct mp_arena *arena, struct mp_heap_hold *hold, struct mp_error *error)
{
    const uint32_t all = heap->n_roots, counted = mp_heap_part_roots(heap, own, n);
    bool inside;
    uint32_t object = mp_heap_find(heap, address, &inside);

    *hold = (struct mp_heap_hold){0};
    if (object == MP_NO_ID)
        return mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "no object at 0x%llx", (unsigned long long)address);
    if (counted < all ? !begin_with(heap, counted, error) : !begin(heap, error))
        return false;
    hold->retained = retained_by(heap, object);
    find_ways(heap, object, most, arena, hold);
    if (hold->n_ways > 0 || counted == all)
        return true;
    if (!begin_with(heap, all, error))
        return false;
    find_ways(heap, object, most, arena, hold);
    hold->own = hold->n_ways > 0;
    return true;
}
