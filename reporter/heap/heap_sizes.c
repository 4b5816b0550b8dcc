/* Makes the tables of how malloc rounds the sizes that a C program requests, and of free memory in a collected
 * heap. */
#include <stdlib.h>

#include "heap_answers.h"
#include "reporter/base/format_number.h"
#include "reporter/base/sorted.h"
#include "reporter/profile/profile.h"
#include "runtime/sizeclass.h"

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

void
mp_heap_add_sizes(struct mp_heap_answering *answering)
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

void
mp_heap_add_free(struct mp_heap_answering *answering)
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
