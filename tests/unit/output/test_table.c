/* The rows of the tables, as values: what every form in which they are written builds on. */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/profile/view.h"
#include "tests/unit/lisp_profile.h"
#include "tests/unit/made_table.h"
#include "tests/unit/profile_builder.h"

static const struct mp_print_options usual = MP_PRINT_DEFAULT;

/* ---------------------------------------------------------------- columns */

/* A name for programs: small letters, digits and MORE. */
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

/* Letters are not enough: of C and Lisp in one profile, s is small and structures. */
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

/* The column of that key. */
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
    const struct mp_value *value = &row->values[column_of(made, key)];

    ck_assert_msg(value->known, "%s is not known", key);
    return value;
}

static uint64_t
number_of(const struct made_table *made, const struct mp_table_row *row, const char *key)
{
    return value_of(made, row, key)->number;
}

static void
check_share(const struct made_table *made, const struct mp_table_row *row, const char *key,
            uint64_t part, uint64_t whole)
{
    ck_assert_uint_eq(number_of(made, row, key), part);
    ck_assert_uint_eq(value_of(made, row, key)->whole, whole);
}

/* Of those under row UNDER, the one in SECTION, of FUNCTION (NULL: any). */
static const struct mp_table_row *
row_under(const struct made_table *made, const struct mp_table_row *under, const char *section,
          const char *function)
{
    const struct mp_table *table = made->table;
    unsigned column = column_of(made, "function");

    for (uint32_t i = 0; i < table->n_rows; i++) {
        const struct mp_table_row *row = &table->rows[i];
        const char *name = row->values[column].text;

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

TEST(bins)
{
    struct mp_profile *profile = pb_example();
    struct made_table made = made_of(mp_table_bins, profile, &usual);
    const struct mp_table_row *rows = made.table->rows;

    ck_assert_uint_eq(made.table->n_rows, 3);
    ck_assert_uint_eq(number_of(&made, &rows[0], "size"), 204);
    ck_assert_uint_eq(number_of(&made, &rows[0], "allocs"), 10000);
    ck_assert_uint_eq(number_of(&made, &rows[0], "frees"), 4981);
    check_share(&made, &rows[0], "bytes_share", 2040000, 2040000);
    check_share(&made, &rows[0], "kept_share", 1023876, 1023876);
    ck_assert(!rows[0].values[column_of(&made, "types")].known);
    ck_assert(!rows[1].values[0].known && rows[1].values[0].text);      /* more than 1024 */
    ck_assert_int_eq(rows[2].is, MP_ROW_TOTAL);
    ck_assert_uint_eq(number_of(&made, &rows[2], "kept_bytes"), 1023876);
    made_table_free(&made);
}

TEST(types_have_their_classes_under_them)
{
    struct mp_profile *profile = lisp_profile();
    struct made_table made = made_of(mp_table_types, profile, &usual);
    unsigned type = column_of(&made, "type");
    const struct mp_table_row *base = made_table_row(&made, type, "STRUCTURE");
    const struct mp_table_row *class = made_table_row(&made, type, "POINT");

    ck_assert_uint_eq(base->under, MP_NO_ID);
    ck_assert_uint_eq(class->under, (uint32_t)(base - made.table->rows));
    ck_assert_uint_eq(number_of(&made, base, "objects"), 120);
    ck_assert_uint_eq(number_of(&made, base, "kept"), 8);
    check_share(&made, class, "bytes_share", 4800, 24240);
    check_share(&made, base, "mean_size", 6080, 120);
    ck_assert_uint_eq(value_of(&made, made_table_row(&made, type, "data of unknown owner"),
                               "mean_size")->whole, 0);
    made_table_free(&made);
}

TEST(classes_that_are_left_out_may_be_counted_with_their_type)
{
    struct mp_profile *profile = lisp_profile();

    /* CONS; and STRUCTURE; and POINT; and LINE: all the classes of a type that is shown. */
    for (unsigned most = 1; most <= 4; most++) {
        const struct mp_print_options wanted = {.verbosity = MP_VERBOSE, .most = most};
        struct made_table made = made_of(mp_table_types, profile, &wanted);

        ck_assert_uint_gt(made.table->left_out.n, 0);
        ck_assert_int_eq(made.table->left_out.overlaps, most == 2 || most == 3);
        made_table_free(&made);
    }
}

TEST(leaks)
{
    struct mp_profile *profile = pb_example();
    struct made_table made = made_of(mp_table_leaks, profile, &usual);
    const struct mp_table_row *row = made.table->rows;

    ck_assert_uint_eq(made.table->n_rows, 1);
    ck_assert_uint_eq(number_of(&made, row, "allocs"), 5019);
    ck_assert_uint_eq(number_of(&made, row, "kept"), 5019);
    check_share(&made, row, "kept_share", 1023876, 1023876);
    ck_assert_uint_eq(number_of(&made, row, "frees"), 0);
    ck_assert(value_of(&made, row, "frees")->blank);
    ck_assert(value_of(&made, row, "peak_bytes")->blank);
    ck_assert_str_eq(value_of(&made, row, "chain")->text,
                     "|| > main > make_red_widget > make_widget");
    ck_assert_uint_lt(number_of(&made, row, "chain"), profile->n_contexts);
    ck_assert_uint_eq(made.table->left_out.n, 0);
    made_table_free(&made);
}

TEST(kept_objects)
{
    struct mp_profile *profile = lisp_profile();
    struct made_table made = made_of(mp_table_leaks, profile, &usual);

    ck_assert_ptr_eq(made.table->kind, &mp_table_kept_kind);
    ck_assert_uint_eq(number_of(&made, &made.table->rows[0], "kept"), 150);
    check_share(&made, &made.table->rows[0], "kept_share", 2400, 2912);
    made_table_free(&made);
}

TEST(direct_allocation_in_parts)
{
    struct mp_profile *profile = lisp_profile_with_c();
    struct made_table made = made_of(mp_table_direct, profile, &usual);
    const struct mp_table_row *row =
        made_table_row(&made, column_of(&made, "function"), "helper");
    const struct mp_value *parts = value_of(&made, row, "bytes_parts");

    ck_assert_uint_eq(made.table->breakdown->n, 8);
    ck_assert_int_eq(made.table->breakdown->letters[2], 'l');
    ck_assert_uint_eq(parts->parts[2], 5000);
    ck_assert_uint_eq(parts->whole, 24240 + 7500);
    ck_assert_uint_eq(parts->parts[0] + parts->parts[1] + parts->parts[3], 0);
    check_share(&made, row, "bytes_share", 5000, 24240 + 7500);
    ck_assert_str_eq(profile->functions[number_of(&made, row, "function")].name, "helper");
    made_table_free(&made);
}

TEST(a_function_has_its_callers_and_callees_under_it)
{
    struct mp_profile *profile = pb_example();
    struct made_table made = made_table(mp_table_graph, (struct mp_table_request){
        .profile = profile, .options = &usual});
    const struct mp_table_row *self = NULL, *row;

    for (uint32_t i = 0; i < made.table->n_rows; i++)
        if (made.table->rows[i].under == MP_NO_ID &&
            strcmp(made.table->rows[i].values[column_of(&made, "function")].text,
                   "make_widget") == 0)
            self = &made.table->rows[i];
    ck_assert_ptr_nonnull(self);
    check_share(&made, self, "share", 2040000, 2040000);
    check_share(&made, self, "part", 2040000, 2040000);
    row = row_under(&made, self, "callers", "make_red_widget");
    ck_assert(row < self);
    ck_assert(!row->overlaps);
    check_share(&made, row, "part", 1023876, 2040000);
    ck_assert_uint_eq(number_of(&made, row, "called"), 5019);
    ck_assert_uint_eq(value_of(&made, row, "fractions")->parts[1], 1023876);
    row = row_under(&made, self, "callers", NULL);
    ck_assert_int_eq(row->is, MP_ROW_TOTAL);
    ck_assert_uint_eq(number_of(&made, row, "bytes"), 2040000);
    made_table_free(&made);
}

TEST(a_cycle_has_what_is_inside_under_it)
{
    struct made_table made;
    const struct mp_table_row *cycle = NULL, *row;
    struct mp_profile *profile = PROFILE_OF({"main;F;G;F;G", MP_KIND_SMALL, 1, 10, 0, 0});

    made = made_of(mp_table_graph, profile, &usual);
    for (uint32_t i = 0; i < made.table->n_rows; i++)
        if (made.table->rows[i].values[column_of(&made, "members")].known)
            cycle = &made.table->rows[i];
    ck_assert_ptr_nonnull(cycle);
    ck_assert_uint_eq(cycle->under, MP_NO_ID);
    ck_assert_uint_eq(number_of(&made, cycle, "cycle"), 1);
    ck_assert_uint_eq(number_of(&made, cycle, "members"), 2);
    ck_assert(!cycle->values[column_of(&made, "function")].known);
    ck_assert_uint_eq(number_of(&made, cycle, "total"), 3);
    check_share(&made, row_under(&made, cycle, "allocators", "G"), "part", 10, 10);
    check_share(&made, row_under(&made, cycle, "innermost", "G"), "part", 10, 10);
    check_share(&made, row_under(&made, cycle, "members", "F"), "part", 0, 10);
    row = row_under(&made, cycle, "calls", "G");
    ck_assert(row->overlaps);
    ck_assert_str_eq(value_of(&made, row, "callee")->text, "F");
    ck_assert_uint_eq(number_of(&made, row, "callee_index"), 2);
    made_table_free(&made);
}

/* What has no row of its own is in a row that says how many it stands for. */
TEST(small_callees_are_one_row)
{
    struct made_table made;
    const struct mp_table_row *row;
    struct mp_profile *profile = PROFILE_OF({"main;big", MP_KIND_EXTRA, 1, 9979, 0, 0},
                                            {"main;a", MP_KIND_SMALL, 1, 7, 0, 0},
                                            {"main;b", MP_KIND_SMALL, 2, 14, 0, 0});

    made = made_of(mp_table_graph, profile, &usual);
    row = &made.table->rows[2];
    ck_assert_int_eq(row->is, MP_ROW_REST);
    ck_assert_uint_eq(row->n, 2);
    ck_assert_uint_eq(row->under, 0);
    check_share(&made, row, "part", 21, 10000);
    ck_assert_uint_eq(number_of(&made, row, "called"), 3);
    ck_assert_uint_eq(made.table->left_out.n, 2);
    ck_assert_uint_eq(made.table->permille, 5);
    ck_assert(!made.table->full);
    made_table_free(&made);
}

TEST(survival)
{
    struct mp_profile *profile = lisp_profile();
    struct made_table made = made_of(mp_table_survival, profile, &usual);
    const struct mp_table_row *row = &made.table->rows[0];

    ck_assert_uint_eq(made.table->collections, 6);
    ck_assert_str_eq(value_of(&made, row, "function")->text, "ecl_cons");
    ck_assert(!row->values[column_of(&made, "chain")].known);
    check_share(&made, row, "survived_0_share", 550, 1000);
    check_share(&made, row, "survived_1_share", 100, 1000);
    check_share(&made, row, "survived_2_share", 200, 1000);
    check_share(&made, row, "survived_4_share", 100, 1000);
    ck_assert_uint_eq(number_of(&made, row, "new"), 50);
    ck_assert_uint_eq(number_of(&made, row, "survived_bytes"), 6400);
    ck_assert_uint_eq(number_of(&made, row, "kept_bytes"), 2400);
    made_table_free(&made);
}

TEST(sites)
{
    struct mp_profile *profile = lisp_profile();
    const struct mp_print_options two = {.callers = 2};
    struct made_table made = made_of(mp_table_sites, profile, &two);
    const struct mp_table_row *row = made_table_row(&made, column_of(&made, "type"), "LINE");

    check_share(&made, row, "bytes_share", 1280, 24240);
    ck_assert_uint_eq(number_of(&made, row, "objects"), 20);
    ck_assert_uint_eq(number_of(&made, row, "kept"), 8);
    ck_assert_uint_eq(number_of(&made, row, "kept_bytes"), 512);
    ck_assert_str_eq(value_of(&made, row, "chain")->text, "alloc < ecl_interpret < ...");
    made_table_free(&made);
}

TEST(functions_and_types)
{
    const struct mp_view_options lisp = {.frames = MP_FRAMES_LISP, .lisp_only = true};
    struct mp_profile *profile = lisp_profile(), *view = mp_view(profile, &lisp, NULL);
    const struct mp_table_request request = {.profile = view, .options = &usual};
    struct made_table flat = made_table(mp_table_flat, request);
    struct made_table types = made_table(mp_table_function_types, request);
    const struct mp_table_row *row;

    row = made_table_row(&flat, column_of(&flat, "function"), "main");
    check_share(&flat, row, "bytes_share", 2000, 24240);
    check_share(&flat, row, "within_share", 24240, 24240);
    row = made_table_row(&types, column_of(&types, "type"), "POINT");
    check_share(&types, row, "bytes_share", 4800, 24240);
    ck_assert_uint_eq(number_of(&types, row, "objects"), 100);
    ck_assert_str_eq(value_of(&types, row, "function")->text, "MAKE-SHAPES");
    made_table_free(&flat);
    made_table_free(&types);
    mp_profile_free(view);
}

/* ---------------------------------------------------------------- nothing is lost */

/* Rows that belong to no other row, with what is left out, add up to the total. */
static void
check_sum(const struct made_table *made)
{
    uint64_t sum = number_of(made, &made->table->left_out, "bytes"), total = UINT64_MAX, n = 0;

    for (uint32_t i = 0; i < made->table->n_rows; i++) {
        const struct mp_table_row *row = &made->table->rows[i];

        if (row->is == MP_ROW_TOTAL)
            total = number_of(made, row, "bytes");
        else if (row->under == MP_NO_ID)
            sum += number_of(made, row, "bytes"), n++;
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
    struct made_table made;
    char *text;
    struct mp_profile *profile = PROFILE_OF({"main;big", MP_KIND_LARGE, 1, 976, 0, 0},
                                            {"main;small", MP_KIND_SMALL, 1, 24, 0, 0});

    made = made_of(mp_table_direct, profile, &wanted);
    ck_assert_uint_eq(made.table->permille, 25);
    check_share(&made, &made.table->left_out, "bytes_share", 24, 1000);
    text = made_table_text(made);
    ck_assert_ptr_nonnull(strstr(text, "\n1 function of less than 2.5 % left out: 24 bytes (2.4 %), "
                                       "1 call\n"));
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
