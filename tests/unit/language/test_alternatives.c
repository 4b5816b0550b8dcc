#include "tests/unit/tap.h"

#include <string.h>

#include "runtime/language/alternatives.h"

/* Returns the alternatives of NAMES, each of which ends with a comma. An empty name is unknown. */
static const char *
joined(const char *names)
{
    struct mp_alternatives alternatives = { .shown = 0 };
    static char room[2048];

    for (const char *comma; (comma = strchr(names, ',')) != NULL; names = comma + 1) {
        char name[600] = "";

        memcpy(name, names, (size_t)(comma - names));
        mp_alternatives_add(&alternatives, name);
    }
    mp_alternatives_join(&alternatives, room, sizeof room);
    return room;
}

TEST(names_are_in_their_order)
{
    ck_assert_str_eq(joined(""), "");
    ck_assert_str_eq(joined("A,"), "A");
    ck_assert_str_eq(joined("B,A,"), "A or B");
    ck_assert_str_eq(joined("B,A,B,A,"), "A or B");
    ck_assert_str_eq(joined("C,A,B,"), "A or B or C");
}

TEST(more_than_three_are_counted)
{
    ck_assert_str_eq(joined("D,A,C,B,"), "A or B or C or 1 more");
    ck_assert_str_eq(joined("E,D,C,B,A,F,"), "A or B or C or 3 more");
    ck_assert_str_eq(joined("A,B,C,A,B,C,"), "A or B or C");
}

TEST(unknown_ones_are_counted)
{
    ck_assert_str_eq(joined("A,,"), "A or 1 more");
    ck_assert_str_eq(joined(",,"), "");
}

TEST(what_has_no_room_is_counted)
{
    struct mp_alternatives alternatives = { .shown = 0 };
    char name[MP_ALTERNATIVE_SIZE + 1] = "", room[40];

    memset(name, 'x', MP_ALTERNATIVE_SIZE);
    mp_alternatives_add(&alternatives, name);
    mp_alternatives_add(&alternatives, "ABC");
    mp_alternatives_add(&alternatives, "DEFGHIJKLMNOPQR");
    mp_alternatives_join(&alternatives, room, sizeof room);
    ck_assert_str_eq(room, "ABC or 2 more");
}
/* SPDX-License-Identifier: MIT */
