#include "tests/unit/tap.h"

#include "reporter/base/format_number.h"
#include "reporter/output/breakdown.h"
#include "reporter/output/print.h"
#include "runtime/sizeclass.h"

TEST(percent_is_rounded_down_and_100_means_all)
{
    ck_assert_uint_eq(mp_number_share(1016124, 2040000), 49);
    ck_assert_uint_eq(mp_number_share(999999, 1000000), 99);
    ck_assert_uint_eq(mp_number_share(7, 7), 100);
    ck_assert_uint_eq(mp_number_share(0, 0), 0);
}

TEST(percent_of_the_largest_numbers)
{
    ck_assert_uint_eq(mp_number_share(UINT64_MAX, UINT64_MAX), 100);
    ck_assert_uint_eq(mp_number_share(UINT64_MAX - 1, UINT64_MAX), 99);
    ck_assert_uint_eq(mp_number_share(UINT64_MAX / 4 * 3, UINT64_MAX), 74);
    ck_assert_uint_eq(mp_number_share(1, UINT64_MAX), 0);
    ck_assert_uint_eq(mp_number_share(9, 3), 100);
}

TEST(cells_are_blank_under_one_percent)
{
    const uint64_t parts[MP_COLUMNS] = { 9, 10, 981, 0 };
    char text[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_cells(&mp_breakdown_c, parts, 1000, text);
    ck_assert_str_eq(text, "       1  98    ");
}

TEST(cells_have_room_for_100)
{
    const uint64_t parts[MP_COLUMNS] = { 5, 5, 5, 5 };
    char text[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_cells(&mp_breakdown_c, parts, 5, text);
    ck_assert_str_eq(text, " 100 100 100 100");
}

TEST(a_style_has_its_own_letters_and_kinds)
{
    static const uint8_t columns[] = { 0, 1, 2, 2 };
    const struct mp_breakdown_style lisp = {
        .lisp = true, .n = 4, .letters = { 'c', 'f', 's', 'o' }, .first_kind = MP_KIND_LISP,
        .n_kinds = 4, .columns = columns, .other = 3
    };
    char text[MP_BREAKDOWN_WIDTH + 1];

    mp_breakdown_heads(&lisp, text);
    ck_assert_str_eq(text, "   c   f   s   o");
    ck_assert_uint_eq(mp_breakdown_column(&lisp, MP_KIND_LISP), 0);
    ck_assert_uint_eq(mp_breakdown_column(&lisp, MP_KIND_LISP + 3), 2);
    ck_assert_uint_eq(mp_breakdown_column(&lisp, MP_KIND_LISP + 4), 3);
    ck_assert_uint_eq(mp_breakdown_column(&lisp, MP_KIND_SMALL), 3);
    ck_assert_uint_eq(mp_breakdown_column(&mp_breakdown_c, MP_KIND_LARGE), 2);
    ck_assert_uint_eq(mp_breakdown_column(&mp_breakdown_c, UINT32_MAX), 3);
}

static bool
shows(enum mp_verbosity verbosity, uint64_t part, uint64_t whole)
{
    const struct mp_print_options options = { .verbosity = verbosity };

    return mp_print_shows(&options, part, whole);
}

TEST(thresholds_include_their_bound)
{
    ck_assert(shows(MP_NORMAL, 5, 1000));
    ck_assert(!shows(MP_NORMAL, 4, 1000));
    ck_assert(shows(MP_TERSE, 10, 1000));
    ck_assert(!shows(MP_TERSE, 9, 1000));
    ck_assert(shows(MP_VERBOSE, 0, 1000));
    ck_assert(shows(MP_NORMAL, UINT64_MAX, UINT64_MAX));
}

TEST(a_threshold_may_be_given)
{
    const struct mp_print_options options = { .verbosity = MP_VERBOSE, .permille = 25 };

    ck_assert(mp_print_shows(&options, 25, 1000));
    ck_assert(!mp_print_shows(&options, 24, 1000));
    ck_assert_uint_eq(mp_print_threshold(&options), 25);
}
