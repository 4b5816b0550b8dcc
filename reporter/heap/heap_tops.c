/* SPDX-License-Identifier: MIT */
/* Makes the tops of the graph from root records: roots, groups, kinds, and the node of all roots. */
#include <stdlib.h>
#include <string.h>

#include "heap_parts.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"

static const struct {
    const char *name, *words;
} kinds[MP_ROOT_KINDS] = {
    [MP_ROOT_OTHER] = {"other", "other roots"},
    [MP_ROOT_VALUE] = {"value", "values of symbols"},
    [MP_ROOT_FUNCTION] = {"function", "functions of symbols"},
    [MP_ROOT_PLIST] = {"plist", "property lists"},
    [MP_ROOT_CONSTANT] = {"constant", "constants of code"},
    [MP_ROOT_STACK] = {"stack", "stacks"},
    [MP_ROOT_THREAD] = {"thread", "threads"},
    [MP_ROOT_GLOBAL] = {"global", "variables of C"},
    [MP_ROOT_FOREIGN] = {"foreign", "foreign data"},
    [MP_ROOT_FINALIZER] = {"finalizer", "finalizers"},
    [MP_ROOT_WEAK] = {"weak", "weak tables and pointers"},
    [MP_ROOT_CORE] = {"core", "the Lisp itself"},
};

const char *
mp_heap_kind_words(uint32_t kind)
{
    return kinds[kind].words;
}

const char *
mp_heap_kind_name(uint32_t kind)
{
    return kinds[kind].name;
}

const char *
mp_heap_trigger_words(uint64_t trigger)
{
    static const char *const words[] = {
        [MP_TRIGGER_CALL] = "the program", [MP_TRIGGER_REQUEST] = "mprof", [MP_TRIGGER_SIGNAL] = "a signal",
        [MP_TRIGGER_COLLECTION] = "a collection", [MP_TRIGGER_EXIT] = "the end of the program",
    };

    return trigger > 0 && trigger < sizeof words / sizeof *words ? words[trigger] : "";
}

/* The state of making tops. The maps number roots, groups and kinds. The tops are first roots, then groups, then kinds.
 * */
struct making {
    struct mp_heap *heap;
    struct mp_map roots, groups, kinds;
    uint32_t *group_of;         /* by root: its group */
    uint32_t *kind_of;          /* by group: its kind */
    uint32_t groups_room, kinds_room;
    char *key;                  /* buffer for one key, which ends at key_end and is long enough for the longest key */
    const char *key_end;
};

static size_t
make_key(struct making *making, uint32_t kind, const char *group, const char *title)
{
    char *at = making->key;

    *at++ = (char)kind;
    at = mp_text_put(at, making->key_end, group) + 1;
    if (title)
        at = mp_text_put(at, making->key_end, title) + 1;
    return (size_t)(at - making->key);
}

/* Returns the number of ROOT's top. Adds its group and kind if they are new. */
static uint32_t
add_root(struct making *making, const struct mp_heap_root *root)
{
    struct mp_arena *arena = making->roots.arena;
    uint32_t kind = mp_map_add_u64(&making->kinds, root->kind);
    uint32_t n_groups = making->groups.count, n_roots = making->roots.count, group, top;

    group = mp_map_add(&making->groups, making->key, make_key(making, root->kind, root->group, NULL));
    if (group == n_groups) {
        making->kind_of = mp_arena_grow(arena, making->kind_of, group, &making->kinds_room, sizeof *making->kind_of);
        making->kind_of[group] = kind;
    }
    top = mp_map_add(&making->roots, making->key, make_key(making, root->kind, root->group, root->title));
    if (top == n_roots) {
        making->group_of = mp_arena_grow(arena, making->group_of, top, &making->groups_room,
                                         sizeof *making->group_of);
        making->group_of[top] = group;
    }
    return top;
}

static size_t
longest_key(const struct mp_heap *heap)
{
    size_t longest = 0;

    for (uint32_t i = 0; i < heap->n_roots; i++) {
        size_t length = strlen(heap->roots[i].title) + strlen(heap->roots[i].group);

        longest = length > longest ? length : longest;
    }
    return longest + 4;
}

static void
name_tops(struct making *making, const uint32_t *top_of)
{
    struct mp_heap *heap = making->heap;
    uint32_t n_roots = making->roots.count, n_groups = making->groups.count;

    for (uint32_t i = 0; i < heap->n_roots; i++) {
        const struct mp_heap_root *root = &heap->roots[i];
        uint32_t group = making->group_of[top_of[i]], kind = making->kind_of[group];

        heap->tops[top_of[i]] = (struct mp_heap_top){MP_TOP_ROOT, root->kind, root->title, root->group};
        heap->tops[n_roots + group] = (struct mp_heap_top){MP_TOP_GROUP, root->kind, "", root->group};
        heap->tops[n_roots + n_groups + kind] = (struct mp_heap_top){MP_TOP_KIND, root->kind, "", ""};
    }
    heap->tops[heap->n_tops - 1] = (struct mp_heap_top){MP_TOP_ALL, 0, "", ""};
}

static int
by_from(const void *a, const void *b)
{
    const struct mp_heap_top_edge *x = a, *y = b;

    if (x->from != y->from)
        return mp_order(x->from, y->from);
    return x->to < y->to ? -1 : x->to > y->to ? 1 : (int)x->slot - (int)y->slot;
}

static void
add_edge(struct mp_heap *heap, uint32_t from, uint32_t to, bool inside)
{
    heap->top_edges[heap->n_top_edges++] =
        (struct mp_heap_top_edge){from, to, inside ? MP_REFERENCE_INSIDE : 0};
}

static void
add_edges(struct making *making, const uint32_t *top_of)
{
    struct mp_heap *heap = making->heap;
    uint32_t roots = heap->n_objects, groups = roots + making->roots.count, kinds_at = groups + making->groups.count;

    for (uint32_t i = 0; i < heap->n_roots; i++) {
        bool inside;
        uint32_t object = mp_heap_find(heap, heap->roots[i].target, &inside);

        if (object != MP_NO_ID)
            add_edge(heap, roots + top_of[i], object, inside);
    }
    for (uint32_t i = 0; i < making->roots.count; i++)
        add_edge(heap, groups + making->group_of[i], roots + i, false);
    for (uint32_t i = 0; i < making->groups.count; i++)
        add_edge(heap, kinds_at + making->kind_of[i], groups + i, false);
    for (uint32_t i = 0; i < making->kinds.count; i++)
        add_edge(heap, heap->n_nodes - 1, kinds_at + i, false);
    qsort(heap->top_edges, heap->n_top_edges, sizeof *heap->top_edges, by_from);
}

void
mp_heap_make_tops(struct mp_heap *heap)
{
    struct mp_arena *arena = mp_arena_new();
    size_t longest = longest_key(heap);
    struct making making = {.heap = heap, .roots = {.arena = arena}, .groups = {.arena = arena},
                            .kinds = {.arena = arena}, .key = mp_arena_alloc(arena, longest)};
    uint32_t *top_of = mp_arena_alloc(arena, ((size_t)heap->n_roots + 1) * sizeof *top_of);

    making.key_end = making.key + longest;
    for (uint32_t i = 0; i < heap->n_roots; i++)
        top_of[i] = add_root(&making, &heap->roots[i]);
    heap->n_tops = making.roots.count + making.groups.count + making.kinds.count + 1;
    heap->n_nodes = heap->n_objects + heap->n_tops;
    heap->tops = mp_arena_alloc(heap->arena, heap->n_tops * sizeof *heap->tops);
    free(heap->passing);
    heap->passing = NULL;
    heap->n_top_edges = 0;              /* tops are made again after places have been named */
    heap->top_edges = mp_arena_alloc(heap->arena, ((size_t)heap->n_roots + heap->n_tops) * sizeof *heap->top_edges);
    name_tops(&making, top_of);
    add_edges(&making, top_of);
    mp_arena_free(arena);
}
