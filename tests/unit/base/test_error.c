#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/base/error.h"

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
