/* Moments are found by the names that users type. */
#include <check.h>
#include <string.h>

#include "reporter/base/map.h"
#include "reporter/view/moment_names.h"
#include "runtime/format.h"
#include "tests/unit/tap.h"

static struct mp_moment moments[] = {
    {.kind = MP_MOMENT_START, .name = ""},
    {.kind = MP_MOMENT_CHECKPOINT, .name = "load"},
    {.kind = MP_MOMENT_COLLECTION, .name = "full"},
    {.kind = MP_MOMENT_CHECKPOINT, .name = "step #2"},
    {.kind = MP_MOMENT_CHECKPOINT, .name = "load"},
    {.kind = MP_MOMENT_CHECKPOINT, .name = "1.5s"},
};
static const struct mp_timeline line = {.moments = moments,
                                        .n_moments = sizeof moments / sizeof *moments};

TEST(checkpoints_have_names_and_numbers)
{
    static const struct {
        const char *text;
        uint32_t moment;
    } known[] = {
        {"load", 1},  {"load#1", 1}, {"load#2", 4}, {"load#3", MP_NO_ID}, {"#1", 1},      {"#2", 3},
        {"#4", 5},    {"#5", MP_NO_ID}, {"#0", MP_NO_ID}, {"#", MP_NO_ID}, {"#-1", MP_NO_ID},
        {"step #2", 3}, {"step #2#1", 3}, {"full", MP_NO_ID}, {"", MP_NO_ID}, {"1.5s", 5}, {"loa", MP_NO_ID},
        {"#99999999999999999999", MP_NO_ID},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_msg(mp_moment_named(&line, known[i].text) == known[i].moment, "%s", known[i].text);
        ck_assert_uint_eq(mp_moment_named(NULL, known[i].text), MP_NO_ID);
    }
}

/* The monitor keeps the first 256 bytes of a name, without a part of a character at the end. */
TEST(a_name_is_found_that_was_cut)
{
    char kept[MP_MARK_NAME + 1], whole[301];
    struct mp_moment cut[] = {{.kind = MP_MOMENT_CHECKPOINT, .name = kept}};
    const struct mp_timeline of_cut = {.moments = cut, .n_moments = 1};

    memset(whole, 'x', sizeof whole - 1);
    whole[300] = '\0';
    for (size_t length = MP_MARK_NAME - 3; length <= MP_MARK_NAME; length++) {
        memcpy(kept, whole, length);
        kept[length] = '\0';
        ck_assert_uint_eq(mp_moment_named(&of_cut, whole), 0);
        ck_assert_uint_eq(mp_moment_named(&of_cut, kept), 0);
        ck_assert_uint_eq(mp_moment_named(&of_cut, whole + 100), MP_NO_ID);
    }
    kept[100] = '\0';
    ck_assert_uint_eq(mp_moment_named(&of_cut, whole), MP_NO_ID);
}

TEST(some_names_are_of_every_recording)
{
    ck_assert(mp_moment_is_reserved("start"));
    ck_assert(mp_moment_is_reserved("peak"));
    ck_assert(mp_moment_is_reserved("end"));
    ck_assert(!mp_moment_is_reserved("end#1"));
    ck_assert(!mp_moment_is_reserved("ended"));
    ck_assert(!mp_moment_is_reserved(""));
}

TEST(times_have_units)
{
    static const struct {
        const char *text;
        uint64_t time;
    } known[] = {{"1.5s", 1500000000}, {"200ms", 200000000}, {"0s", 0}, {"2", 2000000000}, {".25", 250000000}};
    static const char *const none[] = {"", "s", "-1s", "1m", "1.5 s", "nan", "inf", "1e99s", "1.5sx"};
    uint64_t time;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ck_assert_msg(mp_moment_time(known[i].text, &time), "%s", known[i].text);
        ck_assert_uint_eq(time, known[i].time);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!mp_moment_time(none[i], &time), "%s", none[i]);
}
/* SPDX-License-Identifier: MIT */
