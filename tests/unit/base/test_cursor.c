#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/base/buffer.h"
#include "reporter/base/cursor.h"
#include "reporter/profile/profile.h"

static struct mp_cursor
cursor_of(const void *bytes, size_t size)
{
    struct mp_cursor cursor;

    mp_cursor_init(&cursor, bytes, size, 100);
    return cursor;
}

TEST(varints_go_round)
{
    static const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX,
                                      INT64_MAX, (uint64_t)1 << 63, UINT64_MAX};
    struct mp_buffer buffer = {0};
    struct mp_cursor cursor;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        mp_buffer_varint(&buffer, values[i]);
        mp_buffer_signed(&buffer, (int64_t)values[i]);
    }
    cursor = cursor_of(buffer.bytes, buffer.size);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        ck_assert_uint_eq(mp_cursor_varint(&cursor), values[i]);
        ck_assert_int_eq(mp_cursor_signed(&cursor), (int64_t)values[i]);
    }
    ck_assert_ptr_null(cursor.problem);
    ck_assert_uint_eq(mp_cursor_left(&cursor), 0);
    mp_buffer_free(&buffer);
}

TEST(zigzag_is_short_for_small_negative_numbers)
{
    struct mp_buffer buffer = {0};

    mp_buffer_signed(&buffer, -1);
    mp_buffer_signed(&buffer, -64);
    ck_assert_uint_eq(buffer.size, 2);
    ck_assert_mem_eq(buffer.bytes, "\x01\x7f", 2);
    mp_buffer_free(&buffer);
}

TEST(varint_of_65_bits_is_refused)
{
    struct mp_cursor cursor = cursor_of("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00", 11);

    ck_assert_uint_eq(mp_cursor_varint(&cursor), 0);
    ck_assert_int_eq(cursor.code, MP_ERR_DAMAGED);
    ck_assert_uint_eq(cursor.offset, 100);
}

TEST(varint_without_end_is_truncated)
{
    struct mp_cursor cursor = cursor_of("\x05\x80\x80", 3);

    ck_assert_uint_eq(mp_cursor_varint(&cursor), 5);
    ck_assert_uint_eq(mp_cursor_varint(&cursor), 0);
    ck_assert_int_eq(cursor.code, MP_ERR_TRUNCATED);
    ck_assert_uint_eq(cursor.offset, 101);
}

TEST(first_failure_stays)
{
    struct mp_cursor cursor = cursor_of("\x01\x02\x03\x04", 4);
    struct mp_error error;
    size_t length;

    ck_assert(mp_cursor_error(&cursor, "x.data", "cells", &error));
    mp_cursor_fail(&cursor, MP_ERR_DAMAGED, "first");
    mp_cursor_fail(&cursor, MP_ERR_TRUNCATED, "second");
    ck_assert_uint_eq(mp_cursor_u32(&cursor), 0);
    ck_assert_uint_eq(mp_cursor_varint(&cursor), 0);
    ck_assert_uint_eq(mp_cursor_left(&cursor), 0);
    ck_assert_ptr_null(mp_cursor_bytes(&cursor, 0));
    ck_assert_str_eq(mp_cursor_string(&cursor, &length), "");
    ck_assert(!mp_cursor_error(&cursor, "x.data", "cells", &error));
    ck_assert_int_eq(error.code, MP_ERR_DAMAGED);
    ck_assert_uint_eq(error.offset, 100);
    ck_assert_str_eq(error.text, "x.data: cells: first");
}

TEST(fixed_numbers_are_little_endian)
{
    struct mp_cursor cursor = cursor_of("\x01\x02\x03\x04\x08\x07\x06\x05\x04\x03\x02\x01", 12);

    ck_assert_uint_eq(mp_cursor_u32(&cursor), 0x04030201);
    ck_assert_uint_eq(mp_cursor_u64(&cursor), 0x0102030405060708);
    ck_assert_uint_eq(mp_cursor_u32(&cursor), 0);
    ck_assert_int_eq(cursor.code, MP_ERR_TRUNCATED);
}

TEST(count_beyond_what_follows_is_refused)
{
    struct mp_cursor fits = cursor_of("\x02" "abcdef", 7);
    struct mp_cursor beyond = cursor_of("\x02" "abcde", 6);

    ck_assert_uint_eq(mp_cursor_count(&fits, 3), 2);
    ck_assert_uint_eq(mp_cursor_count(&beyond, 3), 0);
    ck_assert_int_eq(beyond.code, MP_ERR_DAMAGED);
}

TEST(number_out_of_range_names_its_place)
{
    struct mp_cursor cursor = cursor_of("\x06\x07", 2);

    ck_assert_uint_eq(mp_cursor_below(&cursor, 7), 6);
    ck_assert_uint_eq(mp_cursor_below(&cursor, 7), 0);
    ck_assert_uint_eq(cursor.offset, 101);
}

TEST(number_of_33_bits_is_refused)
{
    struct mp_cursor cursor = cursor_of("\xff\xff\xff\xff\x0f\x80\x80\x80\x80\x10", 10);

    ck_assert_uint_eq(mp_cursor_varint32(&cursor), UINT32_MAX);
    ck_assert_uint_eq(mp_cursor_varint32(&cursor), 0);
    ck_assert_uint_eq(cursor.offset, 105);
}

TEST(references_go_round)
{
    static const uint32_t ids[] = {0, 5, MP_NO_ID, MP_NO_ID, 6, 6, 1};
    uint32_t previous = MP_NO_ID;
    struct mp_buffer buffer = {0};
    struct mp_cursor cursor;

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        mp_buffer_id(&buffer, &previous, ids[i]);
    cursor = cursor_of(buffer.bytes, buffer.size);
    previous = MP_NO_ID;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        ck_assert_uint_eq(previous = mp_cursor_id(&cursor, previous, 7, true), ids[i]);
    ck_assert_ptr_null(cursor.problem);
    mp_buffer_free(&buffer);
}

TEST(references_out_of_range_are_refused)
{
    struct mp_cursor above = cursor_of("\x0e", 1), none = cursor_of("\x01", 1);
    struct mp_cursor far = cursor_of("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10);

    mp_cursor_id(&above, 0, 7, true);
    ck_assert_ptr_nonnull(above.problem);
    mp_cursor_id(&none, 0, 7, false);
    ck_assert_ptr_nonnull(none.problem);
    mp_cursor_id(&far, 5, 7, true);
    ck_assert_ptr_nonnull(far.problem);
}

TEST(string_needs_its_end)
{
    struct mp_cursor cursor = cursor_of("ab\0cd", 5);
    size_t length;

    ck_assert_str_eq(mp_cursor_string(&cursor, &length), "ab");
    ck_assert_uint_eq(length, 2);
    ck_assert_str_eq(mp_cursor_string(&cursor, &length), "");
    ck_assert_int_eq(cursor.code, MP_ERR_TRUNCATED);
    ck_assert_uint_eq(cursor.offset, 103);
}
/* SPDX-License-Identifier: MIT */
