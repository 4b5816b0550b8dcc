#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/heap/heap_hold.h"
#include "reporter/heap/heap_parts.h"
#include "reporter/heap/heap_report.h"
#include "reporter/heap/heap_seal.h"
#include "tests/unit/heap_made.h"
#include "tests/unit/profile_builder.h"

enum { ROOTS = 2, OBJECTS = 4 };

/* Heaps in which each object refers to at most one other, and what the objects and all roots retain. */
static const struct {
    const char *name;
    struct { enum mp_heap_root_kind kind; uint64_t target; } roots[ROOTS];
    unsigned n;
    bool weak;                  /* the references are weak */
    uint64_t held[OBJECTS], retained[OBJECTS], retained_by_all;
    unsigned reached;
} cases[] = {
    {"a heap without objects", {{MP_ROOT_STACK, 77}}, 0, false, {0}, {0}, 0, 0},
    {"a cycle is retained where it is entered; the first object is not reached", {{MP_ROOT_VALUE, ADDRESS(1)}}, 4,
     false, {ADDRESS(1), ADDRESS(2), ADDRESS(3), ADDRESS(1)}, {0, 48, 32, 16}, 48, 3},
    {"what two share neither retains", {{MP_ROOT_VALUE, ADDRESS(0)}, {MP_ROOT_STACK, ADDRESS(1)}}, 3,
     false, {ADDRESS(2), ADDRESS(2), 0}, {16, 16, 16}, 48, 3},
    {"weak references hold nothing", {{MP_ROOT_WEAK, ADDRESS(0)}}, 2, true, {ADDRESS(1), 0}, {16, 0}, 16, 1},
};

TEST_CASES(objects_are_retained, cases)
{
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    for (unsigned i = 0; i < ROOTS && cases[_i].roots[i].target; i++)
        root(cases[_i].roots[i].kind, cases[_i].roots[i].target);
    for (unsigned i = 0; i < cases[_i].n; i++)
        object(cases[_i].held[i], cases[_i].weak);
    heap = load();
    ck_assert_uint_eq(heap->n_objects, cases[_i].n);
    for (unsigned i = 0; i < cases[_i].n; i++)
        ck_assert_uint_eq(retained_by(heap, i), cases[_i].retained[i]);
    ck_assert_uint_eq(retained_by(heap, mp_heap_all_roots(heap)), cases[_i].retained_by_all);
    ck_assert_uint_eq(mp_heap_reached(heap).objects, cases[_i].reached);
}

TEST(roots_of_who_asks_do_not_count)
{
    static const struct mp_heap_range own[] = {{0x100, 0x108}, {0x200, 0x300}};
    static const struct {
        unsigned object, n_own;
        bool own;               /* only the asker's roots lead to the object */
        unsigned steps, retained;
    } holds[] = {{4, 2, false, 4, 1}, {2, 2, false, 3, 2}, {0, 2, true, 2, 2}, {0, 0, false, 2, 1},
                 {5, 2, false, 0, 1}};
    struct mp_arena *arena = keep_arena();
    struct mp_heap_hold hold;
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root_at(MP_ROOT_STACK, 0, ADDRESS(0));
    root_at(MP_ROOT_VALUE, 0x100, ADDRESS(1));
    root_at(MP_ROOT_THREAD, 0x2f8, ADDRESS(2));
    root_at(MP_ROOT_STACK, 0x300, ADDRESS(3));
    object(ADDRESS(1), false);          /* held by a register only */
    object(ADDRESS(2), false);          /* held by a variable of the asker */
    object(ADDRESS(4), false);
    object(ADDRESS(2), false);          /* held by the stack of another thread */
    object(0, false);
    object(0, false);                   /* unreachable */
    heap = load();
    ck_assert(mp_heap_hold(heap, ADDRESS(4), own, 2, 1, arena, &hold, &error));
    ck_assert_uint_eq(hold.ways[0].steps[0].address, 0);
    ck_assert_str_eq(hold.ways[0].steps[0].by, "stacks");
    ck_assert_uint_eq(hold.ways[0].steps[1].address, ADDRESS(3));
    ck_assert_str_eq(hold.ways[0].steps[1].by, "");
    ck_assert_str_eq(hold.ways[0].steps[2].by, "cdr");
    ck_assert_uint_eq(hold.ways[0].steps[3].address, ADDRESS(4));
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        ck_assert(mp_heap_hold(heap, ADDRESS(holds[i].object), own, holds[i].n_own, 1, arena, &hold, &error));
        ck_assert_int_eq(hold.own, holds[i].own);
        ck_assert_uint_eq(hold.n_ways > 0 ? hold.ways[0].n : 0, holds[i].steps);
        ck_assert_uint_eq(hold.retained.objects, holds[i].retained);
        ck_assert_uint_eq(hold.retained.bytes, 16 * holds[i].retained);
    }
    ck_assert(!mp_heap_hold(heap, 7, own, 2, 1, arena, &hold, &error));
    ck_assert_int_eq(error.code, MP_ERR_UNKNOWN);
}

/* Compares what an object of a random graph retains with what is no longer reached when the object is removed. */
TEST(what_an_object_holds_goes_with_it)
{
    enum { N = 40 };
    unsigned seed = 7;

    for (unsigned round = 0; round < 300; round++) {
        uint64_t held[N];
        struct mp_arena *arena = keep_arena();
        struct mp_heap_hold hold;
        struct mp_heap *heap;

        begin(MP_SHAPE_CONS);
        for (unsigned i = 0; i < 3; i++)
            root_at(MP_ROOT_VALUE, 0x100 + 8 * i, ADDRESS(rand_r(&seed) % N));
        for (unsigned i = 0; i < N; i++)
            object(held[i] = ADDRESS(rand_r(&seed) % N), false);
        heap = load();
        for (unsigned i = 0; i < N; i++) {
            uint8_t *with = mp_heap_reach_without(heap, mp_heap_in_none, NULL);
            unsigned gone = 0;
            bool there[N] = {false};

            for (unsigned k = 0; k < heap->n_roots; k++)
                for (uint64_t at = (heap->roots[k].target - BASE) / 16; at != i && !there[at];
                     at = (held[at] - BASE) / 16)
                    there[at] = true;
            for (unsigned k = 0; k < N; k++)
                gone += with[k] && !there[k];
            ck_assert(mp_heap_hold(heap, ADDRESS(i), NULL, 0, 1, arena, &hold, &error));
            if (with[i])
                ck_assert_uint_eq(hold.retained.objects, gone);
            ck_assert_int_eq(hold.n_ways > 0, with[i]);
            free(with);
        }
    }
}

static const struct {
    const char *name;
    uint32_t most, n_rows;
} rows[] = {{"some rows", 2, 2}, {"all rows", UINT32_MAX, 4}, {"as many rows as there are", 4, 4}};

/* Two roots hold a cons alone and a list of three. */
TEST_CASES(the_largest_come_first, rows)
{
    static const uint64_t retained[] = {48, 32, 16, 16};
    const struct mp_heap_question question = {.type = "CONS", .depth = 1};
    struct mp_heap_tables tables = {.arena = keep_arena(), .most = rows[_i].most};
    const struct mp_table *table;

    begin(MP_SHAPE_CONS);
    for (unsigned i = 0; i < 2; i++)
        root(MP_ROOT_VALUE, ADDRESS(i));
    for (unsigned i = 0; i < 4; i++)
        object(i == 1 || i == 2 ? ADDRESS(i + 1) : 0, false);
    ck_assert_msg(mp_heap_answer(load(), &question, &tables, &error), "%s", error.text);
    table = tables.list[tables.n - 1];
    ck_assert_str_eq(table->kind->key, "largest");
    ck_assert_str_eq(table->kind->columns[2].key, "retained");
    ck_assert_uint_eq(table->n_rows, rows[_i].n_rows);
    ck_assert_uint_eq(table->left_out.n, 4 - rows[_i].n_rows);
    for (uint32_t i = 0; i < table->n_rows; i++)
        ck_assert_uint_eq(table->rows[i].values[2].number, retained[i]);
}

TEST(parts_of_objects_are_not_counted_as_objects)
{
    struct mp_heap_rows groups;

    begin(MP_SHAPE_CONS);
    put_text(writer, "CONS: slots");
    put_text(writer, "APP");
    PUT(MP_HEAP_TYPE, MP_SHAPE_OTHER, 2, 0);
    PUT(MP_HEAP_PART, 2, 1);
    PUT(MP_HEAP_ROOT, MP_ROOT_VALUE, 1, 3, 0, ADDRESS(0));
    n_roots++;
    object(ADDRESS(1), false);
    type = 2;
    object(0, false);
    groups = mp_heap_group_rows(load(), UINT32_MAX);
    ck_assert_uint_eq(groups.n, 1);
    ck_assert_str_eq(groups.list[0].name, "APP");
    ck_assert_uint_eq(groups.list[0].objects, 1);
    ck_assert_uint_eq(groups.list[0].retained, 32);
    mp_heap_rows_free(&groups);
}

/* The references are not read again, so the file may have changed. */
TEST(tops_are_made_again_when_roots_get_names)
{
    struct mp_heap *heap;
    uint32_t before;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_GLOBAL, ADDRESS(0));
    root(MP_ROOT_GLOBAL, ADDRESS(2));
    object(ADDRESS(1), false);
    object(0, false);
    object(0, false);
    heap = load();
    ck_assert_uint_eq(heap->n_tops, 1 + 1 + 1 + 1);
    before = heap->n_references;
    ck_assert_int_eq(truncate(path, 0), 0);
    heap->roots[0].title = "a";
    heap->roots[1].title = "b";
    mp_heap_remake_tops(heap);
    ck_assert_uint_eq(heap->n_tops, 2 + 1 + 1 + 1);
    ck_assert_uint_eq(heap->n_references, before + 1);    /* there is one more root */
    ck_assert_str_eq(mp_heap_node_text(heap, heap->n_objects + 1, NULL), "b");
    ck_assert_uint_eq(mp_heap_reached(heap).objects, 3);
    mp_heap_forget_references(heap);
    mp_heap_remake_tops(heap);
    ck_assert_ptr_null(heap->first);
}

TEST(starts_and_insides_are_told_apart)
{
    struct mp_heap *heap;
    uint8_t *reach;

    begin(MP_SHAPE_BLOCK);
    root(MP_ROOT_GLOBAL, ADDRESS(0));
    root(MP_ROOT_STACK, ADDRESS(4));
    object(ADDRESS(1) + 15, false);     /* contains the address of the last byte of the next object */
    object(ADDRESS(2), false);          /* refers to the start of an object, but only its own inside is referred to */
    object(ADDRESS(3) + 8, false);
    object(0, false);
    object(ADDRESS(1), false);
    heap = load();
    reach = mp_heap_reach(heap, 1u << MP_ROOT_GLOBAL);
    ck_assert_uint_eq(reach[0], MP_REACH_START);
    ck_assert_uint_eq(reach[1], MP_REACH_INSIDE);
    ck_assert_uint_eq(reach[2], MP_REACH_INSIDE);
    ck_assert_uint_eq(reach[4], MP_REACH_NOT);
    free(reach);
    reach = mp_heap_reach(heap, UINT32_MAX);
    ck_assert_uint_eq(reach[1], MP_REACH_START);
    ck_assert_uint_eq(reach[2], MP_REACH_START);
    ck_assert_uint_eq(reach[3], MP_REACH_INSIDE);
    free(reach);
}

TEST(addresses_of_no_object_are_left_out)
{
    struct mp_heap *heap;
    bool inside;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    object(ADDRESS(2), false);          /* refers to the address behind the last object */
    object(BASE - 1, false);
    heap = load();
    ck_assert_uint_eq(heap->nowhere, 2);
    ck_assert_uint_eq(mp_heap_find(heap, ADDRESS(1) + 15, &inside), 1);
    ck_assert(inside);
    ck_assert_uint_eq(mp_heap_find(heap, ADDRESS(2), &inside), MP_NO_ID);
}

static bool
is_object(const struct mp_heap *heap, uint32_t node, const void *wanted)
{
    (void)heap;
    return node == *(const uint32_t *)wanted;
}

/* Returns the kind of root from which a shortest path leads to the object WANTED. Sets *OBJECTS to the number of
 * objects on it. */
static enum mp_heap_root_kind
way_to(const struct mp_heap *heap, uint32_t wanted, uint32_t *objects)
{
    enum mp_heap_root_kind kind = MP_ROOT_KINDS;
    uint32_t n, *way = mp_heap_path(heap, mp_heap_all_roots(heap), is_object, &wanted, &n);

    ck_assert_ptr_nonnull(way);
    *objects = 0;
    for (uint32_t i = 0; i < n; i++)
        if (way[i] < heap->n_objects)
            ++*objects;
        else if (heap->tops[way[i] - heap->n_objects].level == MP_TOP_ROOT)
            kind = heap->tops[way[i] - heap->n_objects].kind;
    free(way);
    return kind;
}

/* A variable refers to object 0, which refers to 1, which refers to 2. A stack refers to 2 and 3, and a thread to 4,
 * which refers to 3. */
TEST(a_way_leads_from_what_stays_if_there_is_one)
{
    struct mp_heap *heap;
    uint32_t objects;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_STACK, ADDRESS(2));
    root(MP_ROOT_STACK, ADDRESS(3));
    root(MP_ROOT_THREAD, ADDRESS(4));
    root(MP_ROOT_VALUE, ADDRESS(0));
    object(ADDRESS(1), false);
    object(ADDRESS(2), false);
    object(0, false);
    object(0, false);
    object(ADDRESS(3), false);
    heap = load();
    mp_heap_prefer_lasting(heap);
    ck_assert_int_eq(way_to(heap, 2, &objects), MP_ROOT_VALUE);
    ck_assert_uint_eq(objects, 3);
    ck_assert_int_eq(way_to(heap, 3, &objects), MP_ROOT_STACK);
    ck_assert_uint_eq(objects, 1);
    ck_assert_int_eq(way_to(heap, 4, &objects), MP_ROOT_THREAD);
}

TEST(sums_that_are_not_right_are_damage)
{
    struct mp_error problem = {0};

    begin(MP_SHAPE_CONS);
    object(0, false);
    PUT(MP_HEAP_END, 1, 0, 0, 17);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
    ck_assert_ptr_null(mp_heap_load(path, &problem));
    ck_assert_int_eq(problem.code, MP_ERR_DAMAGED);
    begin(MP_SHAPE_CONS);
    object(0, false);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
    ck_assert_ptr_null(mp_heap_load(path, &problem));
    ck_assert_int_eq(problem.code, MP_ERR_TRUNCATED);
}
/* SPDX-License-Identifier: MIT */
