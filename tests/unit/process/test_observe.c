#include "tests/unit/tap.h"

#include "reporter/process/observations.h"
#include "reporter/process/observe.h"

static const uint64_t ms = 1000000;

TEST(cells_may_cost_little_of_the_time)
{
    uint64_t before = 0;

    ck_assert_uint_eq(mp_observer_budget(0), 0);
    for (uint64_t elapsed = ms; elapsed < 100000 * ms; elapsed += elapsed / 7) {
        const uint64_t budget = mp_observer_budget(elapsed);

        ck_assert_uint_ge(budget, before);
        ck_assert_uint_le(budget, elapsed / 1000 + 4 * ms);     /* a third of 0.2 % is less than 0.1 */
        ck_assert_uint_le(budget, elapsed / 1000 + elapsed / 100);
        before = budget;
    }
}

/* ECL has about 23,500 cells after its start. Reading them takes about 0.8 ms, and taking all changes 2.4 ms. */
TEST(what_ecl_starts_with_is_seen_in_half_a_second)
{
    ck_assert_uint_ge(mp_observer_budget(500 * ms), 32 * ms / 10);
}

/* The changes of all cells at once need more than 256 KB. A maximum size that grows with the number of cells has space
 * for a change of each cell. */
TEST(a_wide_moment_has_room)
{
    const struct mp_observer usual = {.size = MP_TIMELINE_SIZE, .grows = true},
                             said = {.size = MP_TIMELINE_SIZE};
    struct mp_observed series;
    enum { cells = 100000 };
    static struct mp_change changes[cells];
    static uint64_t sums[cells];

    for (int grows = 0; grows < 2; grows++) {
        const size_t room = mp_observer_room(grows ? &usual : &said, cells);

        mp_series_begin(&series, 0, 10 * ms);
        for (uint32_t moment = 0; moment < 3; moment++) {
            for (uint32_t i = 0; i < cells; i++)
                mp_series_add_change(&series, &(struct mp_change){.context = i, .allocs = 1, .bytes = 8});
            mp_series_add_moment(&series, moment, moment + 1, (uint32_t)(room / 6));
        }
        ck_assert(series.too_wide == !grows);
        ck_assert((series.n_moments > 0) == grows);
        ck_assert_uint_le(series.n_changes, room / 6);
        for (uint32_t i = 0; i < series.n_moments; i++) {
            ck_assert_uint_eq(series.moments[i].n_changes, cells);
            mp_observed_changes(&series, i, changes);
            for (uint32_t j = 0; j < cells; j++) {
                ck_assert_uint_eq(changes[j].context, j);
                sums[j] += changes[j].bytes;
            }
        }
        for (uint32_t i = 0; grows && i < cells; i++)
            ck_assert_uint_eq(sums[i], 24);
        mp_series_free(&series);
    }
    ck_assert_uint_eq(mp_observer_room(&said, cells), MP_TIMELINE_SIZE);
}
/* SPDX-License-Identifier: MIT */
