#include "tests/unit/tap.h"

#include <stdio.h>

#include "reporter/heap/heap_tree.h"
#include "tests/unit/heap_made.h"
#include "tests/unit/profile_builder.h"

static struct mp_heap *heap;
static struct mp_heap_tree tree;

/* Begins a heap with the types 1, CONS, and 2, NODE, and with titles of roots. */
static void
begin_typed(void)
{
    begin(MP_SHAPE_OTHER);
    put_text(writer, "NODE");
    put_text(writer, "*A*");
    put_text(writer, "*B*");
    PUT(MP_HEAP_TYPE, MP_SHAPE_OTHER, 2, 0);
}

static void
root_called(unsigned title, uint64_t target)
{
    PUT(MP_HEAP_ROOT, MP_ROOT_VALUE, title, 0, 0, target);
    n_roots++;
}

static void
grow(uint32_t most)
{
    struct mp_dominators dominators;

    heap = load();
    ck_assert(mp_dominate(heap, &dominators, &error));
    tree = mp_heap_tree(heap, &dominators, most, keep_arena());
    mp_dominators_free(&dominators);
    ck_assert_int_eq(tree.list[0].sort, MP_BRANCH_ALL);
    for (uint32_t i = 1; i < tree.n; i++)
        ck_assert_uint_lt(tree.list[i].parent, i);
}

/* Returns the only branch of SORT and NAME below PARENT. */
static uint32_t
find(uint32_t parent, enum mp_heap_branch_sort sort, const char *name)
{
    uint32_t found = MP_NO_ID;

    for (uint32_t i = 1; i < tree.n; i++)
        if (tree.list[i].parent == parent && tree.list[i].sort == sort && strcmp(tree.list[i].name, name) == 0) {
            ck_assert_msg(found == MP_NO_ID, "two branches %s", name);
            found = i;
        }
    ck_assert_msg(found != MP_NO_ID, "no branch '%s'", name);
    return found;
}

static void
is(uint32_t branch, uint64_t objects, uint64_t bytes, uint64_t retained)
{
    ck_assert_uint_eq(tree.list[branch].objects, objects);
    ck_assert_uint_eq(tree.list[branch].bytes, bytes);
    ck_assert_uint_eq(tree.list[branch].retained, retained);
}

TEST(a_list_is_one_branch)
{
    const uint64_t held[][2] = {{ADDRESS(1), ADDRESS(3)}, {ADDRESS(2), ADDRESS(4)}, {ADDRESS(5), 0}};
    uint32_t kind, top, list;

    begin_typed();
    root_called(3, ADDRESS(0));
    object_of(held[0], 2, 0, false);
    object_of(held[1], 2, 0, false);
    object_of(held[2], 1, 0, false);
    type = 2;
    for (unsigned i = 0; i < 3; i++)
        object(0, false);
    grow(100);
    is(0, 1, 16, 96);
    kind = find(0, MP_BRANCH_KIND, "values of symbols");
    is(kind, 1, 16, 96);
    top = find(kind, MP_BRANCH_ROOT, "*A*");
    is(top, 1, 16, 96);
    list = find(top, MP_BRANCH_TYPE, "CONS");
    is(list, 3, 48, 96);
    is(find(list, MP_BRANCH_TYPE, "NODE"), 3, 48, 48);
    ck_assert_uint_eq(tree.n, 5);
}

TEST(what_several_hold_is_below_its_own)
{
    uint32_t kind, shared;

    begin_typed();
    root_called(3, ADDRESS(0));
    root_called(4, ADDRESS(0));
    root_called(4, ADDRESS(2));
    root(MP_ROOT_STACK, ADDRESS(1));
    root_called(3, ADDRESS(1));
    object(0, false);                   /* held by *A* and *B* */
    object(0, false);                   /* held by a stack and *A* */
    object(0, false);                   /* held by *B* alone */
    grow(100);
    kind = find(0, MP_BRANCH_KIND, "values of symbols");
    is(kind, 4, 64, 32);
    shared = find(kind, MP_BRANCH_SHARED, "");
    is(shared, 1, 16, 16);
    is(find(shared, MP_BRANCH_TYPE, "CONS"), 1, 16, 16);
    is(find(kind, MP_BRANCH_ROOT, "*A*"), 2, 32, 0);
    is(find(kind, MP_BRANCH_ROOT, "*B*"), 2, 32, 16);
    is(find(0, MP_BRANCH_KIND, "stacks"), 1, 16, 0);
    is(find(0, MP_BRANCH_SHARED, ""), 1, 16, 16);
}

TEST(the_smallest_are_summed_up)
{
    uint32_t kind, others;
    char title[16];

    begin_typed();
    for (unsigned i = 0; i < 10; i++) {
        snprintf(title, sizeof title, "R%u", i);
        put_text(writer, title);
        root_called(5 + i, ADDRESS(i * (i + 1) / 2));
    }
    for (unsigned i = 0; i < 10; i++)           /* R0 holds one object, R1 two ... */
        for (unsigned j = 0; j <= i; j++)
            object(j < i ? ADDRESS(n_objects + 1) : 0, false);
    grow(6);                                    /* all, kind, R9, its CONS, R8, its CONS */
    kind = find(0, MP_BRANCH_KIND, "values of symbols");
    is(find(find(kind, MP_BRANCH_ROOT, "R9"), MP_BRANCH_TYPE, "CONS"), 10, 160, 160);
    is(find(find(kind, MP_BRANCH_ROOT, "R8"), MP_BRANCH_TYPE, "CONS"), 9, 144, 144);
    others = find(kind, MP_BRANCH_OTHERS, "");
    is(others, 8, 8 * 16, 36 * 16);
    ck_assert_uint_eq(tree.list[others].left, 8);
    ck_assert_uint_eq(tree.n, 7);
}

TEST(types_are_at_most_so_deep)
{
    uint32_t branch;

    begin_typed();
    root_called(3, ADDRESS(0));
    for (unsigned i = 0; i < 20; i++) {
        type = 1 + i % 2;
        object(i < 19 ? ADDRESS(i + 1) : 0, false);
    }
    grow(100);
    branch = find(find(0, MP_BRANCH_KIND, "values of symbols"), MP_BRANCH_ROOT, "*A*");
    for (unsigned i = 0; i < MP_HEAP_TREE_DEEPEST; i++) {
        branch = find(branch, MP_BRANCH_TYPE, i % 2 == 0 ? "CONS" : "NODE");
        is(branch, 1, 16, (20 - i) * 16);
    }
    ck_assert_uint_eq(tree.n, 3 + MP_HEAP_TREE_DEEPEST);
}

TEST(a_heap_without_objects)
{
    begin_typed();
    root_called(3, ADDRESS(7));
    grow(100);
    is(0, 0, 0, 0);
    ck_assert_uint_eq(tree.n, 1);
}
/* SPDX-License-Identifier: MIT */
