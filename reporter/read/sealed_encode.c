/* sealed_encode.c -- encodes a profile as the content of a sealed file. */
#include <string.h>

#include "sealed_parts.h"

static void
put_run(struct mp_encoder *encoder)
{
    const uint64_t *run_id = encoder->profile->meta.run_id;
    struct mp_buffer *to = &encoder->sections[MP_SEC_RUN];

    if (run_id[0] == 0 && run_id[1] == 0)
        return;
    mp_buffer_u64(to, run_id[0]);
    mp_buffer_u64(to, run_id[1]);
}

/* Writes the sampling period of a sampled recording. Readers recompute the estimates from it and the stored
 * samples. */
static void
put_samples(struct mp_encoder *encoder)
{
    if (encoder->profile->meta.sample_period > 0)
        mp_buffer_varint(&encoder->sections[MP_SEC_SAMPLES], encoder->profile->meta.sample_period);
}

static void
put_modules(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    struct mp_buffer *to = &encoder->sections[MP_SEC_MODULES];
    uint32_t path = MP_NO_ID, problem = MP_NO_ID;

    mp_buffer_varint(to, profile->n_modules);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        mp_put_string(encoder, to, &path, profile->modules[i].path);
    for (uint32_t i = 0; i < profile->n_modules; i++) {
        const struct mp_module *module = &profile->modules[i];

        mp_buffer_varint(to, module->build_id_size);
        mp_buffer_bytes(to, module->build_id, module->build_id_size);
    }
    for (uint32_t i = 0; i < profile->n_modules; i++)
        mp_buffer_varint(to, profile->modules[i].unloaded);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        mp_put_string(encoder, to, &problem, profile->modules[i].problem);
}

static void
put_functions(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_function *functions = profile->functions;
    struct mp_buffer *to = &encoder->sections[MP_SEC_FUNCTIONS];
    uint32_t name = MP_NO_ID, module = MP_NO_ID;

    mp_buffer_varint(to, profile->n_functions);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_put_string(encoder, to, &name, functions[i].name);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_buffer_id(to, &module, functions[i].module);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_buffer_signed(to, (int64_t)(functions[i].start - (i ? functions[i - 1].start : 0)));
}

static enum mp_sealed_plain
plain_of(const struct mp_function *function)
{
    if (!function->plain)
        return MP_PLAIN_UNKNOWN;
    return strcmp(function->plain, function->name) == 0 ? MP_PLAIN_SAME : MP_PLAIN_OTHER;
}

static void
put_plain(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_function *functions = profile->functions;
    struct mp_buffer *to = &encoder->sections[MP_SEC_PLAIN];
    uint32_t name = MP_NO_ID, file = MP_NO_ID;
    bool any = false;

    for (uint32_t i = 0; i < profile->n_functions && !any; i++)
        any = functions[i].plain || functions[i].file;
    if (!any)
        return;
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_buffer_varint(to, plain_of(&functions[i]));
    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (plain_of(&functions[i]) == MP_PLAIN_OTHER)
            mp_put_string(encoder, to, &name, functions[i].plain);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_put_string(encoder, to, &file, functions[i].file);
}

static void
put_locations(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_location *locations = profile->locations;
    struct mp_buffer *to = &encoder->sections[MP_SEC_LOCATIONS];
    uint32_t function = MP_NO_ID, file = MP_NO_ID;
    int64_t line = 0;

    mp_buffer_varint(to, profile->n_locations);
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_buffer_id(to, &function, locations[i].function);
    for (uint32_t i = 0; i < profile->n_locations; i++) {
        mp_buffer_signed(to, locations[i].line - line);
        line = locations[i].line;
    }
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_put_string(encoder, to, &file, locations[i].file);
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_buffer_varint(to, locations[i].inlined);
}

static void
put_frames(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    const struct mp_frame *frames = profile->frames;
    struct mp_buffer *to = &encoder->sections[MP_SEC_FRAMES];
    uint32_t module = MP_NO_ID;
    int64_t next = 0;

    mp_buffer_varint(to, profile->n_frames);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_varint(to, 2 * (uint64_t)frames[i].mark + frames[i].exact);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_id(to, &module, frames[i].module);
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_signed(to, (int64_t)(frames[i].offset - (i ? frames[i - 1].offset : 0)));
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        mp_buffer_signed(to, frames[i].first_location - next);
        next = (int64_t)frames[i].first_location + frames[i].n_locations;
    }
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_buffer_varint(to, frames[i].n_locations);
}

static void
put_types(struct mp_encoder *encoder)
{
    const struct mp_profile *profile = encoder->profile;
    struct mp_buffer *to = &encoder->sections[MP_SEC_TYPES];
    uint32_t string = MP_NO_ID;

    mp_buffer_varint(to, profile->n_types);
    for (uint32_t i = 0; i < profile->n_types; i++)
        mp_put_string(encoder, to, &string, profile->types[i]);
}

static void
free_encoder(struct mp_encoder *encoder)
{
    for (int tag = 0; tag < MP_SEC_END; tag++)
        mp_buffer_free(&encoder->sections[tag]);
    mp_arena_free(encoder->strings.arena);
}

bool
mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content,
                 struct mp_error *error)
{
    struct mp_encoder encoder = {.profile = profile, .strings.arena = mp_arena_new()};
    bool runtime = mp_has_runtime(profile), failed = false;
    uint32_t string = MP_NO_ID;

    mp_put_meta(&encoder, &profile->meta, &string, &encoder.sections[MP_SEC_META]);
    put_modules(&encoder);
    put_functions(&encoder);
    put_locations(&encoder);
    put_frames(&encoder);
    mp_sealed_put_contexts(profile, &encoder.sections[MP_SEC_CONTEXTS]);
    mp_sealed_put_cells(profile, &encoder.sections[MP_SEC_CELLS]);
    put_types(&encoder);
    mp_sealed_put_bins(profile, &encoder.sections[MP_SEC_BINS]);
    if (runtime) {
        mp_put_runtime(&encoder);
        mp_sealed_put_objects(profile, &encoder.sections[MP_SEC_OBJECTS]);
    }
    put_run(&encoder);
    put_plain(&encoder);
    put_samples(&encoder);
    mp_sealed_put_time(&encoder, &encoder.sections[MP_SEC_TIME]);
    mp_sealed_put_crossed(profile, &encoder.sections[MP_SEC_CROSSED]);
    mp_sealed_put_resized(profile, &encoder.sections[MP_SEC_RESIZED]);
    mp_sealed_put_stacks(profile, &encoder.sections[MP_SEC_STACKS]);
    mp_sealed_put_bad_frees(profile, &encoder.sections[MP_SEC_BAD_FREES]);
    mp_put_processes(&encoder);
    mp_sealed_put_lifetimes(profile, &encoder.sections[MP_SEC_LIFETIMES]);
    mp_sealed_put_collections(profile, &encoder.sections[MP_SEC_COLLECTIONS]);
    mp_sealed_put_allocator(profile, &encoder.sections[MP_SEC_ALLOCATOR]);
    mp_sealed_put_temporary(profile, &encoder.sections[MP_SEC_TEMPORARY]);
    mp_put_strings(&encoder);
    for (unsigned tag = MP_SEC_STRINGS; tag < MP_SEC_END; tag++) {
        const struct mp_buffer *section = &encoder.sections[tag];

        if (tag > MP_SEC_OF_RUNTIME ? section->size == 0 : tag > MP_SEC_NEEDED && !runtime)
            continue;
        failed |= section->failed;
        mp_buffer_varint(content, tag);
        mp_buffer_varint(content, section->size);
        mp_buffer_bytes(content, section->bytes, section->size);
    }
    free_encoder(&encoder);
    if (failed || content->failed)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot seal the profile");
    return true;
}
