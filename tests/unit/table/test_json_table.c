/* A table with values of all sorts is written as JSON, and a long table in bounded memory. */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/table/json_head.h"
#include "reporter/table/table.h"

enum { SIZE, SHARE, MEAN, LATER, KEPT_SHARE, NAMES, N_COLUMNS };

static const struct mp_table_column columns[N_COLUMNS] = {
    [SIZE] = {"size", "size", MP_UNIT_BYTES, "A number."},
    [SHARE] = {"share", "(%)", MP_UNIT_PERCENT, "A share."},
    [MEAN] = {"mean", "mean", MP_UNIT_MEAN, "A mean."},
    [LATER] = {"later", "later", MP_UNIT_BLOCKS, "What came later.", MP_LAYOUT_AFTER},
    [KEPT_SHARE] = {"kept_part", "(%)", MP_UNIT_PERCENT, "A share of what is kept.", MP_LAYOUT_KEPT_SHARE},
    [NAMES] = {"names", "names", MP_UNIT_NAMES, "Names."},
};

static const struct mp_table_kind kind = {
    .key = "test", .title = "TEST", .one = "row", .many = "rows", .explanation = "A test.",
    .columns = columns, .n_columns = N_COLUMNS,
};

/* Returns a table of one row with values of all sorts. */
static struct mp_table *
full_table(void)
{
    static const char *const names[] = {"a", "\"b\""};
    struct mp_table *table = mp_table_new(&kind);
    struct mp_value *values = mp_table_add_item(table);

    values[SIZE] = mp_value_number(UINT64_MAX);
    values[SHARE] = mp_value_share(1, 3);
    values[MEAN] = mp_value_share(7, 0);
    values[LATER] = (struct mp_value){.known = true, .estimated = true, .number = 5, .low = 4, .high = 9};
    values[KEPT_SHARE] = mp_value_share(0, 8);
    values[NAMES] = mp_value_names(names, 2);
    values = mp_table_add_total(table);
    values[SIZE] = mp_value_none("> 1024");
    values[LATER] = mp_value_kept((uint64_t)-3);
    return table;
}

/* Returns the rows of TABLE as JSON. Frees TABLE. */
static char *
rows_of(struct mp_table *table, const struct mp_profile *view)
{
    struct mp_json_out out = {.file = NULL};
    char *text, *rows;

    mp_json_table(&out, table, view);
    text = strndup((const char *)out.buffer.bytes, out.buffer.size);
    rows = strdup(strstr(text, "\"rows\":"));
    free(text);
    mp_buffer_free(&out.buffer);
    mp_table_free(table);
    return rows;
}

#define ROWS                                                                                       \
    "\"rows\":[\n{\"is\":\"item\",\"values\":{\"size\":18446744073709551615,"                       \
    "\"share\":{\"part\":1,\"whole\":3},\"mean\":null,\"later\":%s,\"kept_part\":%s,"              \
    "\"names\":[\"a\",\"\\\"b\\\"\"]}%s},\n{\"is\":\"total\",\"values\":{\"size\":null,"            \
    "\"share\":null,\"mean\":null,\"later\":%s,\"kept_part\":null,\"names\":null},"                \
    "\"instead\":{\"size\":\"> 1024\"}}],\"limit\":{\"permille\":0,\"full\":false},"                \
    "\"left_out\":null}"

static void
check_rows(struct mp_table *table, const char *later, const char *share, const char *estimates,
           const char *total)
{
    struct mp_profile *view = mp_profile_new();
    char *rows = rows_of(table, view), expected[1024];

    snprintf(expected, sizeof expected, ROWS, later, share, estimates, total);
    ck_assert_str_eq(rows, expected);
    free(rows);
    mp_profile_free(view);
}

#define ESTIMATES ",\"estimates\":{\"later\":{\"low\":4,\"high\":9}}"

TEST(values_are_numbers_of_their_units)
{
    check_rows(full_table(), "5", "{\"part\":0,\"whole\":8}", ESTIMATES, "-3");
}

TEST(what_came_later_is_not_known_of_a_moment)
{
    struct mp_table *table = full_table();

    table->moment = true;
    check_rows(table, "null", "{\"part\":0,\"whole\":8}", "", "null");
}

TEST(what_may_be_negative_has_no_share)
{
    struct mp_table *table = full_table();

    table->growth = true;
    check_rows(table, "5", "null", ESTIMATES, "-3");
}

#define MANY 100000u

TEST(memory_does_not_grow_with_the_table)
{
    struct mp_profile *view = mp_profile_new();
    struct mp_table *table = mp_table_new(&kind);
    struct mp_json_out out = {.file = tmpfile()};
    unsigned lines = 0;

    ck_assert(out.file);
    for (unsigned i = 0; i < MANY; i++)
        mp_table_add_item(table)[SIZE] = mp_value_number(i);
    mp_json_table(&out, table, view);
    ck_assert_uint_le(out.buffer.room, 1u << 18);
    mp_json_end(&out.buffer, out.file);
    ck_assert_int_gt(ftell(out.file), (long)MANY * 50);
    rewind(out.file);
    for (int c = getc(out.file), last = 0; c != EOF; last = c, c = getc(out.file)) {
        lines += c == '\n';
        ck_assert(c != ',' || last != '[');
    }
    ck_assert_uint_eq(lines, N_COLUMNS + MANY + 1);
    fclose(out.file);
    mp_table_free(table);
    mp_profile_free(view);
}
/* SPDX-License-Identifier: MIT */
