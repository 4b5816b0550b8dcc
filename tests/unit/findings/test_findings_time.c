#include "tests/unit/tap.h"

#include "findings_said.h"
#include "tests/unit/profile_builder.h"

/* A time line of ten looks at the only cell, at which so many bytes lived. */
#define N_LOOKS 10u

static struct mp_profile *
over_time(const uint64_t live[static N_LOOKS])
{
    struct pb *pb = pb_new();
    struct mp_profile *profile;
    struct mp_timeline *line;
    uint64_t before = 0, most = 0, allocated = 0, freed = 0;

    for (unsigned i = 0; i < N_LOOKS; i++) {
        most = live[i] > most ? live[i] : most;
        allocated += live[i] > before ? live[i] - before : 0;
        freed += live[i] < before ? before - live[i] : 0;
        before = live[i];
    }
    pb_add(pb, "main;grow@5", MP_KIND_LARGE, allocated / 1000, allocated, freed / 1000, freed);
    profile = pb_done(pb);
    let_peak_be_kept(profile);
    profile->meta.peak_bytes = profile->cells[0].counts.peak_bytes = (int64_t)most;
    profile->meta.duration = (N_LOOKS - 1) * 1000;
    profile->timeline = line = mp_arena_alloc(profile->arena, sizeof *line);
    line->moments = mp_arena_alloc(profile->arena, N_LOOKS * sizeof *line->moments);
    line->changes = mp_arena_alloc(profile->arena, N_LOOKS * sizeof *line->changes);
    line->n_moments = N_LOOKS;
    line->n_changes = N_LOOKS - 1;
    before = 0;
    for (uint32_t i = 0; i < N_LOOKS; i++) {
        bool end = i + 1 == N_LOOKS;

        line->moments[i] = (struct mp_moment){
            .kind = end ? MP_MOMENT_END : i == 0 ? MP_MOMENT_START : MP_MOMENT_SEEN,
            .time = i * UINT64_C(1000), .name = "", .has_changes = true, .first_change = i,
            .n_changes = !end};
        line->changes[i] = (struct mp_change){
            .context = profile->cells[0].context, .kind = profile->cells[0].kind,
            .bytes = live[i] > before ? live[i] - before : 0,
            .freed = live[i] < before ? before - live[i] : 0};
        line->changes[i].allocs = line->changes[i].bytes / 1000;
        line->changes[i].frees = line->changes[i].freed / 1000;
        before = live[i];
    }
    return profile;
}

/* N times ten thousand bytes. */
#define K(n) ((n) * UINT64_C(10000))

TEST(grows_and_never_falls)
{
    static const uint64_t live[N_LOOKS] = {0, K(100), K(200), K(300), K(400), K(500), K(600), K(700), K(800), K(900)};

    must_say(over_time(live), "grows grow 1000: main > grow (grow.c:5)\n");
}

TEST(it_is_said_how_it_grew)
{
    static const uint64_t live[N_LOOKS] = {0, K(100), K(200), K(300), K(400), K(500), K(600), K(700), K(800), K(900)};
    struct mp_profile *profile = over_time(live);

    sentence_must_be(profile, "What grow allocates grew from the beginning to the end and was never less: "
                              "2.0 MB were alive after a quarter of the time, 4.0 MB after half, "
                              "6.0 MB after three quarters, 9.0 MB in the end, 100 % of the peak. Of "
                              "its 9,000 blocks, of 1,000 bytes, none were freed.");
}

TEST(grows_until_it_is_large_enough)
{
    static const uint64_t live[N_LOOKS] = {0, K(300), K(600), K(900), K(900), K(900), K(900), K(900), K(900), K(900)};

    must_say(over_time(live), "kept grow 1000: main > grow (grow.c:5)\n");
}

TEST(falls_once)
{
    static const uint64_t live[N_LOOKS] = {0, K(100), K(200), K(300), K(200), K(500), K(600), K(700), K(800), K(190)};

    must_say(over_time(live), "");
}

TEST(grows_a_little)
{
    static const uint64_t live[N_LOOKS] = {0, K(1), K(2), K(3), K(4), K(5), K(6), K(7), K(8), K(9)};

    must_say(over_time(live), "");
}

TEST(too_few_looks)
{
    static const uint64_t live[N_LOOKS] = {0, K(100), K(200), K(300), K(400), K(500), K(600), K(700), K(800), K(900)};
    struct mp_profile *profile = over_time(live);

    profile->timeline->moments[4].has_changes = profile->timeline->moments[5].has_changes = false;
    must_say(profile, "kept grow 1000: main > grow (grow.c:5)\n");
}

/* ---------------------------------------------------------------- phase */

enum { N_POINTS = 100 };

/* Of a hundred points, HIGH from the 40th on stand in a peak of ten megabytes, the others at OTHER bytes. */
static struct mp_profile *
peaked(unsigned high, uint64_t other)
{
    struct mp_timeline *line;
    struct mp_profile *profile = PROFILE_OF(
        {"main;sort;copy", MP_KIND_EXTRA, 10, 10000000, 10, 10000000});

    profile->cells[0].counts.peak_bytes = profile->meta.peak_bytes = 10000000;
    profile->meta.duration = N_POINTS * 1000;
    profile->timeline = line = mp_arena_alloc(profile->arena, sizeof *line);
    line->points = mp_arena_alloc(profile->arena, N_POINTS * sizeof *line->points);
    line->n_points = N_POINTS;
    for (uint32_t i = 0; i < N_POINTS; i++)
        line->points[i] = (struct mp_point){
            .time = i * UINT64_C(1000), .live = i >= 40 && i < 40 + high ? 10000000 : other};
    return profile;
}

TEST(a_peak_that_is_one_short_phase)
{
    must_say(peaked(5, 1000000), "phase copy 900: main > sort > copy\n");
    must_say(peaked(20, 1000000), "");
    must_say(peaked(5, 6000000), "");
}

TEST(a_peak_that_comes_twice)
{
    struct mp_profile *profile = peaked(3, 1000000);

    profile->timeline->points[80].live = 10000000;
    must_say(profile, "");
}

TEST(few_points)
{
    struct mp_profile *profile = peaked(1, 1000000);

    profile->timeline->n_points = 19;
    must_say(profile, "");
}
