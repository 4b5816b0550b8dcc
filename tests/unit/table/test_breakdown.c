#include "tests/unit/tap.h"

#include "reporter/table/breakdown.h"
#include "reporter/table/print.h"
#include "runtime/sizeclass.h"

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

TEST(thresholds_include_their_bound)
{
    static const struct {
        enum mp_verbosity verbosity;
        unsigned permille;      /* 0 for the threshold of the verbosity */
        uint64_t part, whole;
        bool shown;
    } cases[] = {{MP_NORMAL, 0, 5, 1000, true}, {MP_NORMAL, 0, 4, 1000, false}, {MP_TERSE, 0, 10, 1000, true},
                 {MP_TERSE, 0, 9, 1000, false}, {MP_VERBOSE, 0, 0, 1000, true},
                 {MP_NORMAL, 0, UINT64_MAX, UINT64_MAX, true}, {MP_VERBOSE, 25, 25, 1000, true},
                 {MP_VERBOSE, 25, 24, 1000, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mp_print_options options = {.verbosity = cases[i].verbosity, .permille = cases[i].permille};

        ck_assert_int_eq(mp_print_shows(&options, cases[i].part, cases[i].whole), cases[i].shown);
        ck_assert(!cases[i].permille || mp_print_threshold(&options) == cases[i].permille);
    }
}
/* SPDX-License-Identifier: MIT */
