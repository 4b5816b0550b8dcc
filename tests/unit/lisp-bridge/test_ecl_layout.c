/* Checks that the bridge knows the layout of the installed ECL. */
#include "tests/unit/tap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ecl_layout.h"
#include "lisp-bridge/objects.h"
#include "runtime/ecl_c_name.h"

static const char *const builds[] = {
#define BUILDS(...) __VA_ARGS__
#define MEMBER(name, ...)
#include "lisp-bridge/layout.def"
#undef BUILDS
#undef MEMBER
};
#define N_BUILDS (sizeof builds / sizeof *builds)

static const struct {
    const char *name;
    int64_t offsets[N_BUILDS];
} members[] = {
#define BUILDS(...)
#define MEMBER(name, ...) { #name, { __VA_ARGS__ } },
#include "lisp-bridge/layout.def"
#undef BUILDS
#undef MEMBER
};
#define N_MEMBERS (sizeof members / sizeof *members)

/* Returns the index of the first member of layout.def whose value for BUILD differs from the installed ECL. Returns
 * N_MEMBERS if all values are equal. */
static size_t
first_difference(size_t build)
{
    size_t i = 0;

    while (i < N_MEMBERS && members[i].offsets[build] == layout_members[i].value)
        i++;
    return i;
}

TEST(is_a_known_build)
{
    size_t most = 0;

    ck_assert_uint_eq(layout_n_members, N_MEMBERS);
    for (size_t i = 0; i < N_MEMBERS; i++)
        ck_assert_str_eq(members[i].name, layout_members[i].what);
    for (size_t i = 0; i < N_BUILDS; i++)
        most = first_difference(i) > most ? first_difference(i) : most;
    ck_assert_msg(most == N_MEMBERS, "lisp-bridge/layout.def has no such build: %s",
                  most < N_MEMBERS ? members[most].name : "");
}

/* layout.c distinguishes the builds by the first two members of layout.def. */
TEST(builds_answer_differently)
{
    for (size_t i = 0; i < N_BUILDS; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert(members[0].offsets[i] != members[0].offsets[j] ||
                      members[1].offsets[i] != members[1].offsets[j]);
    ck_assert_str_eq(members[0].name, "core_size");
    ck_assert_str_eq(members[1].name, "symbol_size");
}

TEST(has_what_is_looked_for)
{
    ptrdiff_t slots[4];

    ck_assert_uint_lt(layout_process_env / sizeof(void *), MP_PROCESS_WORDS);
    ck_assert_uint_le(layout_frame, MP_FRS_FRAME);
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
