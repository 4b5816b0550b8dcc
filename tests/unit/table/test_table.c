/* The values in the rows of the tables, from which text, JSON and pages are written. */
#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/view/view.h"
#include "tests/unit/golden.h"
#include "tests/unit/lisp_profile.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

static const struct mp_print_options usual = MP_PRINT_DEFAULT;

/* ---------------------------------------------------------------- columns */

/* Checks that KEY is a machine-readable name of small letters, digits and the character MORE. */
static void
check_key(const char *key, char more)
{
    ck_assert_ptr_nonnull(key);
    ck_assert_uint_gt(strlen(key), 0);
    for (const char *c = key; *c; c++)
        ck_assert_msg((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == more, "%s", key);
}

static void
check_sentence(const char *text)
{
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_gt(strlen(text), 8);
    ck_assert_int_eq(text[strlen(text) - 1], '.');
}

static void
check_column(const struct mp_table_kind *kind, size_t i)
{
    const struct mp_table_column *column = &kind->columns[i];

    check_key(column->key, '_');
    ck_assert_ptr_nonnull(column->title);
    ck_assert_msg(column->unit >= MP_UNIT_BYTES && column->unit <= MP_UNIT_FIGURES, "%s.%s: unit",
                  kind->key, column->key);
    check_sentence(column->explanation);
    for (size_t j = 0; j < i; j++)
        ck_assert_msg(strcmp(kind->columns[j].key, column->key) != 0, "%s.%s: twice", kind->key,
                      column->key);
}

static void
check_kind(const struct mp_table_kind *kind)
{
    check_key(kind->key, '-');
    check_sentence(kind->explanation);
    ck_assert(kind->title && kind->one && kind->many);
    ck_assert_uint_gt(kind->n_columns, 0);
    for (size_t i = 0; i < kind->n_columns; i++)
        check_column(kind, i);
    for (size_t i = 0; i < kind->n_said; i++) {
        ck_assert_uint_lt(kind->said[i].column, kind->n_columns);
        ck_assert_ptr_nonnull(strstr(kind->said[i].one, "%s"));
        ck_assert_ptr_nonnull(strstr(kind->said[i].many, "%s"));
    }
    for (size_t i = 0; i < kind->n_sections; i++) {
        check_key(kind->sections[i].key, '_');
        for (size_t j = 0; j < i; j++)
            ck_assert_str_ne(kind->sections[i].key, kind->sections[j].key);
    }
}

TEST(every_column_says_what_it_is)
{
    for (size_t i = 0; i < mp_n_outputs; i++) {
        ck_assert_ptr_nonnull(mp_outputs[i].kinds[0]);
        check_kind(mp_outputs[i].kinds[0]);
        if (mp_outputs[i].kinds[1])
            check_kind(mp_outputs[i].kinds[1]);
    }
}

static void
check_parts(const struct mp_breakdown_style *style, unsigned n)
{
    ck_assert_uint_eq(style->n, n);
    for (unsigned i = 0; i < n; i++) {
        check_key(style->keys[i], '_');
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(style->keys[j], style->keys[i]);
    }
}

/* Letters do not suffice as names: in a profile of C and Lisp, s means both small blocks and structures. */
TEST(every_part_of_a_breakdown_has_a_name_of_its_own)
{
    struct mp_profile *lisp = lisp_profile(), *both = lisp_profile_with_c();
    const struct mp_breakdown_style *style;

    check_parts(&mp_breakdown_c, 4);
    style = mp_breakdown_of(lisp, lisp->arena);
    check_parts(style, 4);
    style = mp_breakdown_of(both, both->arena);
    check_parts(style, 8);
    ck_assert_str_eq(style->keys[0], "small");
    ck_assert_str_eq(style->keys[6], "structure");
    ck_assert_int_eq(style->letters[0], style->letters[6]);
}

TEST(every_table_has_a_name_and_a_number_of_its_own)
{
    unsigned all = 0;

    for (size_t i = 0; i < mp_n_outputs; i++) {
        ck_assert_uint_eq(all & mp_outputs[i].table, 0);
        all |= mp_outputs[i].table;
        for (size_t k = 0; k < i; k++)
            ck_assert_str_ne(mp_outputs[i].kinds[0]->key, mp_outputs[k].kinds[0]->key);
    }
    ck_assert_uint_eq(all & MP_TABLE_DEFAULT, MP_TABLE_DEFAULT);
}

/* ---------------------------------------------------------------- values */

/* Returns the index of the column that is called KEY. */
static unsigned
column_of(const struct made_table *made, const char *key)
{
    const struct mp_table_kind *kind = made->table->kind;

    for (unsigned i = 0; i < kind->n_columns; i++)
        if (strcmp(kind->columns[i].key, key) == 0)
            return i;
    ck_abort_msg("%s has no column %s", kind->key, key);
    return 0;
}

static const struct mp_value *
value_of(const struct made_table *made, const struct mp_table_row *row, const char *key)
{
    return &row->values[column_of(made, key)];
}

/* Prints a value: a text, "NUMBER" or "NUMBER/WHOLE", "-" for an unknown one, "_" after one that is not shown. */
static void
print_value(const struct mp_value *value, FILE *out)
{
    if (!value->known)
        fputc('-', out);
    else if (value->text)
        fputs(value->text, out);
    else
        fprintf(out, "%" PRIu64, value->number);
    if (value->known && value->whole > 0)
        fprintf(out, "/%" PRIu64, value->whole);
    if (value->blank)
        fputc('_', out);
}

/* Compares those columns of ROW that EXPECTED names: "KEY=VALUE, KEY=VALUE", with values as print_value() writes. */
static void
row_must_be(const struct made_table *made, const struct mp_table_row *row, const char *expected)
{
    char *text, key[32];
    FILE *out = golden_stream(&text);

    for (const char *at = expected; at; at = strstr(at, ", ")) {
        at += at > expected ? 2 : 0;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(at, "="), at);
        fprintf(out, "%s%s=", at > expected ? ", " : "", key);
        print_value(value_of(made, row, key), out);
    }
    ck_assert_str_eq(golden_close(out, &text), expected);
}

/* Returns the row that belongs to row UNDER, in SECTION, whose function is FUNCTION; NULL matches any. */
static const struct mp_table_row *
row_under(const struct made_table *made, const struct mp_table_row *under, const char *section,
          const char *function)
{
    const struct mp_table *table = made->table;

    for (uint32_t i = 0; i < table->n_rows; i++) {
        const struct mp_table_row *row = &table->rows[i];
        const char *name = value_of(made, row, "function")->text;

        if (row->under == (uint32_t)(under - table->rows) &&
            strcmp(table->kind->sections[row->section].key, section) == 0 &&
            (!function || (name && strcmp(name, function) == 0)))
            return row;
    }
    ck_abort_msg("no row of %s in %s", function ? function : "any", section);
    return NULL;
}

static struct made_table
made_of(made_compute *compute, const struct mp_profile *profile,
        const struct mp_print_options *options)
{
    return made_table(compute, (struct mp_table_request){
        .profile = profile, .options = options, .lisp = profile->n_kinds > 0, .raw = true});
}

/* Returns the view of the Lisp program without frames of the runtime. */
static struct mp_profile *
lisp_view(void)
{
    const struct mp_view_options lisp = {.frames = MP_FRAMES_LISP, .lisp_only = true};

    return keep_profile(mp_view(lisp_profile(), &lisp, NULL));
}

/* Values of a row: the only one of TEXT in column KEY, or row number INDEX if there is no KEY. */
static const struct {
    const char *name;
    made_compute *compute;
    struct mp_profile *(*profile)(void);
    struct mp_print_options options;
    const char *key, *text;
    unsigned index;
    const char *values;
    bool view;                  /* a table of a view */
} rows[] = {
    {"a bin", mp_table_bins, pb_example, MP_PRINT_DEFAULT, NULL, NULL, 0,
     "size=204, allocs=10000, frees=4981, bytes_share=2040000/2040000, kept_share=1023876/1023876, types=-", false},
    {"the bin of large blocks", mp_table_bins, pb_example, MP_PRINT_DEFAULT, NULL, NULL, 1, "size=-", false},
    {"all bins", mp_table_bins, pb_example, MP_PRINT_DEFAULT, NULL, NULL, 2, "kept_bytes=1023876", false},
    {"a type", mp_table_types, lisp_profile, MP_PRINT_DEFAULT, "type", "STRUCTURE", 0,
     "objects=120, kept=8, mean_size=6080/120", false},
    {"a class", mp_table_types, lisp_profile, MP_PRINT_DEFAULT, "type", "POINT", 0, "bytes_share=4800/24240", false},
    {"bytes without an object", mp_table_types, lisp_profile, MP_PRINT_DEFAULT, "type", "data of unknown owner", 0,
     "mean_size=2000", false},
    {"a leak", mp_table_leaks, pb_example, MP_PRINT_DEFAULT, NULL, NULL, 0,
     "allocs=5019, kept=5019, kept_share=1023876/1023876, frees=0_, "
     "chain=|| > main > make_red_widget > make_widget", false},
    {"objects that are kept", mp_table_leaks, lisp_profile, MP_PRINT_DEFAULT, NULL, NULL, 0,
     "kept=150, kept_share=2400/2912", false},
    {"a function that allocates", mp_table_direct, lisp_profile_with_c, MP_PRINT_DEFAULT, "function", "helper", 0,
     "bytes_share=5000/31740", false},
    {"survival", mp_table_survival, lisp_profile, MP_PRINT_DEFAULT, NULL, NULL, 0,
     "function=ecl_cons, chain=-, survived_0_share=550/1000, survived_1_share=100/1000, survived_2_share=200/1000, "
     "survived_4_share=100/1000, new=50, survived_bytes=6400, kept_bytes=2400", false},
    {"a site", mp_table_sites, lisp_profile, {.callers = 2}, "type", "LINE", 0,
     "bytes_share=1280/24240, objects=20, kept=8, kept_bytes=512, chain=alloc < ecl_interpret < ...", false},
    {"a function and what it calls", mp_table_flat, lisp_view, MP_PRINT_DEFAULT, "function", "main", 0,
     "bytes_share=2000/24240, within_share=24240/24240", true},
    {"a type in a function", mp_table_function_types, lisp_view, MP_PRINT_DEFAULT, "type", "POINT", 0,
     "bytes_share=4800/24240, objects=100, function=MAKE-SHAPES", true},
};

TEST_CASES(rows_have_values, rows)
{
    const bool whole = !rows[_i].view;
    struct mp_profile *profile = rows[_i].profile();
    struct made_table made = made_table(rows[_i].compute, (struct mp_table_request){
        .profile = profile, .options = &rows[_i].options, .lisp = whole && profile->n_kinds > 0, .raw = whole});

    row_must_be(&made, rows[_i].key ? made_table_row(&made, column_of(&made, rows[_i].key), rows[_i].text)
                                    : &made.table->rows[rows[_i].index], rows[_i].values);
    made_table_free(&made);
}

TEST(tables_have_as_many_rows_as_items)
{
    struct mp_profile *profile = pb_example();
    struct made_table bins = made_of(mp_table_bins, profile, &usual), leaks = made_of(mp_table_leaks, profile, &usual);

    ck_assert_uint_eq(bins.table->n_rows, 3);
    ck_assert_ptr_nonnull(bins.table->rows[1].values[0].text);          /* more than 1024 */
    ck_assert_int_eq(bins.table->rows[2].is, MP_ROW_TOTAL);
    made_table_free(&bins);
    ck_assert_uint_eq(leaks.table->n_rows, 1);
    ck_assert_uint_eq(leaks.table->left_out.n, 0);
    ck_assert(value_of(&leaks, leaks.table->rows, "peak_bytes")->blank);
    ck_assert_uint_lt(value_of(&leaks, leaks.table->rows, "chain")->number, profile->n_contexts);
    made_table_free(&leaks);
}

TEST(tables_of_lisp)
{
    struct mp_profile *profile = lisp_profile(), *both = lisp_profile_with_c();
    struct made_table kept = made_of(mp_table_leaks, profile, &usual);
    struct made_table survival = made_of(mp_table_survival, profile, &usual);
    struct made_table types = made_of(mp_table_types, profile, &usual);
    struct made_table direct = made_of(mp_table_direct, both, &usual);
    const struct mp_table_row *base = made_table_row(&types, column_of(&types, "type"), "STRUCTURE");
    const struct mp_table_row *helper = made_table_row(&direct, column_of(&direct, "function"), "helper");
    const struct mp_value *parts = value_of(&direct, helper, "bytes_parts");

    ck_assert_ptr_eq(kept.table->kind, &mp_table_kept_kind);
    ck_assert_uint_eq(survival.table->collections, 6);
    ck_assert_uint_eq(base->under, MP_NO_ID);
    ck_assert_uint_eq(made_table_row(&types, column_of(&types, "type"), "POINT")->under,
                      (uint32_t)(base - types.table->rows));
    ck_assert_uint_eq(direct.table->breakdown->n, 8);
    ck_assert_int_eq(direct.table->breakdown->letters[2], 'l');
    ck_assert_uint_eq(parts->parts[2], 5000);
    ck_assert_uint_eq(parts->whole, 24240 + 7500);
    ck_assert_uint_eq(parts->parts[0] + parts->parts[1] + parts->parts[3], 0);
    ck_assert_str_eq(both->functions[value_of(&direct, helper, "function")->number].text, "helper");
    made_table_free(&kept);
    made_table_free(&survival);
    made_table_free(&types);
    made_table_free(&direct);
}

TEST(classes_that_are_left_out_may_be_counted_with_their_type)
{
    struct mp_profile *profile = lisp_profile();

    /* The first rows are CONS, STRUCTURE, and the classes POINT and LINE of STRUCTURE. A class that is left out
     * although STRUCTURE is shown is counted in both. */
    for (unsigned most = 1; most <= 4; most++) {
        const struct mp_print_options wanted = {.verbosity = MP_VERBOSE, .most = most};
        struct made_table made = made_of(mp_table_types, profile, &wanted);

        ck_assert_uint_gt(made.table->left_out.n, 0);
        ck_assert_int_eq(made.table->left_out.overlaps, most == 2 || most == 3);
        made_table_free(&made);
    }
}

TEST(a_function_has_its_callers_and_callees_under_it)
{
    struct mp_profile *profile = pb_example();
    struct made_table made = made_table(mp_table_graph, (struct mp_table_request){
        .profile = profile, .options = &usual});
    const struct mp_table_row *self = NULL, *row;

    for (uint32_t i = 0; i < made.table->n_rows; i++)
        if (made.table->rows[i].under == MP_NO_ID &&
            strcmp(value_of(&made, &made.table->rows[i], "function")->text, "make_widget") == 0)
            self = &made.table->rows[i];
    ck_assert_ptr_nonnull(self);
    row_must_be(&made, self, "share=2040000/2040000, part=2040000/2040000");
    row = row_under(&made, self, "callers", "make_red_widget");
    ck_assert(row < self);
    ck_assert(!row->overlaps);
    row_must_be(&made, row, "part=1023876/2040000, called=5019");
    ck_assert_uint_eq(value_of(&made, row, "fractions")->parts[1], 1023876);
    row = row_under(&made, self, "callers", NULL);
    ck_assert_int_eq(row->is, MP_ROW_TOTAL);
    row_must_be(&made, row, "bytes=2040000");
    made_table_free(&made);
}

TEST(a_cycle_has_what_is_inside_under_it)
{
    struct mp_profile *profile = PROFILE_OF({"main;F;G;F;G", MP_KIND_SMALL, 1, 10, 0, 0});
    struct made_table made = made_of(mp_table_graph, profile, &usual);
    const struct mp_table_row *cycle = NULL, *row;

    for (uint32_t i = 0; i < made.table->n_rows; i++)
        if (value_of(&made, &made.table->rows[i], "members")->known)
            cycle = &made.table->rows[i];
    ck_assert_ptr_nonnull(cycle);
    ck_assert_uint_eq(cycle->under, MP_NO_ID);
    row_must_be(&made, cycle, "cycle=1, members=2, function=-, total=3");
    row_must_be(&made, row_under(&made, cycle, "allocators", "G"), "part=10/10");
    row_must_be(&made, row_under(&made, cycle, "innermost", "G"), "part=10/10");
    row_must_be(&made, row_under(&made, cycle, "members", "F"), "part=0/10");
    row = row_under(&made, cycle, "calls", "G");
    ck_assert(row->overlaps);
    row_must_be(&made, row, "callee=F, callee_index=2");
    made_table_free(&made);
}

/* Callees without a row of their own share a row, which counts them. */
TEST(small_callees_are_one_row)
{
    struct mp_profile *profile = PROFILE_OF({"main;big", MP_KIND_EXTRA, 1, 9979, 0, 0},
                                            {"main;a", MP_KIND_SMALL, 1, 7, 0, 0},
                                            {"main;b", MP_KIND_SMALL, 2, 14, 0, 0});
    struct made_table made = made_of(mp_table_graph, profile, &usual);
    const struct mp_table_row *row = &made.table->rows[2];

    ck_assert_int_eq(row->is, MP_ROW_REST);
    ck_assert_uint_eq(row->n, 2);
    ck_assert_uint_eq(row->under, 0);
    row_must_be(&made, row, "part=21/10000, called=3");
    ck_assert_uint_eq(made.table->left_out.n, 2);
    ck_assert_uint_eq(made.table->permille, 5);
    ck_assert(!made.table->full);
    made_table_free(&made);
}

/* ---------------------------------------------------------------- nothing is lost */

/* Rows that belong to no other row, with what is left out, add up to the total. */
static void
check_sum(const struct made_table *made)
{
    uint64_t sum = value_of(made, &made->table->left_out, "bytes")->number, total = UINT64_MAX, n = 0;

    for (uint32_t i = 0; i < made->table->n_rows; i++) {
        const struct mp_table_row *row = &made->table->rows[i];

        if (row->is == MP_ROW_TOTAL)
            total = value_of(made, row, "bytes")->number;
        else if (row->under == MP_NO_ID)
            sum += value_of(made, row, "bytes")->number, n++;
    }
    ck_assert_uint_gt(made->table->left_out.n, 0);
    ck_assert_msg(n == 1, "%s", made->table->kind->key);
    ck_assert_uint_eq(sum, total);
    ck_assert(made->table->full);
}

TEST(what_there_is_no_room_for_is_summed_up)
{
    static made_compute *const all[] = {mp_table_types, mp_table_direct, mp_table_survival,
                                            mp_table_sites, mp_table_function_types};
    const struct mp_print_options one = {.verbosity = MP_VERBOSE, .most = 1, .sites = 1};
    struct mp_profile *profile = lisp_profile();

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct made_table made = made_of(all[i], profile, &one);

        check_sum(&made);
        made_table_free(&made);
    }
}

TEST(the_threshold_is_said)
{
    const struct mp_print_options wanted = {.verbosity = MP_VERBOSE, .permille = 25};
    struct mp_profile *profile = PROFILE_OF({"main;big", MP_KIND_LARGE, 1, 976, 0, 0},
                                            {"main;small", MP_KIND_SMALL, 1, 24, 0, 0});
    struct made_table made = made_of(mp_table_direct, profile, &wanted);

    ck_assert_uint_eq(made.table->permille, 25);
    row_must_be(&made, &made.table->left_out, "bytes_share=24/1000");
    must_have(made_table_text(made), "\n1 function of less than 2.5 % left out: 24 bytes (2.4 %), 1 call\n");
}

TEST(a_table_without_rows_says_why)
{
    struct mp_profile *profile = pb_done(pb_new());

    for (size_t i = 0; i < mp_n_outputs; i++) {
        struct made_table made = made_of(mp_outputs[i].compute, profile, &usual);

        ck_assert_uint_eq(made.table->n_rows, 0);
        ck_assert_ptr_nonnull(made.table->nothing);
        ck_assert_int_eq(made.table->nothing[strlen(made.table->nothing) - 1], '.');
        made_table_free(&made);
    }
}

/* Fails the test if a number of ROW is 0 where text tables show it, although the profile only lacks the figure. */
static void
check_no_zero(const struct mp_table_kind *kind, const struct mp_table_row *row)
{
    for (size_t i = 0; i < kind->n_columns; i++) {
        const struct mp_table_column *column = &kind->columns[i];
        const struct mp_value *value = &row->values[i];

        if (column->unit == MP_UNIT_BYTES || column->unit == MP_UNIT_BLOCKS || column->unit == MP_UNIT_PERCENT)
            ck_assert_msg(!value->known || value->number > 0 || value->blank, "%s: %s", kind->key, column->key);
    }
}

TEST(what_is_unknown_is_no_zero)
{
    static const enum mp_sort sorts[] = {MP_SORT_BYTES, MP_SORT_PEAK, MP_SORT_TEMPORARY};
    struct mp_profile *profile = PROFILE_OF({"big", MP_KIND_LARGE, 0, 976, 0, 0}, {"less", MP_KIND_SMALL, 0, 24, 0, 0});
    struct mp_process_sums sums = {.bytes = 1000};
    struct mp_member member = {.sums = sums, .file = "file"};
    const struct mp_processes processes = {.list = &member, .n = 1};

    profile->meta.unknown = (1u << MP_FIGURES) - 1 - (1u << MP_FIGURE_BYTES);
    member.meta = profile->meta;
    profile->processes = &processes;
    for (uint32_t i = 0; i < profile->n_cells; i++) {   /* as readers of other tools' files leave them */
        profile->cells[i].counts = (struct mp_basic_counts){.bytes = profile->cells[i].counts.bytes};
        profile->cells[i].rest = NULL;
    }
    for (size_t i = 0; i < mp_n_outputs * sizeof sorts / sizeof *sorts; i++) {
        const struct mp_print_options options = {.verbosity = MP_VERBOSE, .sort = sorts[i / mp_n_outputs], .sites = 1};
        struct made_table made = made_of(mp_outputs[i % mp_n_outputs].compute, profile, &options);

        mp_table_forget(made.table, profile);
        for (uint32_t row = 0; row < made.table->n_rows; row++)
            if (made.table->rows[row].is != MP_ROW_REST)
                check_no_zero(made.table->kind, &made.table->rows[row]);
        made_table_free(&made);
    }
}
/* SPDX-License-Identifier: MIT */
