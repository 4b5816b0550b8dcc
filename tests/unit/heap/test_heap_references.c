#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/heap/heap_hold.h"
#include "reporter/heap/heap_report.h"
#include "reporter/heap/heap_seal.h"
#include "tests/unit/heap_made.h"

#define LONG 1000000u

/* Each cons refers to the next one, and the last one to the first. */
TEST(a_list_of_a_million)
{
    struct mp_heap *heap;
    uint32_t *way, n;
    const uint32_t last = LONG - 1;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    for (uint32_t i = 0; i < LONG; i++)
        object(ADDRESS((i + 1) % LONG), false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 16 * (uint64_t)LONG);
    ck_assert_uint_eq(retained_by(heap, last), 16);
    way = mp_heap_path(heap, 0, mp_heap_in_none, NULL, &n);
    ck_assert_ptr_null(way);
    ck_assert_uint_eq(mp_heap_reached(heap).objects, LONG);
}

/* There are so many references to the head that dominate.c frees some of them before the end. */
TEST(a_list_whose_conses_refer_to_its_head)
{
    enum { LONGER = 1300000 };
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    for (uint32_t i = 0; i < LONGER; i++)
        object_of((const uint64_t[]){ADDRESS(0), ADDRESS(i + 1)}, i + 1 < LONGER ? 2 : 1, 0, false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 16 * (uint64_t)LONGER);
    ck_assert_uint_eq(retained_by(heap, LONGER / 2), 16 * (uint64_t)(LONGER - LONGER / 2));
    ck_assert_uint_eq(retained_by(heap, LONGER - 1), 16);
}

/* Each object refers to the next two and back to an earlier one, so only the first object dominates others. */
TEST(a_ladder_is_held_by_its_first)
{
    enum { RUNGS = 300000 };
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    for (uint32_t i = 0; i < RUNGS; i++)
        object_of((const uint64_t[]){ADDRESS(i + 2), ADDRESS(i + 1), ADDRESS(i + 2), ADDRESS(i / 2)},
                  i + 2 < RUNGS ? 4 : 0, 0, false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 16 * (uint64_t)RUNGS);
    ck_assert_uint_eq(retained_by(heap, 1), 16);
    ck_assert_uint_eq(retained_by(heap, RUNGS / 2), 16);
}

static void
write_triangle(uint64_t third)
{
    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    object_of((const uint64_t[]){ADDRESS(1), third}, 2, 0, false);
    object_of((const uint64_t[]){ADDRESS(2), ADDRESS(0)}, 2, 0, false);
    object_of((const uint64_t[]){ADDRESS(1), ADDRESS(0)}, 2, 0, false);
}

static void
copy_over(const char *from, const char *to)
{
    char bytes[4096];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "r+b");
    size_t n = fread(bytes, 1, sizeof bytes, in);

    ck_assert_uint_eq(fwrite(bytes, 1, n, out), n);
    fclose(in);
    fclose(out);
}

/* References are read more than once. */
TEST(a_file_that_has_other_references_by_now_is_refused)
{
    struct mp_dominators dominators;
    struct mp_error problem = {0};
    struct mp_heap *heap;
    const char *old;

    write_triangle(ADDRESS(2));
    heap = load();
    old = path;
    write_triangle(ADDRESS(0));
    load();
    copy_over(path, old);
    ck_assert(!mp_dominate(heap, &dominators, &problem));
    ck_assert_int_eq(problem.code, MP_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(problem.text, "has changed while it was read"));
}

struct seen {
    uint32_t n, nowhere, tops;
    bool ascending;
    uint32_t last;
};

static void
see(void *data, const struct mp_heap_reference *list, uint32_t n)
{
    struct seen *seen = data;

    for (uint32_t i = 0; i < n; i++) {
        seen->n++;
        seen->nowhere += list[i].to == MP_NO_ID;
        seen->tops += list[i].address == 0;
        seen->ascending &= list[i].from >= seen->last;
        seen->last = list[i].from;
    }
}

/* Every third object refers to the object before it and to an address without an object. The others refer to nothing.
 * */
TEST(references_stay_with_their_objects)
{
    enum { MANY = 3000 };
    struct seen seen = {.ascending = true};
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(1));
    for (uint32_t i = 0; i < MANY; i++)
        object_of((const uint64_t[]){8, ADDRESS(i - 1)}, i % 3 == 2 ? 2 : 0, i % 7, false);
    heap = load();
    ck_assert_uint_eq(heap->nowhere, MANY / 3);
    for (uint32_t i = 0; i < MANY; i++) {
        struct mp_heap_walk walk = mp_heap_walk(heap, i);

        ck_assert_uint_eq(heap->first[i], i / 3);
        ck_assert_int_eq(mp_heap_next(heap, &walk), i % 3 == 2);
        if (i % 3 == 2) {
            ck_assert_uint_eq(walk.to, i - 1);
            ck_assert_uint_eq(walk.slot, i % 7 + 1);
            ck_assert(!mp_heap_next(heap, &walk));
        }
    }
    ck_assert(mp_heap_each_reference(heap, see, &seen, &error));
    ck_assert_uint_eq(seen.nowhere, MANY / 3);
    ck_assert_uint_eq(seen.tops, heap->n_top_edges);
    ck_assert_uint_eq(seen.n, 2 * MANY / 3 + heap->n_top_edges);
    ck_assert(seen.ascending);
}

/* One object refers to 50 lists of 1 to 50 conses, which are not sorted by length. */
TEST(the_largest_of_many_are_found)
{
    uint64_t heads[50];
    struct mp_dominators dominators;
    struct mp_heap_rows rows;
    struct mp_heap *heap;
    uint32_t rest;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    for (uint32_t i = 0, at = 1; i < 50; at += 1 + i++ * 7 % 50)
        heads[i] = ADDRESS(at);
    object_of(heads, 50, 0, false);
    for (uint32_t i = 0; i < 50; i++)
        for (uint32_t left = i * 7 % 50 + 1; left-- > 0;)
            object(left > 0 ? ADDRESS(n_objects + 1) : 0, false);
    heap = load();
    ck_assert(mp_dominate(heap, &dominators, &error));
    for (uint32_t most = 0; most < 60; most++) {
        rows = mp_heap_dominated(heap, &dominators, mp_dominators_find(&dominators, 0), most, &rest);
        ck_assert_uint_eq(rows.n, most > 0 && most < 50 ? most : 50);
        ck_assert_uint_eq(rest, 50 - rows.n);
        for (uint32_t i = 0; i < rows.n; i++)
            ck_assert_uint_eq(rows.list[i].retained, 16 * (50 - i));
        mp_heap_rows_free(&rows);
    }
    mp_dominators_free(&dominators);
}

/* A vector has more references than fit into one record. Its first slot is empty. */
TEST(a_huge_vector_goes_on_in_other_records)
{
    struct mp_heap *heap;
    struct mp_file_at file;
    struct mp_heap_walk walk;
    uint64_t slots = 0;

    begin(MP_SHAPE_VECTOR);
    root(MP_ROOT_VALUE, BASE);
    PUT(MP_HEAP_OBJECT, BASE, 16, 2, 0, 0);
    for (unsigned i = 0; i < 100; i++) {
        struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_MORE);

        mp_buffer_varint(out, 5000);
        for (unsigned k = 0; k < 5000; k++) {
            mp_buffer_varint(out, i + k == 0 ? 2 : i == 50 && k == 0 ? 2 * 1000 : 0);
            mp_buffer_signed(out, 16);
        }
    }
    n_objects = 1;
    n_references = 500000;
    object(0, false);
    heap = load();
    ck_assert_uint_eq(heap->first[1], 500000);
    walk = mp_heap_walk(heap, 0);
    while (mp_heap_next(heap, &walk))
        slots++;
    ck_assert_uint_eq(walk.slot, 500000 + 1000);
    ck_assert_uint_eq(slots, 500000);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert(mp_file_at_create(path, &file));
    ck_assert_msg(mp_heap_seal_into(heap, "/nowhere", &file, &error), "%s", error.text);
    mp_file_at_close(&file);
    heap = mp_heap_load(path, &error);
    ck_assert_ptr_nonnull(heap);
    tap_keep(heap, release_heap);
    ck_assert_int_eq(heap->form, MP_HEAP_SEALED);
    walk = mp_heap_walk(heap, 0);
    while (mp_heap_next(heap, &walk))
        continue;
    ck_assert_uint_eq(walk.slot, 500000 + 1000);
}
/* SPDX-License-Identifier: MIT */
