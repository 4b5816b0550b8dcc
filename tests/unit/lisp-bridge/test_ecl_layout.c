/* Checks that the bridge knows the layout of the installed ECL. */
#include "tests/unit/tap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ecl_layout.h"
#include "lisp-bridge/objects.h"
#include "lisp-bridge/member_places.h"
#include "runtime/ecl_c_name.h"

/* Returns the offset of the member NAME according to ECL's headers. */
static long long
their_place(const char *name)
{
    size_t i = 0;

    while (i < layout_n_members && strcmp(layout_members[i].what, name) != 0)
        i++;
    ck_assert_msg(i < layout_n_members, "%s is not compared", name);
    return layout_members[i].value;
}

static void
is_place(const char *name, uint16_t place)
{
    ck_assert_msg(place == their_place(name), "%s is %u in places.h, %lld in ECL", name, place, their_place(name));
}
#define IS_PLACE(member) is_place(#member, at.member)

TEST(places_follow_from_sizes)
{
    struct mp_ecl_layout at;

    ck_assert(mp_places_of_symbols(&at, layout_symbol_size));
    ck_assert(mp_places_of_bytecodes(&at, layout_bytecodes_size));
    ck_assert(at.symbol_whole);
    ck_assert(at.bytecodes_whole);
    IS_PLACE(symbol_macfun);
    IS_PLACE(symbol_setf);
    IS_PLACE(symbol_plist);
    IS_PLACE(symbol_name);
    IS_PLACE(symbol_cname);
    IS_PLACE(symbol_hpack);
    IS_PLACE(symbol_binding);
    IS_PLACE(bytecodes_flex);
    IS_PLACE(bytecodes_file);
    IS_PLACE(bytecodes_file_position);
}

TEST(other_sizes)
{
    struct mp_ecl_layout at;

    for (size_t size = 0; size < 64; size++)
        ck_assert(!mp_places_of_symbols(&at, size));
    ck_assert(!mp_places_of_symbols(&at, 65));
    ck_assert(!mp_places_of_symbols(&at, 256));
    ck_assert(mp_places_of_symbols(&at, 96));
    ck_assert(!at.symbol_whole);
    ck_assert_uint_eq(at.symbol_macfun, 0);
    ck_assert_uint_eq(at.symbol_setf, 0);
    ck_assert(!mp_places_of_bytecodes(&at, sizeof(struct ecl_bytecodes) - 1));
    ck_assert(mp_places_of_bytecodes(&at, 96));
    ck_assert(!at.bytecodes_whole);
    ck_assert_uint_eq(at.bytecodes_file, 0);
}

TEST(environment_has_a_column)
{
    struct mp_ecl_layout at;
    size_t i = 0;

    while (mp_places_of_environment(&at, i) && at.env_own_process != their_place("env_own_process"))
        i++;
    ck_assert_msg(mp_places_of_environment(&at, i), "lisp-bridge/environments.def has no column for this ECL");
#define MEMBER(name, ...) IS_PLACE(name);
#include "lisp-bridge/environments.def"
#undef MEMBER
}

TEST(has_what_is_looked_for)
{
    ptrdiff_t slots[4];

    ck_assert_uint_lt(layout_process_env / sizeof(void *), MP_PROCESS_WORDS);
    ck_assert_uint_le(layout_frame, MP_FRS_FRAME);
    ck_assert_uint_ge(layout_ihs_index, sizeof(struct ecl_ihs_frame));
    ck_assert_uint_lt(layout_ihs_index, MP_IHS_WORDS * sizeof(void *));
    layout_class_slots(slots);
    ck_assert_int_eq(slots[0], MP_CLASS_NAME);
    ck_assert_int_eq(slots[1], MP_CLASS_SUPERIORS);
    ck_assert_int_eq(slots[2], MP_CLASS_INFERIORS);
    ck_assert_int_eq(slots[3], MP_CLASS_SLOTS);
}

TEST(is_laid_out_so)
{
    ck_assert_uint_eq(layout_n_ours, layout_n_theirs);
    for (size_t i = 0; i < layout_n_ours; i++)
        ck_assert_msg(layout_ours[i].value == layout_theirs[i].value,
                      "%s is %lld in objects.h, %lld in ECL", layout_ours[i].what,
                      (long long)layout_ours[i].value, (long long)layout_theirs[i].value);
}

TEST(entries_have_bodies)
{
    static const struct { const char *entry, *body; bool is; } cases[] = {
        {"L1foo_va", "L1foo", true}, {"L1foo_va", "L1foo.isra.0", true}, {"L1foo_va", "L1foo.constprop.0.isra.0", true},
        {"L1foo_va", "L1foo.cold", false}, {"L1foo_va", "L1foo_va", false}, {"L1foo_va", "L1fo", false},
        {"L1foo", "L1foo", false}, {"L12foo_va", "L1foo", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(mp_ecl_is_entry_of(cases[i].entry, cases[i].body) == cases[i].is, "%s", cases[i].body);
}
/* SPDX-License-Identifier: MIT */
