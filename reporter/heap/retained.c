/* SPDX-License-Identifier: MIT */
#include "retained.h"

#include <stdlib.h>
#include <string.h>

#include "heap_texts.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/identity.h"

void
mp_heap_rows_free(struct mp_heap_rows *rows)
{
    free(rows->list);
    *rows = (struct mp_heap_rows){0};
}

static int
by_retained(const void *a, const void *b)
{
    const struct mp_heap_row *x = a, *y = b;

    if (x->retained != y->retained)
        return mp_order(y->retained, x->retained);
    return x->bytes != y->bytes ? mp_order(y->bytes, x->bytes) : mp_order(x->id, y->id);
}

static struct mp_heap_rows
new_rows(uint32_t n)
{
    return (struct mp_heap_rows){mp_need(calloc((size_t)n + 1, sizeof(struct mp_heap_row))), n};
}

/* Removes empty rows and sorts the rest. */
static void
finish(struct mp_heap_rows *rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows->n; i++)
        if (rows->list[i].objects > 0 || rows->list[i].bytes > 0 || rows->list[i].retained > 0)
            rows->list[n++] = rows->list[i];
    rows->n = n;
    qsort(rows->list, n, sizeof *rows->list, by_retained);
}

/* ---------------------------------------------------------- rows of classes */

/* Returns the package of SITE, which is part of a text in HEAP, and sets *LENGTH to its length. */
static const char *
heap_package(const struct mp_heap *heap, uint32_t site, size_t *length)
{
    const struct mp_heap_site *at = &heap->sites[site];
    const char *package = mp_lisp_package(at->function, length);

    if (!package) {
        package = mp_text_basename(at->file);
        *length = strlen(package);
    }
    return package;
}

/* Returns the texts of MP_HEAP_BY_EACH, each terminated by 0. *LENGTH does not count the last terminator. */
static const char *
each_text(const struct mp_heap *heap, const struct mp_heap_class *class, size_t *length)
{
    const struct mp_heap_site *at = &heap->sites[class->site];
    const char *type = mp_heap_type_text(heap, mp_heap_whole_type(heap, class->type));
    const char *site = mp_heap_site_text(heap, class->site, heap->arena);
    const char *function = *at->function ? at->function : site;
    size_t package_length;
    const char *package = heap_package(heap, class->site, &package_length);

    *length = strlen(type) + package_length + strlen(function) + strlen(site) + strlen(at->file) + MP_HEAP_TEXTS - 1;
    return mp_arena_printf(heap->arena, "%s%c%.*s%c%s%c%s%c%s", type, 0, (int)package_length, package, 0, function, 0,
                           site, 0, at->file);
}

/* Returns the text of objects of CLASS, and sets *LENGTH. Objects with the same text are in one row. */
static const char *
text_of(const struct mp_heap *heap, const struct mp_heap_class *class, enum mp_heap_by by, size_t *length)
{
    const char *text;

    if (by == MP_HEAP_BY_EACH)
        return each_text(heap, class, length);
    if (by == MP_HEAP_BY_PACKAGE)
        return heap_package(heap, class->site, length);
    text = by == MP_HEAP_BY_TYPE ? mp_heap_type_text(heap, mp_heap_whole_type(heap, class->type))
           : by == MP_HEAP_BY_FILE ? heap->sites[class->site].file
           : by == MP_HEAP_BY_FUNCTION && *heap->sites[class->site].function
               ? heap->sites[class->site].function : mp_heap_site_text(heap, class->site, heap->arena);
    *length = strlen(text);
    return text;
}

/* Sets *ROWS to rows whose sums are 0. Returns, by class, the row of its objects. */
static uint32_t *
rows_of_classes(const struct mp_heap *heap, enum mp_heap_by by, struct mp_heap_rows *rows, struct mp_arena *arena)
{
    uint32_t *of = mp_arena_alloc(arena, ((size_t)heap->n_classes + 1) * sizeof *of);
    uint32_t *first = mp_arena_alloc(arena, ((size_t)heap->n_classes + 1) * sizeof *first);
    struct mp_map texts = {.arena = heap->arena};

    for (uint32_t i = 0; i < heap->n_classes; i++) {
        const uint32_t n = texts.count;
        size_t length;
        const char *text = text_of(heap, &heap->classes[i], by, &length);

        of[i] = mp_map_add(&texts, text, length);
        if (of[i] == n)
            first[n] = i;
    }
    *rows = new_rows(texts.count);
    for (uint32_t i = 0; i < rows->n; i++) {
        const struct mp_heap_class *class = &heap->classes[first[i]];

        rows->list[i].id = by == MP_HEAP_BY_TYPE ? mp_heap_whole_type(heap, class->type)
                           : by == MP_HEAP_BY_SITE ? class->site : MP_NO_ID;
        rows->list[i].name = mp_map_key(&texts, i);
    }
    return of;
}

/* Adds retained sizes to ROWS, and subtracts reachable objects from the lost ones. An object adds nothing to the
 * retained size of its row if another object of the row dominates it. In preorder, such an object comes before the end
 * of the subtree of the last object that counted for the row. */
static void
add_retained(const struct mp_heap *heap, const struct mp_dominators *dominators, const uint32_t *row_of,
             struct mp_heap_rows *rows)
{
    uint32_t *end = mp_need(calloc((size_t)rows->n + 1, sizeof *end));

    for (uint32_t i = 0; i < dominators->n; i++) {
        uint32_t node = dominators->at[i], row;

        if (node >= heap->n_objects)
            continue;
        row = row_of[heap->class_of[node]];
        rows->list[row].lost_objects -= !mp_heap_is_part(heap, node);
        rows->list[row].lost -= mp_heap_size(heap, node);
        if (i < end[row])
            continue;
        end[row] = i + dominators->span[i];
        rows->list[row].retained += mp_retained(dominators, i);
    }
    free(end);
}

struct mp_heap_rows
mp_heap_sums(const struct mp_heap *heap, const struct mp_dominators *dominators, enum mp_heap_by by)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap_rows rows;
    uint32_t *row_of = rows_of_classes(heap, by, &rows, arena);

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        struct mp_heap_row *row = &rows.list[row_of[heap->class_of[i]]];

        row->objects += !mp_heap_is_part(heap, i);
        row->bytes += mp_heap_size(heap, i);
    }
    for (uint32_t i = 0; i < rows.n && dominators; i++) {
        rows.list[i].lost_objects = rows.list[i].objects;
        rows.list[i].lost = rows.list[i].bytes;
    }
    if (dominators)
        add_retained(heap, dominators, row_of, &rows);
    mp_arena_free(arena);
    finish(&rows);
    return rows;
}

/* ------------------------------------------------------------------- tops */

/* Returns the position of each top. All tops have one, because the node of all roots leads to them. The caller frees
 * the result. */
static uint32_t *
positions_of_tops(const struct mp_heap *heap, const struct mp_dominators *dominators)
{
    uint32_t *at = mp_need(malloc(((size_t)heap->n_tops + 1) * sizeof *at));

    for (uint32_t i = 0; i < dominators->n; i++)
        if (dominators->at[i] >= heap->n_objects)
            at[dominators->at[i] - heap->n_objects] = i;
    return at;
}

/* Adds up the objects below each top. Tops come after the tops that they lead to, so sums are complete when they are
 * passed upwards. */
static void
add_own(const struct mp_heap *heap, struct mp_heap_rows *sums)
{
    for (uint32_t i = 0; i < heap->n_top_edges; i++) {
        const struct mp_heap_top_edge *edge = &heap->top_edges[i], *before = i > 0 ? edge - 1 : NULL;
        struct mp_heap_row *row = &sums->list[edge->from - heap->n_objects];
        const struct mp_heap_row *below =
            edge->to >= heap->n_objects ? &sums->list[edge->to - heap->n_objects] : NULL;

        if (before && before->from == edge->from && before->to == edge->to)
            continue;
        row->objects += below ? below->objects : 1;
        row->bytes += below ? below->bytes : mp_heap_size(heap, edge->to);
    }
}

/* Returns whether TOP is below UNDER, a kind or a group. */
static bool
is_below(const struct mp_heap *heap, uint32_t top, uint32_t under)
{
    const struct mp_heap_top *a = &heap->tops[top], *b = &heap->tops[under];

    return a->kind == b->kind && (b->level != MP_TOP_GROUP || strcmp(a->group, b->group) == 0);
}

struct mp_heap_rows
mp_heap_top_rows(const struct mp_heap *heap, const struct mp_dominators *dominators, enum mp_heap_level level,
                 uint32_t under)
{
    struct mp_heap_rows rows = new_rows(heap->n_tops);
    uint32_t *at = positions_of_tops(heap, dominators), n = 0;

    add_own(heap, &rows);
    for (uint32_t i = 0; i < heap->n_tops; i++) {
        if (heap->tops[i].level != level || (under != MP_NO_ID && !is_below(heap, i, under)))
            continue;
        rows.list[n] = rows.list[i];
        rows.list[n].id = i;
        rows.list[n++].retained = mp_retained(dominators, at[i]);
    }
    free(at);
    rows.n = n;
    finish(&rows);
    return rows;
}

struct mp_heap_rows
mp_heap_group_rows(const struct mp_heap *heap, uint32_t kinds)
{
    struct mp_map groups = {.arena = heap->arena};
    uint32_t *set_of = mp_need(malloc(((size_t)heap->n_tops + 1) * sizeof *set_of));
    struct mp_heap_rows rows;
    struct mp_heap_sum *sums;

    for (uint32_t i = 0; i < heap->n_tops; i++) {
        const char *group = heap->tops[i].group;
        const bool counted = heap->tops[i].level == MP_TOP_ROOT && *group && kinds >> heap->tops[i].kind & 1;

        set_of[i] = counted ? mp_map_add(&groups, group, strlen(group)) : MP_NO_ID;
    }
    rows = new_rows(groups.count);
    sums = mp_need(calloc((size_t)groups.count + 1, sizeof *sums));
    mp_heap_only_from(heap, set_of, groups.count, sums);
    for (uint32_t i = 0; i < groups.count; i++)
        rows.list[i] = (struct mp_heap_row){.id = i, .name = mp_map_key(&groups, i), .objects = sums[i].objects,
                                            .retained = sums[i].bytes};
    free(sums);
    free(set_of);
    finish(&rows);
    return rows;
}

/* ------------------------------------------------------------------- sets */

struct mp_heap_set
mp_heap_set_retained(const struct mp_heap *heap, mp_heap_in_set *in_set, const void *data, bool parts)
{
    uint8_t *with = mp_heap_reach_without(heap, mp_heap_in_none, NULL);
    uint8_t *without = mp_heap_reach_without(heap, in_set, data);
    struct mp_heap_set set = {0};

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        const uint64_t size = mp_heap_size(heap, i), one = parts || !mp_heap_is_part(heap, i);

        if (in_set(heap, i, data)) {
            set.all.objects += one;
            set.all.bytes += size;
            set.lost.objects += with[i] ? 0 : one;
            set.lost.bytes += with[i] ? 0 : size;
        }
        if (with[i] && !without[i]) {
            set.retained.objects += one;
            set.retained.bytes += size;
        }
    }
    free(with);
    free(without);
    return set;
}

/* ------------------------------------------------------------------ slots */

/* The state while references are read, sorted by source. */
struct holding {
    const struct mp_heap *heap;
    const struct mp_dominators *dominators;
    uint32_t *first;            /* by type: row of its first slot, or MP_NO_ID if not asked for */
    uint32_t *at;               /* by node: its position, with the flag COUNTED, or MP_NO_ID if not reached */
    uint32_t from;              /* the object whose references are being read */
    uint32_t *counted, n, room; /* the n nodes that have been counted for `from` */
    struct mp_arena *arena;     /* owns `counted` and `first` */
    struct mp_heap_rows *rows;
};

#define COUNTED 0x80000000u     /* positions are below 2^31, see MP_HEAP_MOST_OBJECTS, so bit 31 can be a flag */

/* Begins to count for FROM: removes the flag COUNTED of the nodes that were counted for the object before. */
static void
begin_object(struct holding *holding, uint32_t from)
{
    while (holding->n > 0)
        holding->at[holding->counted[--holding->n]] &= ~COUNTED;
    holding->from = from;
}

/* Adds REFERENCE to the row of its slot. */
static void
count_slot(struct holding *holding, const struct mp_heap_reference *reference)
{
    const struct mp_heap *heap = holding->heap;
    struct mp_heap_rows *rows = holding->rows;
    const uint32_t type = mp_heap_class(heap, reference->from)->type;
    struct mp_heap_row *row = &rows->list[reference->slot < heap->types[type].n_slots
                                              ? holding->first[type] + reference->slot : rows->n - 1];

    row->objects++;
    row->bytes += mp_heap_size(holding->heap, reference->to);
    row->retained += mp_retained(holding->dominators, holding->at[reference->to]);
    holding->at[reference->to] |= COUNTED;
    holding->counted = mp_arena_grow(holding->arena, holding->counted, holding->n, &holding->room,
                                     sizeof *holding->counted);
    holding->counted[holding->n++] = reference->to;
}

/* Counts the references to nodes that their source dominates. A source that refers to a node and dominates it does so
 * immediately. In preorder, the nodes that an object dominates come after the object and before the end of its subtree.
 * A position with the flag COUNTED is beyond this range, so a node is not counted twice for an object. */
static void
take_slots(void *data, const struct mp_heap_reference *list, uint32_t n)
{
    struct holding *holding = data;
    const struct mp_heap *heap = holding->heap;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = list[i].from, to = list[i].to;
        uint32_t position, below;

        if (to == MP_NO_ID || list[i].weak || from >= heap->n_objects ||
            holding->first[mp_heap_class(heap, from)->type] == MP_NO_ID || holding->at[from] == MP_NO_ID ||
            mp_heap_is_part_of(heap, to, from))
            continue;
        if (from != holding->from)
            begin_object(holding, from);
        position = holding->at[from] & ~COUNTED;
        below = holding->at[to];
        if (below > position && below < position + holding->dominators->span[position])
            count_slot(holding, &list[i]);
    }
}

/* Names the rows of the slots of TYPE, from row N on. Returns the number of the next row. */
static uint32_t
add_slot_rows(struct holding *holding, uint32_t type, uint32_t n)
{
    const struct mp_heap_type *of = &holding->heap->types[type];

    holding->first[type] = n;
    for (uint32_t i = 0; i < of->n_slots; i++) {
        holding->rows->list[n + i].id = n + i;
        holding->rows->list[n + i].name = of->slots[i];
    }
    return n + of->n_slots;
}

/* Each slot of TYPE, and of the types that are parts of it, has a row. Slots without a name share one row. */
bool
mp_heap_slots(struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t type, struct mp_heap_rows *rows,
              struct mp_error *error)
{
    struct holding holding = {.heap = heap, .dominators = dominators, .from = MP_NO_ID, .rows = rows,
                              .arena = mp_arena_new(),
                              .at = mp_need(malloc(((size_t)heap->n_nodes + 1) * sizeof(uint32_t)))};
    uint32_t n = 1;
    bool ok;

    for (uint32_t i = 0; i < heap->n_types; i++)
        n += i == type || heap->types[i].owner == type ? heap->types[i].n_slots : 0;
    *rows = new_rows(n);
    rows->list[n - 1].id = n - 1;
    rows->list[n - 1].name = "";
    holding.first = mp_arena_alloc(holding.arena, heap->n_types * sizeof *holding.first);
    n = 0;
    for (uint32_t i = 0; i < heap->n_types; i++) {
        holding.first[i] = MP_NO_ID;
        if (i == type || heap->types[i].owner == type)
            n = add_slot_rows(&holding, i, n);
    }
    memset(holding.at, 0xff, (size_t)heap->n_nodes * sizeof *holding.at);
    for (uint32_t i = 0; i < dominators->n; i++)
        holding.at[dominators->at[i]] = i;
    ok = mp_heap_each_reference(heap, take_slots, &holding, error);
    free(holding.at);
    mp_arena_free(holding.arena);
    finish(rows);
    return ok;
}

/* ---------------------------------------------------------------- largest */

/* Keeps at most twice `most` rows. When it has as many, sorts them and drops the smaller half. */
void
mp_heap_largest_add(struct mp_heap_largest *largest, const struct mp_heap_row *row)
{
    struct mp_heap_rows *rows = &largest->rows;

    if (largest->most > 0 && rows->n / 2 >= largest->most) {
        qsort(rows->list, rows->n, sizeof *rows->list, by_retained);
        rows->n = largest->most;
    }
    rows->list = mp_grow(rows->list, rows->n, &largest->room, sizeof *rows->list);
    rows->list[rows->n++] = *row;
    largest->n++;
}

struct mp_heap_rows
mp_heap_largest_rows(struct mp_heap_largest *largest, uint32_t *rest)
{
    struct mp_heap_rows rows = largest->rows;

    if (rows.n > 0)
        qsort(rows.list, rows.n, sizeof *rows.list, by_retained);
    if (largest->most > 0 && rows.n > largest->most)
        rows.n = largest->most;
    *rest = largest->n - rows.n;
    return rows;
}

struct mp_heap_rows
mp_heap_dominated(const struct mp_heap *heap, const struct mp_dominators *dominators, uint32_t position,
                  uint32_t most, uint32_t *rest)
{
    const uint32_t end = position + dominators->span[position];
    struct mp_heap_largest largest = {.most = most};

    for (uint32_t i = position + 1; i < end; i += dominators->span[i])
        mp_heap_largest_add(&largest, &(struct mp_heap_row){.id = i, .objects = 1,
                                                            .bytes = mp_heap_size(heap, dominators->at[i]),
                                                            .retained = mp_retained(dominators, i)});
    return mp_heap_largest_rows(&largest, rest);
}
