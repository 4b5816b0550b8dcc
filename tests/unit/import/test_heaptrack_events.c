#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/import/import_formats.h"
#include "reporter/import/heaptrack_events.h"

#define INFOS 7u
#define CELLS 6u                /* the last information record equals the first */

static uint32_t seed;

static uint32_t
below(uint32_t limit)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)seed * limit) >> 32);
}

/* A simple model of the events. It copies the numbers of live blocks at each new peak. */
struct model {
    uint64_t sizes[CELLS], lived[CELLS], at_peak[CELLS], temporary[CELLS];
    uint64_t live, peak;
};

static void
allocate(struct model *model, struct mp_heaptrack_events *events, uint32_t info)
{
    ck_assert_ptr_null(mp_heaptrack_allocated(events, info));
    model->lived[info % CELLS]++;
    model->live += model->sizes[info % CELLS];
    if (model->live > model->peak) {
        model->peak = model->live;
        memcpy(model->at_peak, model->lived, sizeof model->at_peak);
    }
}

static void
release(struct model *model, struct mp_heaptrack_events *events, uint32_t info, bool temporary)
{
    if (model->lived[info % CELLS] == 0) {
        ck_assert_ptr_nonnull(mp_heaptrack_freed(events, info));
        return;
    }
    ck_assert_ptr_null(mp_heaptrack_freed(events, info));
    model->lived[info % CELLS]--;
    model->live -= model->sizes[info % CELLS];
    model->temporary[info % CELLS] += temporary;
}

TEST(what_lived_at_the_peak_is_what_a_copy_would_have)
{
    for (uint32_t run = 0; run < 2000; run++) {
        struct mp_arena *arena = mp_arena_new();
        struct mp_heaptrack_events events = mp_heaptrack_events(arena);
        struct model model = {.live = 0};
        uint32_t last = MP_NO_ID;

        seed = run;
        for (uint32_t i = 0; i < INFOS; i++) {
            if (i < CELLS)
                model.sizes[i] = 10 * i + below(10);
            mp_heaptrack_inform(&events, model.sizes[i % CELLS], i % CELLS);
        }
        for (uint32_t steps = below(200); steps > 0; steps--) {
            uint32_t info = below(INFOS);
            bool frees = below(5) < 2;

            if (frees)
                release(&model, &events, info, last == info);
            else
                allocate(&model, &events, info);
            if (!frees || events.last == MP_NO_ID)
                last = frees ? MP_NO_ID : info;
        }
        ck_assert_uint_eq(events.peak, model.peak);
        ck_assert_uint_eq(events.live, model.live);
        for (uint32_t i = 0; i < CELLS; i++) {
            const struct mp_heaptrack_cell *cell = &events.cells[i];

            ck_assert_uint_eq(mp_heaptrack_at_peak(&events, cell), model.at_peak[i]);
            ck_assert_uint_eq(cell->allocs - cell->frees, model.lived[i]);
            ck_assert_uint_eq(cell->temporary, model.temporary[i]);
        }
        mp_arena_free(arena);
    }
}

TEST(points_are_bounded_and_ascend)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_heaptrack_events events = mp_heaptrack_events(arena);
    struct mp_timeline *timeline;

    for (uint64_t time = 0; time < 100000; time += 10)
        ck_assert_ptr_null(mp_heaptrack_timed(&events, time));
    ck_assert_ptr_nonnull(mp_heaptrack_timed(&events, 5));
    timeline = mp_heaptrack_timeline(&events, arena);
    ck_assert_uint_ge(timeline->n_points, 500);
    ck_assert_uint_le(timeline->n_points, 1024);
    for (uint32_t i = 1; i < timeline->n_points; i++)
        ck_assert_uint_eq(timeline->points[i].time - timeline->points[i - 1].time,
                          timeline->points[1].time);
    ck_assert_uint_eq(timeline->moments[timeline->n_moments - 1].time, 99990 * UINT64_C(1000000));
    mp_arena_free(arena);
}

#define LONG    100000          /* bytes of a name */
#define MANY    10000           /* number of addresses with that name */

/* Copies of the name for each address would take gigabytes. */
TEST(a_long_name_is_stored_once)
{
    struct mp_text_stream stream;
    FILE *out = mp_text_open(&stream);
    struct mp_profile *profile;
    struct mp_error error;
    char *text;

    fprintf(out, "v 10500 3\nX x\nI 1000 1\ns %x %0*d\ns 4 m.so\n", LONG, LONG, 7);
    for (int i = 0; i < MANY; i++)
        fprintf(out, "i %x 2 1 2 5\nt %x 0\na 10 %x\n+ %x\n", 0x1000 + i, i + 1, i + 1, i);
    text = mp_text_close(&stream);
    profile = mp_import_heaptrack((const uint8_t *)text, stream.size, "file", &error);
    free(text);
    ck_assert_msg(profile != NULL, "%s", error.text);
    ck_assert_uint_eq(profile->n_frames, MANY);
    ck_assert_uint_eq(profile->n_functions, 1);
    ck_assert_uint_eq(strlen(profile->functions[0].text), LONG);
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        ck_assert_uint_eq(profile->locations[i].line, 5);
        ck_assert_str_eq(profile->locations[i].file, "m.so");
        ck_assert_ptr_eq(profile->locations[i].file, profile->locations[0].file);
    }
    mp_profile_free(profile);
}
/* SPDX-License-Identifier: MIT */
