#include "tests/unit/tap.h"

#include "reporter/base/format_number.h"

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

TEST(percents_are_whole_and_never_too_large)
{
    char text[MP_NUMBER_SIZE];

    ck_assert_uint_eq(mp_number_share(999, 1000), 99);
    ck_assert_uint_eq(mp_number_share(1000, 1000), 100);
    ck_assert_uint_eq(mp_number_share(9, 1000), 0);
    ck_assert_uint_eq(mp_number_share(5, 0), 0);
    ck_assert_uint_eq(mp_number_share(UINT64_MAX - 1, UINT64_MAX), 99);
    ck_assert_str_eq(mp_number_tenths(3999, 10000, text), "39.9");
    ck_assert_str_eq(mp_number_tenths(3989, 10000, text), "39.9");
    ck_assert_str_eq(mp_number_tenths(3986, 10000, text), "39.9");
    ck_assert_str_eq(mp_number_tenths(UINT64_MAX - 1, UINT64_MAX, text), "99.9");
    ck_assert_str_eq(mp_number_tenths(3, 2, text), "150.0");
    ck_assert_str_eq(mp_number_tenths(3, 0, text), "0.0");
}
