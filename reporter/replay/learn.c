/* SPDX-License-Identifier: MIT */
/* learn.c -- learns the collector's parameters from a recording. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"
#include "reporter/base/arena.h"
#include "reporter/profile/collections.h"

#define LEAST_LIVE 65536u       /* bytes of a significant live heap */
#define MOST_TIMES 8.0          /* range of the factor in calibrate() */
#define HALVINGS 24u
#define FEWEST 4u               /* minimum number of collections */
#define FIRST_ONES 6u           /* number of collections while the heap is small */
#define OBJECT 64u              /* maximum bytes of an object beside its data */
#define USUAL_DIVISOR 3u

/* ------------------------------------------------------------ share of pointers */

/* Returns how many of the BYTES of OBJECTS objects of KIND the collector scans for pointers. It scans a string itself,
 * but not its characters. */
static double
with_pointers(const struct mp_object_kind *kind, double objects, double bytes)
{
    static const char *const beside[] = {"BIGNUM", "STRING", "BASE-STRING", "BIT-VECTOR"};

    if (kind->category == 'f' || strcmp(kind->name, "block without pointers") == 0 ||
        strcmp(kind->name, "arithmetic in progress") == 0)
        return 0;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        if (strcmp(kind->name, beside[i]) == 0)
            return objects * OBJECT < bytes ? objects * OBJECT : bytes;
    return bytes;
}

/* Returns the share of the bytes at the peak that the collector scans for pointers; 1 if no objects lived then. */
static double
share_of_pointers(const struct mp_profile *profile)
{
    double all = 0, some = 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        const struct mp_object_kind *kind = mp_is_lisp(cell) ? mp_profile_kind(profile, cell->kind) : NULL;
        const double bytes = (double)cell->counts.peak_bytes;

        if (!kind || bytes <= 0)
            continue;
        all += bytes;
        some += with_pointers(kind, (double)cell->counts.peak_blocks, bytes);
    }
    return all > 0 ? some / all : 1;
}

/* Returns the bytes allocated between entry I of ALL and the previous one, divided by the number of collections that
 * entry I sums up. */
static double
allocated_before(const struct mp_collections *all, uint32_t i)
{
    return (double)(all->list[i].allocated - all->list[i - 1].allocated) / all->list[i].number;
}

/* Returns the smallest value of divisor * allocated bytes / live bytes in the collections from FIRST to before END, at
 * most 2, which is the value if all live bytes contain pointers. Considers only collections before which LEAST bytes or
 * more were live. For an incremental collector, returns twice the smallest value. */
static double
least_of(const struct mp_replay *r, uint32_t first, uint32_t end, double least)
{
    const struct mp_collections *all = r->collections;
    double found = 2;

    for (uint32_t i = first; i < end && i < all->n; i++) {
        const double live = (double)all->list[i - 1].after;
        const double each = r->setting.divisor * allocated_before(all, i) / live;

        if (live > 0 && live >= least && each < found)
            found = each;
    }
    return found * (r->setting.incremental ? 2 : 1);
}

/* Sets the parameters of `enough`, see replay.h. POINTERS is the share of live bytes that contain pointers. */
static void
find_enough(struct mp_replay *r, double pointers)
{
    const double most = (double)r->most_live, types = 2 * pointers + (1 - pointers) / 4;
    const double bound = least_of(r, r->start + 1, UINT32_MAX, most / 2);

    r->least_live = (double)r->collections->list[r->start].after;
    r->least_enough = r->least_live * least_of(r, r->start + 1, r->start + FIRST_ONES, 0);
    r->most_enough = most * (types < bound ? types : bound);
    if (r->most_enough < r->least_enough)
        r->most_enough = r->least_enough;
}

/* --------------------------------------------------------------- time of a collection */

/* Returns the mean pause in ns of the consecutive collections that ONE sums up. */
static double
each_pause(const struct mp_collection *one)
{
    return (double)one->pause / one->number;
}

/* Fits a line to the pauses as a function of live bytes, by least squares. Neither coefficient is negative. */
static void
fit_pauses(struct mp_replay *r)
{
    const struct mp_collections *all = r->collections;
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, divided;

    for (uint32_t i = 0; i < all->n; i++) {
        const double weight = all->list[i].number, live = (double)all->list[i].after;

        n += weight;
        x += weight * live;
        y += weight * each_pause(&all->list[i]);
        xx += weight * live * live;
        xy += weight * live * each_pause(&all->list[i]);
    }
    divided = n * xx - x * x;
    r->each = divided > 0 ? (n * xy - x * y) / divided : 0;
    if (r->each < 0)
        r->each = 0;
    r->fixed = (y - r->each * x) / n;
    if (r->fixed < 0) {
        r->fixed = 0;
        r->each = x > 0 ? y / x : 0;
    }
}

/* ------------------------------------------------------------------ degree of filling */

static int
by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sets `filled` to the median share of the single collections in the second half of the recording. A median is used
 * because the program requested some collections, and others came just after the heap had grown. */
static void
find_filled(struct mp_replay *r)
{
    const struct mp_collections *all = r->collections;
    double *shares = mp_need(malloc(all->n * sizeof *shares));
    uint32_t n = 0;

    for (uint32_t i = all->n / 2; i < all->n; i++)
        if (all->list[i].number == 1 && all->list[i].heap_size > 0)
            shares[n++] = (double)all->list[i].before / (double)all->list[i].heap_size;
    qsort(shares, n, sizeof *shares, by_size);
    r->filled = n > 0 ? shares[n / 2] : 1;
    free(shares);
    if (r->filled < 0.1 || r->filled > 1)
        r->filled = r->filled > 1 ? 1 : 0.1;
}

/* ------------------------------------------------------------- learning */

static void
take_setting(struct mp_replay *r)
{
    r->setting.divisor = r->collections->divisor ? r->collections->divisor : USUAL_DIVISOR;
    r->setting.incremental = r->collections->incremental;
}

static void
sum_up(struct mp_replay *r)
{
    const struct mp_collections *all = r->collections;

    for (uint32_t i = 0; i < all->n; i++) {
        const struct mp_collection *one = &all->list[i];

        r->recorded.collections += one->number;
        r->recorded.pauses += one->pause;
        if (one->heap_size > r->recorded.heap)
            r->recorded.heap = one->heap_size;
        if (one->after > r->most_live)
            r->most_live = one->after;
    }
    while (r->start + FEWEST < all->n && all->list[r->start].after < LEAST_LIVE)
        r->start++;
    r->allocated = all->list[all->n - 1].allocated - all->list[0].allocated;
}

bool
mp_replay_real(const struct mp_profile *profile, const char *file, struct mp_replay_setting *setting,
               struct mp_replay_result *real, struct mp_error *error)
{
    struct mp_replay replay = {.collections = profile->collections};

    if (!replay.collections || replay.collections->n == 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: no collection of a collected heap was recorded", file);
    take_setting(&replay);
    sum_up(&replay);
    *setting = replay.setting;
    *real = replay.recorded;
    return true;
}

/* Returns the number of collections in a replay where `enough` is TIMES the values LEAST and MOST. */
static uint64_t
collections_with(struct mp_replay *r, double times, double least, double most)
{
    struct mp_replay_result result;

    r->least_enough = least * times;
    r->most_enough = most * times;
    mp_replay_run(r, &r->setting, &result);
    return result.collections;
}

/* Scales `enough` so that a replay has as many collections as the recording, or nearly as many. Without that, a replay
 * would have too few: objects of one size cannot use free space of another size, so a real heap is full before all its
 * bytes are used. Finds the factor by bisection; a larger factor never gives more collections. */
static void
calibrate(struct mp_replay *r)
{
    const double least = r->least_enough, most = r->most_enough;
    const uint64_t wanted = r->recorded.collections;
    uint64_t nearest = UINT64_MAX;
    double low = 1 / MOST_TIMES, high = MOST_TIMES, best = 1;

    for (unsigned i = 0; i < HALVINGS && nearest > 0; i++) {
        const double times = sqrt(low * high);
        const uint64_t given = collections_with(r, times, least, most);
        const uint64_t away = given > wanted ? given - wanted : wanted - given;

        if (away < nearest) {
            nearest = away;
            best = times;
        }
        *(given > wanted ? &low : &high) = times;
    }
    r->least_enough = least * best;
    r->most_enough = most * best;
}

bool
mp_replay_learn(struct mp_replay *replay, const struct mp_profile *profile, struct mp_error *error)
{
    const struct mp_collections *all = profile->collections;
    const uint32_t n = all ? all->n : 0;

    if (n < FEWEST)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "%u collections of a collected heap were recorded; a replay needs %u", n, FEWEST);
    *replay = (struct mp_replay){.collections = all};
    take_setting(replay);
    sum_up(replay);
    find_enough(replay, share_of_pointers(profile));
    fit_pauses(replay);
    find_filled(replay);
    calibrate(replay);
    return true;
}
