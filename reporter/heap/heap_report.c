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
};

static void
add_row(struct mp_heap_answering *answering, struct mp_heap_table *table, const struct class_sum *sum,
        const char *name)
{
    struct mp_heap_value *row = sum->blocks > 0 ? mp_heap_table_row(answering->tables, table) : NULL;

    if (!row)
        return;
    row[0].number = sum->blocks;
    row[1].number = sum->requested;
    row[2].number = sum->usable;
    row[3].number = sum->usable - sum->requested;
    row[5].text = name;
}

/* Adds a table of requested and usable bytes of C blocks by size class, if the snapshot has these figures. */
static void
heap_add_sizes(struct mp_heap_answering *answering)
{
    static const struct mp_heap_column columns[] = {
        {"blocks", "Blocks", MP_VALUE_NUMBER},   {"requested", "Requested", MP_VALUE_NUMBER},
        {"usable", "Usable", MP_VALUE_NUMBER},   {"rounding", "Rounding", MP_VALUE_NUMBER},
        {"", "%", MP_VALUE_SHARE},               {"size", "Size", MP_VALUE_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct class_sum sums[MP_KIND_C_COUNT] = {{0, 0, 0}}, all = {0, 0, 0};
    struct mp_heap_table *table;

    for (uint32_t i = 0; i < heap->n_objects; i++) {
        struct class_sum *sum = &sums[mp_sizeclass(mp_heap_size(heap, i))];

        sum->blocks++;
        sum->requested += mp_heap_size(heap, i);
    }
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++) {
        sums[kind].usable = heap->facts[MP_FACT_USABLE + kind];
        if (sums[kind].usable < sums[kind].requested)
            return;             /* usable sizes are not known */
        all.blocks += sums[kind].blocks;
        all.requested += sums[kind].requested;
        all.usable += sums[kind].usable;
    }
    if (all.usable == 0)
        return;
    table = mp_heap_table_add(answering->tables, "sizes", "What malloc makes of sizes", MP_HEAP_COLUMNS(columns),
                              all.usable);
    for (unsigned kind = 0; kind < MP_KIND_C_COUNT; kind++)
        add_row(answering, table, &sums[kind], mp_size_class_name(kind));
    add_row(answering, table, &all, "all");
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
    static const struct mp_heap_column columns[] = {
        {"blocks", "Blocks", MP_VALUE_NUMBER}, {"bytes", "Bytes", MP_VALUE_NUMBER}, {"", "%", MP_VALUE_SHARE},
        {"size", "Size", MP_VALUE_TEXT},
    };
    const struct mp_heap *heap = answering->heap;
    struct mp_heap_table *table;

    if (heap->n_free == 0)
        return;
    table = mp_heap_table_add(answering->tables, "free", "What is free in the heap", MP_HEAP_COLUMNS(columns),
                              heap->facts[MP_FACT_HEAP]);
    qsort(heap->free, heap->n_free, sizeof *heap->free, by_bytes);
    for (uint32_t i = 0; i < heap->n_free; i++) {
        const struct mp_heap_free *free = &heap->free[i];
        struct mp_heap_value *row = mp_heap_table_row(answering->tables, table);
        char least[MP_NUMBER_SIZE], most[MP_NUMBER_SIZE];

        if (!row)
            continue;
        row[0].number = free->number;
        row[1].number = free->bytes;
        row[3].text = free->places
            ? mp_arena_printf(answering->tables->arena, "places for objects of %s bytes",
                              mp_number_grouped(free->size, least))
            : mp_arena_printf(answering->tables->arena, "blocks of %s to %s bytes",
                              mp_number_grouped(free->size, least), mp_number_grouped(2 * free->size - 1, most));
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
    static const struct mp_heap_column columns[] = {
        {"group", "Group", MP_VALUE_WORD}, {"objects", "Objects", MP_VALUE_NUMBER},
        {"retained", "Retained", MP_VALUE_NUMBER}, {"", "%", MP_VALUE_SHARE},
    };
    const struct mp_heap_rows rows = answering->groups;
    struct mp_heap_table *table =
        mp_heap_table_add(answering->tables, "groups", "What is held by roots of one group only",
                          MP_HEAP_COLUMNS(columns), answering->dominators.bytes);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_heap_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[0].text = rows.list[i].name;
        row[1].number = rows.list[i].objects;
        row[2].number = rows.list[i].retained;
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

static void
add_sums(struct mp_heap_answering *answering, enum mp_heap_by by, const char *name, const char *title,
         const struct mp_heap_column *columns)
{
    struct mp_heap_table *table = mp_heap_table_add(answering->tables, name, title, columns, 7,
                                                    answering->heap->bytes);
    struct mp_heap_rows rows = mp_heap_sums(answering->heap, &answering->dominators, by);

    for (uint32_t i = 0; i < rows.n; i++) {
        struct mp_heap_value *row = mp_heap_table_row(answering->tables, table);

        if (!row)
            continue;
        row[0].number = rows.list[i].objects;
        row[1].number = rows.list[i].bytes;
        row[3].number = rows.list[i].lost;
        row[4].number = rows.list[i].retained;
        row[6].text = class_text(answering, by, &rows.list[i]);
    }
    mp_heap_rows_free(&rows);
}

#define SUM_COLUMNS(key, title)                                                                                  \
    {                                                                                                            \
        {"objects", "Objects", MP_VALUE_NUMBER}, {"shallow", "Shallow", MP_VALUE_NUMBER},                        \
        {"", "%", MP_VALUE_SHARE}, {"unreachable", "Unreachable", MP_VALUE_NUMBER},                              \
        {"retained", "Retained", MP_VALUE_NUMBER}, {"", "%", MP_VALUE_SHARE}, {key, title, MP_VALUE_TEXT},       \
    }

static void
add_all(struct mp_heap_answering *answering)
{
    static const struct mp_heap_column types[] = SUM_COLUMNS("type", "Type");
    static const struct mp_heap_column sites[] = SUM_COLUMNS("site", "Site");
    static const struct mp_heap_column packages[] = SUM_COLUMNS("package", "Package");

    mp_heap_add_tops(answering, "kinds", "Kinds of roots", MP_TOP_KIND, MP_NO_ID);
    mp_heap_add_tops(answering, "roots", "Roots", MP_TOP_ROOT, MP_NO_ID);
    add_groups(answering);
    add_sums(answering, MP_HEAP_BY_TYPE, "types", "Types", types);
    add_sums(answering, MP_HEAP_BY_SITE, "sites", "Sites", sites);
    add_sums(answering, MP_HEAP_BY_PACKAGE, "packages", "Packages of sites", packages);
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
