/* Texts put one behind the other: whole where there is room, cut where there is none, never beyond the end. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/base/text.h"

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
