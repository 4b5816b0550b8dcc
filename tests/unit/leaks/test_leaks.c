#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "reporter/leaks/leaks.h"
#include "tests/unit/heap_records.h"

/* Sealed snapshots of C, record by record; blocks take 16 bytes each, one after the other from BASE on. */
#define BASE 0x1000u
#define ADDRESS(i) (BASE + 16 * (uint64_t)(i))

static struct mp_heap_writer *writer;
static struct mp_error error;
static uint64_t n_objects, n_references, n_roots;
static char path[] = "/tmp/test_leaks.XXXXXX";

static void
begin(const char *language)
{
    int fd = mkstemp(strcpy(path, "/tmp/test_leaks.XXXXXX"));

    ck_assert_int_ge(fd, 0);
    close(fd);
    writer = mp_heap_write_begin(AT_FDCWD, path, MP_HEAP_SEALED, &error);
    ck_assert_ptr_nonnull(writer);
    n_objects = n_references = n_roots = 0;
    put_text(writer, "block");
    put_text(writer, language);
    PUT(MP_HEAP_TYPE, MP_SHAPE_BLOCK, 1, 0);
    PUT(MP_HEAP_FACT_TEXT, MP_FACT_LANGUAGE, 2);
}

static void
root(uint64_t target)
{
    PUT(MP_HEAP_ROOT, MP_ROOT_GLOBAL, 1, 0, 0, target);
    n_roots++;
}

/* The next block, whose first word is HELD, unless that is 0. */
static void
block(uint64_t held)
{
    struct mp_buffer *out = mp_heap_record(writer, MP_HEAP_OBJECT);

    mp_buffer_varint(out, n_objects == 0 ? BASE : 0);
    mp_buffer_varint(out, 16);
    mp_buffer_varint(out, 2);
    mp_buffer_varint(out, 0);
    mp_buffer_varint(out, held > 0);
    if (held > 0) {
        mp_buffer_varint(out, 2);
        mp_buffer_signed(out, (int64_t)(held - ADDRESS(n_objects)));
        n_references++;
    }
    n_objects++;
}

static struct mp_leaks *
find(void)
{
    struct mp_leaks *leaks;

    PUT(MP_HEAP_END, n_objects, n_references, n_roots, 16 * n_objects);
    ck_assert(mp_heap_write_end(writer, true, NULL, &error));
    leaks = mp_leaks_find(path, NULL, NULL, &error);
    unlink(path);
    return leaks;
}

/* What the blocks are, a letter each: definite, indirect, possible, reachable; and the sums say the same. */
static void
must_be(const char *expected)
{
    struct mp_leaks *leaks = find();
    uint64_t blocks[MP_LEAKS] = {0};

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

TEST(no_blocks)
{
    begin("C");
    root(77);
    must_be("");
}

TEST(a_chain_from_a_root)
{
    begin("C");
    root(ADDRESS(0));
    block(ADDRESS(1));
    block(ADDRESS(2));
    block(0);
    must_be("rrr");
}

TEST(a_chain_that_nothing_leads_to)
{
    begin("C");
    block(ADDRESS(1));
    block(ADDRESS(2));
    block(0);
    must_be("dii");
}

/* Blocks that were not seen may lead to it.  What is missing for other reasons does not matter. */
TEST(a_chain_that_blocks_may_lead_to)
{
    begin("C");
    PUT(MP_HEAP_FACT, MP_FACT_UNSEEN, 1u << MP_MISS_OPERATOR_NEW);
    root(ADDRESS(2));
    block(ADDRESS(1));
    block(0);
    block(0);
    must_be("ppr");
    begin("C");
    PUT(MP_HEAP_FACT, MP_FACT_UNSEEN, 1u << MP_MISS_FOLDED);
    block(ADDRESS(1));
    block(0);
    must_be("di");
}

/* Who was taken for a leader is not, when another one leads to it. */
TEST(a_leader_that_stands_later)
{
    begin("C");
    block(0);
    block(ADDRESS(0));
    block(ADDRESS(1));
    must_be("iid");
}

/* Of a cycle one is the leader, as memcheck has it. */
TEST(cycles)
{
    begin("C");
    block(ADDRESS(0));
    block(ADDRESS(2));
    block(ADDRESS(3));
    block(ADDRESS(1));
    must_be("ddii");
}

TEST(only_the_inside_is_held)
{
    begin("C");
    root(ADDRESS(0) + 8);
    root(ADDRESS(2));
    block(ADDRESS(1));
    block(0);
    block(ADDRESS(3) + 15);
    block(0);
    must_be("pprp");
}

/* A lost block that points to one that is reached changes nothing. */
TEST(lost_and_reached)
{
    begin("C");
    root(ADDRESS(1));
    block(ADDRESS(1));
    block(0);
    must_be("dr");
}

TEST(another_heap_than_that_of_c)
{
    begin("ECL 21.2.1");
    block(0);
    ck_assert_ptr_null(find());
    ck_assert_int_eq(error.code, MP_ERR_PROGRAM);
    ck_assert_ptr_nonnull(strstr(error.text, "not of C's heap"));
}
