/* How texts, numbers and errors are shown. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/base/error.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "tests/unit/profile_builder.h"

TEST(one_behind_the_other)
{
    char text[16];
    const char *const end = text + sizeof text;
    char *to = mp_text_put(text, end, "a");

    ck_assert_ptr_eq(to, text + 1);
    to = mp_text_put(to, end, "");
    to = mp_text_put_hex(to, end, (const uint8_t[]){0x00, 0x9f, 0xfe}, 3);
    to = mp_text_put(to, end, "z");
    ck_assert_str_eq(text, "a009ffez");
    ck_assert_ptr_eq(to, text + 8);
}

TEST(cut_before_the_end)
{
    char text[8];

    memset(text, '#', sizeof text);
    ck_assert_ptr_eq(mp_text_put(text, text + 4, "abc"), text + 3);
    ck_assert_str_eq(text, "abc");
    ck_assert_ptr_eq(mp_text_put(text, text + 4, "vwxyz"), text + 3);
    ck_assert_str_eq(text, "vwx");
    ck_assert_ptr_eq(mp_text_put(text + 3, text + 4, "vwxyz"), text + 3);
    ck_assert_ptr_eq(mp_text_put_hex(text, text + 4, (const uint8_t[]){1, 2}, 2), text + 2);
    ck_assert_str_eq(text, "01");
    ck_assert_int_eq(text[4], '#');
}

/* Control characters and invalid UTF-8 are escaped. */
TEST(texts_are_cleaned)
{
    static const char *const texts[][2] = {
        {"a\x1b[31mb\n\x7f", "a\\x1b[31mb\\x0a\\x7f"},
        {"c1 \xc2\x9b" "31m", "c1 \\xc2\\x9b31m"},
        {"Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x90\x84",
         "Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x90\x84"},
        {"\xff.\xc3", "\\xff.\\xc3"},
        {"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
        {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
        {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the end */
        {"\xe2\x82", "\\xe2\\x82"},
    };
    struct mp_arena *arena = keep_arena();

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_str_eq(mp_text_clean(arena, texts[i][0], strlen(texts[i][0])), texts[i][1]);
        ck_assert_str_eq(mp_text_clean(arena, texts[i][1], strlen(texts[i][1])), texts[i][1]);
    }
}

TEST(basename_is_the_last_component)
{
    ck_assert_str_eq(mp_text_basename("/usr/lib/libfoo.so.1"), "libfoo.so.1");
    ck_assert_str_eq(mp_text_basename("[vdso]"), "[vdso]");
}

TEST(numbers_are_grouped)
{
    char text[MP_NUMBER_SIZE];

    ck_assert_str_eq(mp_number_grouped(0, text), "0");
    ck_assert_str_eq(mp_number_grouped(999, text), "999");
    ck_assert_str_eq(mp_number_grouped(1000, text), "1,000");
    ck_assert_str_eq(mp_number_grouped(1234567, text), "1,234,567");
    ck_assert_str_eq(mp_number_grouped(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

TEST(bytes_have_units)
{
    char text[MP_NUMBER_SIZE];

    ck_assert_str_eq(mp_number_bytes(999, text), "999 B");
    ck_assert_str_eq(mp_number_bytes(1000, text), "1.0 kB");
    ck_assert_str_eq(mp_number_bytes(1023876, text), "1.0 MB");
    ck_assert_str_eq(mp_number_bytes(999960, text), "1.0 MB");
    ck_assert_str_eq(mp_number_bytes(UINT64_MAX, text), "18.4 EB");
}

TEST(percents_are_rounded_and_100_means_all)
{
    static const struct {
        uint64_t part, whole;
        unsigned percent, down;
    } shares[] = {{999, 1000, 99, 99}, {1000, 1000, 100, 100}, {9, 1000, 1, 0}, {4, 1000, 0, 0}, {5, 0, 0, 0},
                  {0, 0, 0, 0}, {1098, 10000, 11, 10}, {1049, 10000, 10, 10}, {1016124, 2040000, 50, 49},
                  {999999, 1000000, 99, 99}, {7, 7, 100, 100}, {9, 3, 100, 100}, {1, UINT64_MAX, 0, 0},
                  {UINT64_MAX, UINT64_MAX, 100, 100}, {UINT64_MAX - 1, UINT64_MAX, 99, 99},
                  {UINT64_MAX / 4 * 3, UINT64_MAX, 75, 74}};
    char text[MP_NUMBER_SIZE];

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        ck_assert_uint_eq(mp_number_share(shares[i].part, shares[i].whole), shares[i].percent);
        ck_assert_uint_eq(mp_number_share_down(shares[i].part, shares[i].whole), shares[i].down);
    }
    ck_assert_str_eq(mp_number_tenths(3999, 10000, text), "40.0");
    ck_assert_str_eq(mp_number_tenths(3989, 10000, text), "39.9");
    ck_assert_str_eq(mp_number_tenths(3986, 10000, text), "39.9");
    ck_assert_str_eq(mp_number_tenths(UINT64_MAX - 1, UINT64_MAX, text), "99.9");
    ck_assert_str_eq(mp_number_tenths(3, 2, text), "150.0");
    ck_assert_str_eq(mp_number_tenths(3, 0, text), "0.0");
}

TEST(fills_and_returns_false)
{
    struct mp_error error;

    ck_assert(!mp_fail(&error, MP_ERR_DAMAGED, 42, "%s: cell %d", "x.data", 7));
    ck_assert_int_eq(error.code, MP_ERR_DAMAGED);
    ck_assert_uint_eq(error.offset, 42);
    ck_assert_str_eq(error.text, "x.data: cell 7");
}

TEST(every_code_has_a_text)
{
    for (int code = MP_ERR_NONE; code <= MP_ERR_PROGRAM; code++)
        ck_assert_str_ne(mp_error_string((enum mp_error_code)code), "unknown error");
    ck_assert_str_eq(mp_error_string((enum mp_error_code)999), "unknown error");
}
/* SPDX-License-Identifier: MIT */
