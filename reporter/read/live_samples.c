/* live_samples.c -- keeps the cells of a sampled recording as samples, and replaces them by estimates. */
#include "live_parts.h"
#include "reporter/profile/samples.h"

static bool
is_sample(const struct mp_live_key *key)
{
    return key->context != 0 && key->kind < MP_KIND_LISP;
}

/* Returns the size in bytes of each block, or UINT32_MAX for a mixed cell. Mixed cells contain only blocks so large
 * that each is recorded. */
static uint32_t
size_of(const struct mp_live_figures *figures)
{
    return figures->key.uniform ? figures->size : UINT32_MAX;
}

/* Returns the context with ID. mp_live_cells() has checked that it exists and that the figures are within bounds. */
static uint32_t
context_of(const struct mp_live_reading *reading, uint32_t id)
{
    return reading->context_of[mp_image_find(&reading->image, MP_EXT_CONTEXTS, id)];
}

static bool
add_record(struct mp_live_reading *reading, size_t index, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    struct mp_cell *sample = &profile->samples[profile->n_samples++];
    struct mp_live_figures figures;

    if (!mp_live_figures(reading, index, &figures, error))
        return false;
    *sample = (struct mp_cell){
        .context = context_of(reading, figures.key.context),
        .kind = figures.key.kind, .size_min = size_of(&figures), .size_max = size_of(&figures)};
    mp_live_figures_add(&sample->counts, &figures);
    sample->counts.peak_bytes = figures.peak_bytes;
    sample->counts.peak_blocks = figures.peak_blocks;
    if (reading->peak_now) {
        sample->counts.peak_bytes = (int64_t)(figures.bytes - figures.freed);
        sample->counts.peak_blocks = (int64_t)(figures.allocs - figures.frees);
    }
    return true;
}

/* Adds the cells of Lisp objects, which are not sampled, unchanged. */
static void
add_objects(struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++)
        if (mp_is_lisp(&profile->cells[i]))
            profile->samples[profile->n_samples++] = profile->cells[i];
}

bool
mp_live_samples(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_profile *profile = reading->profile;
    size_t count = reading->image.tables[MP_EXT_CELLS].count;

    profile->samples = mp_arena_alloc(profile->arena,
                                      (count + profile->n_cells) * sizeof *profile->samples);
    for (size_t i = 0; i < count; i++) {
        const struct mp_live_key key = mp_live_key(reading, i);

        if (is_sample(&key) && !add_record(reading, i, error))
            return false;
    }
    add_objects(profile);
    profile->meta.peak_slack = reading->image.header.peak_slack;
    mp_samples_scale(profile);
    return true;
}
