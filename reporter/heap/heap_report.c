#include "heap_report.h"

#include <stdlib.h>
#include <string.h>

#include "containers.h"
#include "heap_answers.h"
#include "reporter/base/format_number.h"
#include "reporter/base/search.h"
#include "reporter/profile/profile.h"
#include "runtime/sizeclass.h"

/* ---------------------------------------------------------------- sizes */

struct class_sum {
    uint64_t blocks, requested, usable;
    const char *name;
};

/* Adds a table of requested and usable bytes of C blocks by size class, if the snapshot has these figures. */
static void
heap_add_sizes(struct mp_heap_answering *answering)
{
    enum { BLOCKS, REQUESTED, USABLE, ROUNDING, SHARE, SIZE };
    static const struct mp_table_column columns[] = {
        [BLOCKS] = {"blocks", "Blocks", MP_UNIT_BLOCKS},
        [REQUESTED] = {"requested", "Requested", MP_UNIT_BYTES},
        [USABLE] = {"usable", "Usable", MP_UNIT_BYTES},
        [ROUNDING] = {"rounding", "Rounding", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [SIZE] = {"size", "Size", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct class_sum sums[MP_KIND_C_COUNT + 1] = {{.blocks = 0}}, *all = &sums[MP_KIND_C_COUNT];
    struct mp_table *table;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        struct class_sum *sum = &sums[mp_sizeclass(mp_heap_size(heap, i))];

        sum->blocks++;
        sum->requested += mp_heap_size(heap, i);
    }
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++) {
        sums[kind].name = mp_size_class_name(kind);
        sums[kind].usable = heap->facts[MP_FACT_USABLE + kind];
        if (sums[kind].usable < sums[kind].requested)
            return;             /* usable sizes are not known */
        all->blocks += sums[kind].blocks;
        all->requested += sums[kind].requested;
        all->usable += sums[kind].usable;
    }
    if (all->usable == 0)
        return;
    all->name = "all";
    table = mp_heap_table_add(answering->tables, "sizes", "What malloc makes of sizes", MP_HEAP_COLUMNS(columns));
    for (const struct class_sum *sum = sums; sum <= all; sum++) {
        struct mp_value *row = sum->blocks > 0 ? mp_heap_table_row(answering->tables, table) : NULL;

        if (!row)
            continue;
        row[BLOCKS] = mp_value_number(sum->blocks);
        row[REQUESTED] = mp_value_number(sum->requested);
        row[USABLE] = mp_value_number(sum->usable);
        mp_heap_put_share(&row[ROUNDING], sum->usable - sum->requested, all->usable);
        row[SIZE] = mp_value_text(sum->name);
    }
}

/* ------------------------------------------------------------------- free */

static int
by_bytes(const void *a, const void *b)
{
    const struct mp_heap_free *x = a, *y = b;

    if (x->bytes != y->bytes)
        return mp_order(y->bytes, x->bytes);
    return x->size != y->size ? mp_order(x->size, y->size) : (int)x->places - (int)y->places;
}

/* Adds a table of the free memory of a collected heap by size, if the snapshot has these figures. */
static void
heap_add_free(struct mp_heap_answering *answering)
{
    enum { BLOCKS, BYTES, SHARE, SIZE };
    static const struct mp_table_column columns[] = {
        [BLOCKS] = {"blocks", "Blocks", MP_UNIT_BLOCKS},
        [BYTES] = {"bytes", "Bytes", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
        [SIZE] = {"size", "Size", MP_UNIT_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_table *table;

    if (heap->n_free == 0)
        return;
    table = mp_heap_table_add(answering->tables, "free", "What is free in the heap", MP_HEAP_COLUMNS(columns));
    qsort(heap->free, heap->n_free, sizeof *heap->free, by_bytes);
    for (uint32_t i = 0; i < heap->n_free; i++) {
        const struct mp_heap_free *free = &heap->free[i];
        struct mp_value *row = mp_heap_table_row(answering->tables, table);
        char least[MP_NUMBER_SIZE], most[MP_NUMBER_SIZE];

        if (!row)
            continue;
        row[BLOCKS] = mp_value_number(free->number);
        mp_heap_put_share(&row[BYTES], free->bytes, heap->facts[MP_FACT_HEAP]);
        row[SIZE] = mp_value_text(free->places
            ? mp_arena_printf(answering->tables->arena, "places for objects of %s bytes",
                              mp_number_grouped(free->size, least))
            : mp_arena_printf(answering->tables->arena, "blocks of %s to %s bytes",
                              mp_number_grouped(free->size, least), mp_number_grouped(2 * free->size - 1, most)));
    }
}

/* ---------------------------------------------------------------- the report */

struct mp_heap_sum
mp_heap_reached(const struct mp_heap *heap)
{
    uint8_t *reached = mp_heap_reach_without(heap, mp_heap_in_none, NULL);
    struct mp_heap_sum sum = {0};

    for (uint32_t i = 0; i < heap->n_objects; i++)
        if (reached[i]) {
            sum.objects += !mp_heap_is_part(heap, i);
            sum.bytes += mp_heap_size(heap, i);
        }
    free(reached);
    return sum;
}

/* ------------------------------------------------------------------ groups */

static void
add_groups(struct mp_heap_answering *answering)
{
    enum { GROUP, OBJECTS, RETAINED, SHARE };
    static const struct mp_table_column columns[] = {
        [GROUP] = {"group", "Group", MP_UNIT_TEXT},
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [SHARE] = MP_HEAP_SHARE,
    };
    const struct mp_heap_rows rows = answering->groups;
    struct mp_table *table = mp_heap_table_add(answering->tables, "groups", "What is held by roots of one group only",
                                               MP_HEAP_COLUMNS(columns));

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[GROUP] = mp_value_text(rows.list[i].name);
        row[OBJECTS] = mp_value_number(rows.list[i].objects);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, answering->dominators.bytes);
    }
}

/* ---------------------------------------------------------------- classes */

static const char *
class_text(const struct mp_heap_answering *answering, enum mp_heap_by by, const struct mp_heap_row *row)
{
    if (by == MP_HEAP_BY_TYPE)
        return mp_heap_type_text(answering->heap, row->id);
    if (by == MP_HEAP_BY_SITE)
        return mp_heap_site_text(answering->heap, row->id, answering->tables->arena);
    return *row->name ? row->name : "(not known)";
}

/* Adds a table of the sums of all types, sites or packages. A row is a KEY, which has the title HEAD. */
static void
add_sums(struct mp_heap_answering *answering, enum mp_heap_by by, const char *name, const char *title,
         const char *key, const char *head)
{
    enum { OBJECTS, SHALLOW, SHALLOW_SHARE, UNREACHABLE, RETAINED, RETAINED_SHARE, NAME };
    const struct mp_table_column columns[] = {
        [OBJECTS] = {"objects", "Objects", MP_UNIT_BLOCKS},
        [SHALLOW] = {"shallow", "Shallow", MP_UNIT_BYTES},
        [SHALLOW_SHARE] = MP_HEAP_SHARE,
        [UNREACHABLE] = {"unreachable", "Unreachable", MP_UNIT_BYTES},
        [RETAINED] = {"retained", "Retained", MP_UNIT_BYTES},
        [RETAINED_SHARE] = MP_HEAP_SHARE,
        [NAME] = {key, head, MP_UNIT_TEXT},
    };
    const uint64_t whole = answering->heap->bytes;
    struct mp_table *table = mp_heap_table_add(answering->tables, name, title, MP_HEAP_COLUMNS(columns));
    struct mp_heap_rows rows = mp_heap_sums(answering->heap, &answering->dominators, by);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[OBJECTS] = mp_value_number(rows.list[i].objects);
        mp_heap_put_share(&row[SHALLOW], rows.list[i].bytes, whole);
        row[UNREACHABLE] = mp_value_number(rows.list[i].lost);
        mp_heap_put_share(&row[RETAINED], rows.list[i].retained, whole);
        row[NAME] = mp_value_text(class_text(answering, by, &rows.list[i]));
    }
    mp_heap_rows_free(&rows);
}

static void
add_all(struct mp_heap_answering *answering)
{
    mp_heap_add_tops(answering, "kinds", "Kinds of roots", MP_TOP_KIND, MP_NO_ID);
    mp_heap_add_tops(answering, "roots", "Roots", MP_TOP_ROOT, MP_NO_ID);
    add_groups(answering);
    add_sums(answering, MP_HEAP_BY_TYPE, "types", "Types", "type", "Type");
    add_sums(answering, MP_HEAP_BY_SITE, "sites", "Sites", "site", "Site");
    add_sums(answering, MP_HEAP_BY_PACKAGE, "packages", "Packages of sites", "package", "Package");
    heap_add_sizes(answering);
    heap_add_free(answering);
    mp_heap_containers_put(answering->containers, &answering->dominators, answering->tables);
}

/* Makes the parts of the answer that need references. */
static bool
begin(struct mp_heap_answering *answering, struct mp_error *error)
{
    const struct mp_heap_question *question = answering->question;

    if (!mp_heap_recall_references(answering->heap, error))
        return false;
    mp_heap_prefer_lasting(answering->heap);
    if (question->root)
        return true;
    if (!question->has_object && !question->type && !question->site) {
        answering->groups = mp_heap_group_rows(answering->heap);
        answering->containers = mp_heap_containers_find(answering->heap, NULL, NULL, question->depth);
        return true;
    }
    if (!mp_heap_find_wanted(answering, error))
        return false;
    if (question->path)
        mp_heap_answer_path(answering);
    if (question->referrers)
        mp_heap_answer_referrers(answering);
    if (question->has_object)
        mp_heap_begin_object(answering);
    else
        mp_heap_begin_set(answering);
    return true;
}

static bool
answer(struct mp_heap_answering *answering, struct mp_error *error)
{
    const struct mp_heap_question *question = answering->question;

    if (question->root)
        return mp_heap_answer_root(answering, error);
    if (question->has_object)
        mp_heap_answer_object(answering);
    else if (question->type || question->site)
        return mp_heap_answer_set(answering, error);
    else
        add_all(answering);
    return true;
}

bool
mp_heap_answer(struct mp_heap *heap, const struct mp_heap_question *question, struct mp_heap_tables *tables,
               struct mp_error *error)
{
    struct mp_heap_answering answering = {.heap = heap, .question = question, .tables = tables,
                                          .early = {.arena = tables->arena, .most = tables->most}};
    bool ok = begin(&answering, error) && mp_dominate(heap, &answering.dominators, error);

    if (ok) {
        ok = answer(&answering, error);
        mp_dominators_free(&answering.dominators);
    }
    mp_heap_rows_free(&answering.groups);
    mp_heap_containers_free(answering.containers);
    return ok;
}
