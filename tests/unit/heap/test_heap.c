#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reporter/heap/heap_hold.h"
#include "reporter/heap/heap_report.h"
#include "reporter/heap/heap_seal.h"
#include "tests/unit/heap_records.h"

/* Snapshots are made record by record; objects take 16 bytes each, one after the other from BASE on. */
#define BASE 0x1000u
#define ADDRESS(i) (BASE + 16 * (uint64_t)(i))

static struct mp_heap_writer *writer;
static struct mp_error error;
static uint64_t n_objects, n_references, n_roots;
static char path[] = "/tmp/test_heap.XXXXXX";

static void
begin(enum mp_heap_shape shape)
{
    int fd = mkstemp(strcpy(path, "/tmp/test_heap.XXXXXX"));

    ck_assert_int_ge(fd, 0);
    close(fd);
    writer = mp_heap_write_begin(path, MP_HEAP_RAW, &error);
    ck_assert_ptr_nonnull(writer);
    n_objects = n_references = n_roots = 0;
    put_text(writer, "CONS");
    PUT(MP_HEAP_TYPE, shape, 1, 0);
}

static void
root(enum mp_heap_root_kind kind, uint64_t target)
{
    PUT(MP_HEAP_ROOT, kind, 1, 0, 0, target);
    n_roots++;
}

static void
root_at(enum mp_heap_root_kind kind, uint64_t place, uint64_t target)
{
    PUT(MP_HEAP_ROOT, kind, 1, 0, place, target);
    n_roots++;
}

/* The next object, which holds N addresses, in its slot SLOT and those that follow. */
static void
object_of(const uint64_t *held, unsigned n, unsigned slot, bool weak)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_OBJECT);

    mp_buffer_varint(out, n_objects == 0 ? BASE : 0);
    mp_buffer_varint(out, 16);
    mp_buffer_varint(out, 2);
    mp_buffer_varint(out, 0);
    mp_buffer_varint(out, n);
    for (unsigned i = 0; i < n; i++) {
        mp_buffer_varint(out, (i == 0 ? 2 * slot : 0) + weak);
        mp_buffer_signed(out, (int64_t)(held[i] - ADDRESS(n_objects)));
    }
    n_references += n;
    n_objects++;
}

/* The next one, which holds the address HELD in its slot 1, unless that is 0. */
static void
object(uint64_t held, bool weak)
{
    object_of(&held, held > 0, 1, weak);
}

static struct mp_heap *
load(void)
{
    struct mp_heap *heap;

    PUT(MP_HEAP_END, n_objects, n_references, n_roots, 16 * n_objects);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
    heap = mp_heap_load(path, &error);
    ck_assert_msg(heap != NULL, "%s", error.text);
    return heap;
}

static void
end(struct mp_heap *heap)
{
    mp_heap_free(heap);
    unlink(path);
}

static uint64_t
retained_by(struct mp_heap *heap, uint32_t node)
{
    struct mp_dominators dominators;
    uint32_t position;
    uint64_t bytes;

    ck_assert(mp_dominate(heap, &dominators, &error));
    position = mp_dominators_find(&dominators, node);
    bytes = position == MP_NO_ID ? 0 : mp_retained(&dominators, position);
    mp_dominators_free(&dominators);
    ck_assert_ptr_null(heap->first);
    ck_assert(mp_heap_recall_references(heap, &error));
    return bytes;
}

START_TEST(a_heap_without_objects)
{
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_STACK, 77);
    heap = load();
    ck_assert_uint_eq(heap->n_objects, 0);
    ck_assert_uint_eq(retained_by(heap, mp_heap_all_roots(heap)), 0);
    end(heap);
}
END_TEST

START_TEST(a_cycle_is_retained_where_it_is_entered)
{
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(1));
    object(ADDRESS(1), false);          /* not reached: nobody holds it */
    object(ADDRESS(2), false);
    object(ADDRESS(3), false);
    object(ADDRESS(1), false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 0);
    ck_assert_uint_eq(retained_by(heap, 1), 48);
    ck_assert_uint_eq(retained_by(heap, 2), 32);
    ck_assert_uint_eq(retained_by(heap, mp_heap_all_roots(heap)), 48);
    ck_assert_uint_eq(mp_heap_reached(heap).objects, 3);
    end(heap);
}
END_TEST

START_TEST(what_two_share_neither_retains)
{
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    root(MP_ROOT_STACK, ADDRESS(1));
    object(ADDRESS(2), false);
    object(ADDRESS(2), false);
    object(0, false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 16);
    ck_assert_uint_eq(retained_by(heap, 1), 16);
    ck_assert_uint_eq(retained_by(heap, mp_heap_all_roots(heap)), 48);
    end(heap);
}
END_TEST

START_TEST(weak_references_hold_nothing)
{
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_WEAK, ADDRESS(0));
    object(ADDRESS(1), true);
    object(0, false);
    heap = load();
    ck_assert_uint_eq(retained_by(heap, 0), 16);
    ck_assert_uint_eq(mp_heap_reached(heap).objects, 1);
    end(heap);
}
END_TEST

START_TEST(roots_of_who_asks_do_not_count)
{
    static const struct mp_heap_range own[] = {{0x100, 0x108}, {0x200, 0x300}};
    struct mp_arena *arena = mp_arena_new();
    struct mp_heap_hold hold;
    struct mp_heap *heap;

    begin(MP_SHAPE_CONS);
    root_at(MP_ROOT_STACK, 0, ADDRESS(0));
    root_at(MP_ROOT_VALUE, 0x100, ADDRESS(1));
    root_at(MP_ROOT_THREAD, 0x2f8, ADDRESS(2));
    root_at(MP_ROOT_STACK, 0x300, ADDRESS(3));
    object(ADDRESS(1), false);          /* by a register only */
    object(ADDRESS(2), false);          /* by a variable of who asks */
    object(ADDRESS(4), false);
    object(ADDRESS(2), false);          /* by another's stack */
    object(0, false);
    object(0, false);                   /* by nobody */
    heap = load();
    ck_assert(mp_heap_hold(heap, ADDRESS(4), own, 2, arena, &hold, &error));
    ck_assert(!hold.own);
    ck_assert_uint_eq(hold.n, 4);
    ck_assert_uint_eq(hold.steps[0].address, 0);
    ck_assert_str_eq(hold.steps[0].by, "stacks");
    ck_assert_uint_eq(hold.steps[1].address, ADDRESS(3));
    ck_assert_str_eq(hold.steps[1].by, "");
    ck_assert_str_eq(hold.steps[2].by, "cdr");
    ck_assert_uint_eq(hold.steps[3].address, ADDRESS(4));
    ck_assert_uint_eq(hold.retained.bytes, 16);
    ck_assert(mp_heap_hold(heap, ADDRESS(2), own, 2, arena, &hold, &error));
    ck_assert_uint_eq(hold.n, 3);
    ck_assert_uint_eq(hold.retained.objects, 2);
    ck_assert(mp_heap_hold(heap, ADDRESS(0), own, 2, arena, &hold, &error));
    ck_assert(hold.own);
    ck_assert_uint_eq(hold.n, 2);
    ck_assert_uint_eq(hold.retained.bytes, 32);
    ck_assert(mp_heap_hold(heap, ADDRESS(0), NULL, 0, arena, &hold, &error));
    ck_assert(!hold.own);
    ck_assert_uint_eq(hold.retained.bytes, 16);
    ck_assert(mp_heap_hold(heap, ADDRESS(5), own, 2, arena, &hold, &error));
    ck_assert_uint_eq(hold.n, 0);
    ck_assert(!hold.own);
    ck_assert_uint_eq(hold.retained.bytes, 16);
    ck_assert(!mp_heap_hold(heap, 7, own, 2, arena, &hold, &error));
    ck_assert_int_eq(error.code, MP_ERR_UNKNOWN);
    end(heap);
    mp_arena_free(arena);
}
END_TEST

/* Of random graphs what an object holds, by removing it: what was reached, and is not any more. */
START_TEST(what_an_object_holds_goes_with_it)
{
    enum { N = 40 };
    unsigned seed = 7;

    for (unsigned round = 0; round < 300; round++) {
        uint64_t held[N];
        struct mp_arena *arena = mp_arena_new();
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
            ck_assert(mp_heap_hold(heap, ADDRESS(i), NULL, 0, arena, &hold, &error));
            if (with[i])
                ck_assert_uint_eq(hold.retained.objects, gone);
            ck_assert_int_eq(hold.n > 0, with[i]);
            free(with);
        }
        end(heap);
        mp_arena_free(arena);
    }
}
END_TEST

START_TEST(starts_and_insides_are_told_apart)
{
    struct mp_heap *heap;
    uint8_t *reach;

    begin(MP_SHAPE_BLOCK);
    root(MP_ROOT_GLOBAL, ADDRESS(0));
    root(MP_ROOT_STACK, ADDRESS(4));
    object(ADDRESS(1) + 15, false);     /* the last byte of the next one */
    object(ADDRESS(2), false);          /* whose start is held, by what is held inside only */
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
    end(heap);
}
END_TEST

START_TEST(addresses_of_no_object_are_left_out)
{
    struct mp_heap *heap;
    bool inside;

    begin(MP_SHAPE_CONS);
    root(MP_ROOT_VALUE, ADDRESS(0));
    object(ADDRESS(2), false);          /* right behind the last */
    object(BASE - 1, false);
    heap = load();
    ck_assert_uint_eq(heap->nowhere, 2);
    ck_assert_uint_eq(mp_heap_find(heap, ADDRESS(1) + 15, &inside), 1);
    ck_assert(inside);
    ck_assert_uint_eq(mp_heap_find(heap, ADDRESS(2), &inside), MP_NO_ID);
    end(heap);
}
END_TEST

static bool
is_object(const struct mp_heap *heap, uint32_t node, const void *wanted)
{
    (void)heap;
    return node == *(const uint32_t *)wanted;
}

/* The kind of root from which a way leads to OBJECT, and how many objects are on it. */
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

/* A variable holds 0, which holds 1, which holds 2; a stack 2 and 3, a thread 4, which holds 3. */
START_TEST(a_way_leads_from_what_stays_if_there_is_one)
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
    ck_assert_int_eq(way_to(heap, 2, &objects), MP_ROOT_VALUE);
    ck_assert_uint_eq(objects, 3);
    ck_assert_int_eq(way_to(heap, 3, &objects), MP_ROOT_STACK);
    ck_assert_uint_eq(objects, 1);
    ck_assert_int_eq(way_to(heap, 4, &objects), MP_ROOT_THREAD);
    end(heap);
}
END_TEST

#define LONG 1000000u

/* Each refers to the next, and, as the list is a ring, the last to the first. */
START_TEST(a_list_of_a_million)
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
    end(heap);
}
END_TEST

/* So many references go to the head that what was looked at is given back on the way. */
START_TEST(a_list_whose_conses_refer_to_its_head)
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
    end(heap);
}
END_TEST

/* Twice two ways to each, and from each one back: what stands between does not matter. */
START_TEST(a_ladder_is_held_by_its_first)
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
    end(heap);
}
END_TEST

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
START_TEST(a_file_that_has_other_references_by_now_is_refused)
{
    struct mp_dominators dominators;
    struct mp_error problem = {0};
    struct mp_heap *heap;
    char old[sizeof path];

    write_triangle(ADDRESS(2));
    heap = load();
    strcpy(old, path);
    write_triangle(ADDRESS(0));
    mp_heap_free(load());
    copy_over(path, old);
    ck_assert(!mp_dominate(heap, &dominators, &problem));
    ck_assert_int_eq(problem.code, MP_ERR_DAMAGED);
    ck_assert_ptr_nonnull(strstr(problem.text, "has changed while it was read"));
    unlink(old);
    end(heap);
}
END_TEST

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

/* Every third object holds the one before it, and a place where there is none; the others hold nothing. */
START_TEST(references_stay_with_their_objects)
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
    end(heap);
}
END_TEST

/* One object holds 50 lists; they are of 1 to 50 conses, in no order. */
START_TEST(the_largest_of_many_are_found)
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
    end(heap);
}
END_TEST

/* More references than one record has room for, in every slot but the first. */
START_TEST(a_huge_vector_goes_on_in_other_records)
{
    struct mp_heap *heap;
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
    mp_heap_free(heap);
    ck_assert_msg(mp_heap_seal(path, "/nowhere", &error), "%s", error.text);
    heap = mp_heap_load(path, &error);
    ck_assert_ptr_nonnull(heap);
    ck_assert_int_eq(heap->form, MP_HEAP_SEALED);
    walk = mp_heap_walk(heap, 0);
    while (mp_heap_next(heap, &walk))
        continue;
    ck_assert_uint_eq(walk.slot, 500000 + 1000);
    end(heap);
}
END_TEST

START_TEST(sums_that_are_not_right_are_damage)
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
    unlink(path);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("heap");
    TCase *tests = tcase_create("heap");

    tcase_add_test(tests, a_heap_without_objects);
    tcase_add_test(tests, a_cycle_is_retained_where_it_is_entered);
    tcase_add_test(tests, what_two_share_neither_retains);
    tcase_add_test(tests, weak_references_hold_nothing);
    tcase_add_test(tests, roots_of_who_asks_do_not_count);
    tcase_add_test(tests, what_an_object_holds_goes_with_it);
    tcase_add_test(tests, starts_and_insides_are_told_apart);
    tcase_add_test(tests, addresses_of_no_object_are_left_out);
    tcase_add_test(tests, a_way_leads_from_what_stays_if_there_is_one);
    tcase_add_test(tests, a_list_of_a_million);
    tcase_add_test(tests, a_list_whose_conses_refer_to_its_head);
    tcase_add_test(tests, a_ladder_is_held_by_its_first);
    tcase_add_test(tests, a_file_that_has_other_references_by_now_is_refused);
    tcase_add_test(tests, references_stay_with_their_objects);
    tcase_add_test(tests, the_largest_of_many_are_found);
    tcase_add_test(tests, a_huge_vector_goes_on_in_other_records);
    tcase_add_test(tests, sums_that_are_not_right_are_damage);
    suite_add_tcase(suite, tests);
    return tap_run(suite);
}
