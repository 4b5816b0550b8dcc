#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/verdict/leaks.h"
#include "tests/unit/heap_made.h"

/* Begins a sealed snapshot of a program in LANGUAGE. */
static void
begin_sealed(const char *language)
{
    begin_as(MP_HEAP_SEALED, "block", MP_SHAPE_BLOCK);
    put_text(writer, language);
    PUT(MP_HEAP_FACT_TEXT, MP_FACT_LANGUAGE, 2);
}

/* Classifies the blocks and compares a letter for each: definite, indirect, possible, reachable. Checks the sums. */
static void
must_be(const char *expected)
{
    struct mp_leaks *leaks;
    uint64_t blocks[MP_LEAKS] = {0};

    finish();
    leaks = mp_leaks_find(path, NULL, NULL, &error);
    ck_assert_msg(leaks != NULL, "%s", error.text);
    ck_assert_uint_eq(leaks->heap->n_objects, strlen(expected));
    for (uint32_t i = 0; i < leaks->heap->n_objects; i++) {
        ck_assert_msg(mp_leak_names[leaks->is[i]][0] == expected[i], "block %u is %s, expected %s", (unsigned)i,
                      mp_leak_names[leaks->is[i]], expected);
        blocks[leaks->is[i]]++;
    }
    for (unsigned leak = 0; leak < MP_LEAKS; leak++) {
        struct mp_profile *lost = mp_leaks_profile(leaks, leak);
        struct mp_totals totals;

        mp_profile_totals(lost, &totals);
        ck_assert_uint_eq(leaks->sums[leak].blocks, blocks[leak]);
        ck_assert_uint_eq(leaks->sums[leak].bytes, 16 * blocks[leak]);
        ck_assert_uint_eq(totals.c.kept_blocks, blocks[leak]);
        ck_assert_uint_eq(totals.c.kept, 16 * blocks[leak]);
        mp_profile_free(lost);
    }
    mp_leaks_free(leaks);
}

#define AT(i) ADDRESS(i)

enum { ROOTS = 2, BLOCKS = 4 };

/* Roots and blocks: the address that each holds, or 0. */
static const struct {
    const char *name;
    uint64_t unseen;            /* blocks that were not recorded, as bits of enum mp_missing */
    uint64_t roots[ROOTS], held[BLOCKS];
    const char *is;
} cases[] = {
    {"no blocks", 0, {77}, {0}, ""},
    {"a chain from a root", 0, {AT(0)}, {AT(1), AT(2)}, "rrr"},
    {"a chain without a root", 0, {0}, {AT(1), AT(2)}, "dii"},
    {"blocks that were not seen may lead to it", 1u << MP_MISS_OPERATOR_NEW, {AT(2)}, {AT(1)}, "ppr"},
    {"other things are missing", 1u << MP_MISS_FOLDED, {0}, {AT(1)}, "di"},
    /* A block that was classified as a leader is no leader any more if a later leader leads to it. */
    {"a later leader", 0, {0}, {0, AT(0), AT(1)}, "iid"},
    {"cycles have one leader, as in memcheck", 0, {0}, {AT(0), AT(2), AT(3), AT(1)}, "ddii"},
    {"only the inside is held", 0, {AT(0) + 8, AT(2)}, {AT(1), 0, AT(3) + 15}, "pprp"},
    {"a lost block holds one that is reached", 0, {AT(1)}, {AT(1)}, "dr"},
};

TEST_CASES(blocks_are_classified, cases)
{
    begin_sealed("C");
    if (cases[_i].unseen)
        PUT(MP_HEAP_FACT, MP_FACT_UNSEEN, cases[_i].unseen);
    for (unsigned i = 0; i < ROOTS && cases[_i].roots[i]; i++)
        root(MP_ROOT_GLOBAL, cases[_i].roots[i]);
    for (unsigned i = 0; i < strlen(cases[_i].is); i++)
        object(cases[_i].held[i], false);
    must_be(cases[_i].is);
}

TEST(another_heap_than_that_of_c)
{
    begin_sealed("ECL 21.2.1");
    object(0, false);
    finish();
    ck_assert_ptr_null(mp_leaks_find(path, NULL, NULL, &error));
    ck_assert_int_eq(error.code, MP_ERR_PROGRAM);
    ck_assert_ptr_nonnull(strstr(error.text, "not of C's heap"));
}
/* SPDX-License-Identifier: MIT */
