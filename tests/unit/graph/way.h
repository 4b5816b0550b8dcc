/* way.h -- a profile, its function graph and what is computed from that, for tests of graphs. */
#ifndef MP_TEST_WAY_H
#define MP_TEST_WAY_H

#include "reporter/graph/cycles.h"
#include "tests/unit/profile_builder.h"
#include "tests/unit/tap.h"

struct way {
    struct mp_profile *profile;
    struct mp_graph *graph;
    struct mp_reduced *reduced;
    struct mp_cycles *cycles;
};

static inline void
release_way(void *data)
{
    struct way *way = data;

    mp_cycles_free(way->cycles);
    mp_reduced_free(way->reduced);
    mp_graph_free(way->graph);
    free(way);
}

/* Computes PROFILE's graph and everything that follows from it. The result is freed when the test ends. */
static inline const struct way *
way_of(struct mp_profile *profile, bool keep_startup)
{
    const struct mp_graph_options options = {.keep_startup = keep_startup};
    struct way *way = malloc(sizeof *way);

    ck_assert_ptr_nonnull(way);
    way->profile = profile;
    way->graph = mp_graph_build(profile, &options);
    way->reduced = mp_reduce(profile, way->graph);
    way->cycles = mp_cycles_new(way->reduced);
    return tap_keep(way, release_way);
}

#endif
/* SPDX-License-Identifier: MIT */
