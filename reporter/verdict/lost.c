/* SPDX-License-Identifier: MIT */
#include "lost.h"

#include "leaks.h"

#define FUNCTIONS 32u           /* maximum number of innermost functions that are returned of a chain */

/* Returns the functions of CONTEXT of LOST, copied into ARENA. */
static struct mp_lost
chain_of(const struct mp_profile *lost, uint32_t context, struct mp_arena *arena)
{
    const char **functions = mp_arena_alloc(arena, FUNCTIONS * sizeof *functions);
    struct mp_lost chain = {.functions = functions};

    for (; context != 0; context = lost->contexts[context].parent) {
        const struct mp_frame *frame = &lost->frames[lost->contexts[context].frame];

        for (uint32_t i = 0; frame->mark == 0 && i < mp_frame_locations(frame) && chain.n < FUNCTIONS; i++)
            functions[chain.n++] = mp_arena_strdup(
                arena, lost->functions[lost->locations[frame->first_location + i].function].text);
    }
    return chain;
}

const struct mp_lost *
mp_lost_chains(const char *snapshot, const char *recording, const struct mp_profile *profile, struct mp_arena *arena,
               uint32_t *n)
{
    struct mp_error error;
    struct mp_leaks *leaks = mp_leaks_find(snapshot, recording, profile, &error);
    struct mp_profile *lost = leaks ? mp_leaks_profile(leaks, MP_LEAK_DEFINITE) : NULL;
    struct mp_lost *list = mp_arena_alloc(arena, (lost ? lost->n_cells : 0) * sizeof *list);

    *n = 0;
    for (uint32_t i = 0; lost && i < lost->n_cells; i++) {
        list[*n] = chain_of(lost, lost->cells[i].context, arena);
        list[*n].blocks = lost->cells[i].counts.kept_blocks;
        list[(*n)++].bytes = lost->cells[i].counts.kept;
    }
    mp_profile_free(lost);
    mp_leaks_free(leaks);
    return list;
}
