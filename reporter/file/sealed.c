/* SPDX-License-Identifier: MIT */
/* sealed.c -- the sections of a sealed file: encodes a profile, and decodes it and checks every number. */
#include "figures_check.h"
#include "reporter/profile/held_memory.h"
#include "reporter/profile/samples.h"
#include "sealed_parts.h"

/* -------------------------------------------------------------- small sections */

/* Codes the id that all files of one mprof run share. */
static void
code_run(struct mp_codec *codec)
{
    uint64_t *run_id = codec->profile->meta.run_id;

    if (!codec->from && run_id[0] == 0 && run_id[1] == 0)
        return;
    mp_code_fixed(codec, &run_id[0]);
    mp_code_fixed(codec, &run_id[1]);
}

/* Codes the sampling period of a sampled recording. Readers recompute the estimates from it and the stored samples. */
static void
code_samples(struct mp_codec *codec)
{
    uint32_t *period = &codec->profile->meta.sample_period;

    if (!codec->from && *period == 0)
        return;
    mp_code_u32(codec, period);
    mp_code_check(codec, *period > 0 && *period <= MP_MAX_SAMPLE, "samples at a distance that cannot be");
}

/* Codes how many objects of each kind there were, if objects are sampled. */
static void
code_objects_counted(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;

    if (!codec->from && !profile->meta.objects_sampled)
        return;
    profile->meta.objects_sampled = true;
    mp_code_u64(codec, &profile->owned_blocks);
    mp_code_u64(codec, &profile->owned_bytes);
    for (uint32_t i = 0; i < profile->n_kinds; i++) {
        mp_code_u64(codec, &profile->kinds[i].allocs);
        mp_code_u64(codec, &profile->kinds[i].bytes);
    }
    mp_code_check(codec, profile->meta.sample_period > 0, "objects that are sampled, but no blocks");
}

/* Codes the memory that malloc got from the system, as of the end. */
static void
code_allocator(struct mp_codec *codec)
{
    struct mp_live_allocator *of = &codec->profile->allocator;

    if (!codec->from && of->held == 0)
        return;
    mp_code_u64(codec, &of->held);
    mp_code_u64(codec, &of->mapped);
    mp_code_u64(codec, &of->free);
    mp_code_u64(codec, &of->resident);
    mp_code_check(codec, mp_allocator_is_sound(of), "an allocator that has less than its parts");
}

/* Codes the options of the recording that advice depends on. */
static void
code_options(struct mp_codec *codec)
{
    struct mp_meta *meta = &codec->profile->meta;

    if (!codec->from && !meta->follows && meta->leaks == 0)
        return;
    mp_code_bool(codec, &meta->follows);
    mp_code_u32(codec, &meta->leaks);
}

static void
code_private(struct mp_codec *codec)
{
    if (codec->from || codec->profile->private_peak > 0)
        mp_code_u64(codec, &codec->profile->private_peak);
}

/* ----------------------------------------------------------------- all sections */

static const struct {
    const char *name;
    void (*code)(struct mp_codec *codec);
} sections[MP_SEC_END] = {
    [MP_SEC_STRINGS] = {"strings", mp_code_strings},
    [MP_SEC_META] = {"process", mp_code_meta},
    [MP_SEC_MODULES] = {"modules", mp_code_modules},
    [MP_SEC_FUNCTIONS] = {"functions", mp_code_functions},
    [MP_SEC_LOCATIONS] = {"locations", mp_code_locations},
    [MP_SEC_FRAMES] = {"frames", mp_code_frames},
    [MP_SEC_CONTEXTS] = {"contexts", mp_code_contexts},
    [MP_SEC_CELLS] = {"cells", mp_code_cells},
    [MP_SEC_TYPES] = {"types", mp_code_types},
    [MP_SEC_BINS] = {"bins", mp_code_bins},
    [MP_SEC_RUNTIME] = {"runtime", mp_code_runtime},
    [MP_SEC_NAMES] = {"names", mp_code_names},
    [MP_SEC_FRAME_NAMES] = {"frames' names", mp_code_frame_names},
    [MP_SEC_KINDS] = {"kinds", mp_code_kinds},
    [MP_SEC_OBJECTS] = {"objects", mp_code_objects},
    [MP_SEC_FORMS] = {"forms", mp_code_forms},
    [MP_SEC_RUN] = {"run", code_run},
    [MP_SEC_SAMPLES] = {"samples", code_samples},
    [MP_SEC_TIME] = {"time line", mp_code_time},
    [MP_SEC_CROSSED] = {"blocks freed by other threads", mp_code_crossed},
    [MP_SEC_RESIZED] = {"blocks of realloc", mp_code_resized},
    [MP_SEC_PROCESSES] = {"processes", mp_code_processes},
    [MP_SEC_LIFETIMES] = {"lifetimes", mp_code_lifetimes},
    [MP_SEC_COLLECTIONS] = {"collections", mp_code_collections},
    [MP_SEC_ALLOCATOR] = {"allocator", code_allocator},
    [MP_SEC_BAD_FREES] = {"faulty frees", mp_code_bad_frees},
    [MP_SEC_TEMPORARY] = {"temporary blocks of the time line", mp_code_temporary},
    [MP_SEC_OPTIONS] = {"options", code_options},
    [MP_SEC_PRIVATE] = {"private memory", code_private},
    [MP_SEC_UNPROVED] = {"unproved frames", mp_code_unproved},
    [MP_SEC_UNRECORDED] = {"processes that were not recorded", mp_code_unrecorded},
    [MP_SEC_IDENTITY] = {"identity of functions", mp_code_identity},
    [MP_SEC_TAIL] = {"frames of tail calls", mp_code_tail},
    [MP_SEC_ORDER] = {"order of blocks", mp_code_order},
    [MP_SEC_MAPPINGS] = {"mapped memory", mp_code_mappings},
    [MP_SEC_RESIDENT] = {"resident memory", mp_code_resident},
    [MP_SEC_LABELS] = {"labels", mp_code_labels},
    [MP_SEC_OBJECTS_COUNTED] = {"counted objects", code_objects_counted},
};

const char *
mp_sealed_section_name(unsigned tag)
{
    return sections[tag].name;
}

/* --------------------------------------------------------------------- encoding */

/* Appends the section with TAG to CONTENT. Omits it if it is empty and may be missing. */
static void
encode_section(struct mp_codec *codec, unsigned tag, struct mp_buffer *content)
{
    struct mp_buffer section = {0};

    codec->to = &section;
    sections[tag].code(codec);
    if (tag <= MP_SEC_OF_RUNTIME || section.size > 0) {
        mp_buffer_varint(content, tag);
        mp_buffer_varint(content, section.size);
        mp_buffer_bytes(content, section.bytes, section.size);
    }
    mp_buffer_free(&section);
}

void
mp_sealed_encode(const struct mp_profile *profile, struct mp_buffer *content)
{
    struct mp_arena *arena = mp_arena_new();
    struct mp_codec codec = {.profile = (struct mp_profile *)profile, .arena = arena, .strings.arena = arena};
    struct mp_buffer rest = {0};        /* sections behind that of strings; encoded first, because they add strings */
    const bool runtime = mp_has_runtime(profile);

    for (unsigned tag = MP_SEC_STRINGS + 1; tag < MP_SEC_END; tag++)
        if (sections[tag].code && (runtime || tag < MP_SEC_RUNTIME || tag > MP_SEC_FORMS))
            encode_section(&codec, tag, &rest);
    encode_section(&codec, MP_SEC_STRINGS, content);
    mp_buffer_bytes(content, rest.bytes, rest.size);
    mp_buffer_free(&rest);
    mp_arena_free(arena);
}

/* --------------------------------------------------------------------- decoding */

/* Decodes the section with TAG from BODY. Skips unknown sections. */
static bool
decode_section(struct mp_codec *codec, uint64_t tag, struct mp_cursor *body, const char *name,
               struct mp_error *error)
{
    if (tag >= MP_SEC_END || !sections[tag].code)
        return true;
    codec->from = body;
    sections[tag].code(codec);
    mp_code_check(codec, mp_cursor_left(body) == 0, "longer than what is in it");
    return mp_cursor_error(body, name, sections[tag].name, error);
}

/* Returns whether TAG may follow LAST. Mandatory sections follow each other without gaps. The runtime's sections
 * may be missing altogether. Behind them, tags only need to ascend. */
static bool
is_next(uint64_t last, uint64_t tag)
{
    if (last >= MP_SEC_OF_RUNTIME || (last == MP_SEC_NEEDED && tag > MP_SEC_OF_RUNTIME))
        return tag > last;
    return tag == last + 1;
}

static bool
decode_sections(struct mp_codec *codec, struct mp_cursor *from, const char *name,
                struct mp_error *error)
{
    uint64_t last = 0, base = from->base;

    while (mp_cursor_left(from) > 0) {
        uint64_t tag = mp_cursor_varint(from);
        uint32_t length = mp_cursor_count(from, 1);
        uint64_t place = base + (uint64_t)(from->at - from->start);
        const uint8_t *start = mp_cursor_bytes(from, length);
        struct mp_cursor body;

        if (!is_next(last, tag))
            mp_cursor_fail(from, MP_ERR_DAMAGED, "a section is missing or twice there");
        if (from->problem)
            break;
        mp_cursor_init(&body, start, length, place);
        if (!decode_section(codec, tag, &body, name, error))
            return false;
        last = tag;
    }
    if (last < MP_SEC_OF_RUNTIME && last != MP_SEC_NEEDED)
        mp_cursor_fail(from, MP_ERR_TRUNCATED, "sections are missing");
    return mp_cursor_error(from, name, "sections", error);
}

/* Checks that cells are sorted by context and kind, and that each pair occurs once. Samples are an exception: a
 * context and kind may have several cells of samples, each with one size, sorted by size. */
static const char *
check_alike(const struct mp_profile *profile)
{
    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        bool sample = mp_is_sampled(&profile->meta, cell);

        if (sample && cell->size_min != cell->size_max)
            return "samples of different sizes in one cell";
        if (i > 0 && cell->context == cell[-1].context && cell->kind == cell[-1].kind &&
            !(sample && cell->size_min > cell[-1].size_min))
            return "cells are not sorted";
    }
    return NULL;
}

static void
scale_samples(struct mp_profile *profile)
{
    profile->samples = profile->cells;
    profile->n_samples = profile->n_cells;
    mp_samples_scale(profile);
}

bool
mp_sealed_decode(struct mp_profile *profile, const uint8_t *bytes, size_t size, uint64_t base,
                 const char *name, struct mp_error *error)
{
    struct mp_codec codec = {.profile = profile, .arena = mp_arena_new()};
    struct mp_cursor from;
    const char *problem;
    uint32_t cell;
    bool done;

    mp_cursor_init(&from, bytes, size, base);
    done = decode_sections(&codec, &from, name, error);
    mp_arena_free(codec.arena);
    if (!done)
        return false;
    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (!profile->functions[i].plain && profile->functions[i].kind != MP_FUNCTION_PLACE)
            mp_identity_of_text(profile, &profile->functions[i]);
    profile->symbolised = true;
    problem = mp_check_cells(profile, &cell);
    if (!problem)
        problem = check_alike(profile);
    if (problem)
        mp_cursor_fail(&from, MP_ERR_DAMAGED, problem);
    mp_profile_set_kept(profile);
    if (!problem && profile->meta.sample_period > 0)
        scale_samples(profile);
    return mp_cursor_error(&from, name, "cells", error);
}
