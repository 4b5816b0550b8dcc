/* Limits of figures that are unknown or odd. */
#include "tests/unit/tap.h"

#include <string.h>

#include "reporter/verdict/verdict.h"
#include "tests/unit/profile_builder.h"

/* Limits the figure OF of PROFILE to MOST bytes or blocks. Returns the verdict, which the caller frees, or NULL. */
static struct mp_verdict *
verdict_of(const struct mp_profile *profile, enum mp_sort of, const char *most, struct mp_error *error)
{
    struct mp_bounds *bounds = tap_keep(calloc(1, sizeof *bounds), free);
    const struct mp_verdict_options options = {.bounds = bounds, .chain = 5, .most = 5};

    bounds->arena = keep_arena();
    ck_assert(mp_bounds_add(bounds, of, most, error));
    return mp_verdict(profile, &options, error);
}

/* The header with the peak was overwritten. */
TEST(the_peak_of_a_damaged_file_is_within_no_limit)
{
    struct mp_profile *profile = pb_example();
    struct mp_verdict *verdict;
    struct mp_error error;

    profile->meta.damaged = true;
    ck_assert_ptr_null(verdict_of(profile, MP_SORT_PEAK, "1G", &error));
    ck_assert_int_eq(error.code, MP_ERR_UNKNOWN);
    ck_assert_str_eq(error.text, "--max-peak=1G, of a damaged data file");
    verdict = verdict_of(profile, MP_SORT_KEPT, "1G", &error);
    ck_assert_ptr_nonnull(verdict);
    ck_assert_int_eq(verdict->list[0].is, MP_WITHIN);
    mp_verdict_free(verdict);
}

TEST(negative_peaks_of_processes_are_within_each_limit)
{
    struct mp_member members[] = {{.meta = {.peak_bytes = -40, .peak_blocks = -1}},
                                  {.meta = {.peak_bytes = -8, .peak_blocks = -1}}};
    struct mp_processes processes = {.list = members, .n = 2};
    struct mp_profile *profile = pb_example();
    struct mp_verdict *verdict;
    struct mp_error error;

    profile->processes = &processes;
    verdict = verdict_of(profile, MP_SORT_PEAK, "0", &error);
    ck_assert_ptr_nonnull(verdict);
    ck_assert_int_eq(verdict->list[0].is, MP_WITHIN);
    mp_verdict_free(verdict);
}
/* SPDX-License-Identifier: MIT */
