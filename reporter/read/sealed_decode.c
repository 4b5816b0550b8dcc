/* sealed_decode.c -- decodes the content of a sealed file into a profile, and checks every number. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reporter/base/cursor.h"
#include "reporter/base/text.h"
#include "reporter/profile/samples.h"
#include "sealed_parts.h"

static void
take_meta(struct mp_decoder *decoder, struct mp_cursor *from)
{
    uint32_t string = MP_NO_ID;

    mp_take_meta(decoder, &decoder->profile->meta, &string, from);
}

static void
take_run(struct mp_decoder *decoder, struct mp_cursor *from)
{
    decoder->profile->meta.run_id[0] = mp_cursor_u64(from);
    decoder->profile->meta.run_id[1] = mp_cursor_u64(from);
}

static void
take_build_id(struct mp_module *module, struct mp_cursor *from)
{
    const uint8_t *bytes;

    module->build_id_size = mp_cursor_below(from, sizeof module->build_id + 1);
    bytes = mp_cursor_bytes(from, module->build_id_size);
    if (bytes)
        memcpy(module->build_id, bytes, module->build_id_size);
}

static void
take_modules(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_modules = mp_cursor_count(from, 4);
    struct mp_module *modules = profile->modules = mp_take_array(decoder, n, sizeof *modules);
    uint32_t path = MP_NO_ID, problem = MP_NO_ID;

    for (uint32_t i = 0; i < n; i++) {
        modules[i].path = mp_take_string(decoder, from, &path);
        modules[i].name = mp_text_basename(modules[i].path);
    }
    for (uint32_t i = 0; i < n; i++)
        take_build_id(&modules[i], from);
    for (uint32_t i = 0; i < n; i++)
        modules[i].unloaded = mp_cursor_below(from, 2);
    for (uint32_t i = 0; i < n; i++)
        modules[i].problem = mp_take_string(decoder, from, &problem);
}

static void
take_functions(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_functions = mp_cursor_count(from, 3);
    struct mp_function *functions = profile->functions =
        mp_take_array(decoder, n, sizeof *functions);
    uint32_t name = MP_NO_ID, module = MP_NO_ID;

    for (uint32_t i = 0; i < n; i++)
        functions[i].name = mp_take_string(decoder, from, &name);
    for (uint32_t i = 0; i < n; i++)
        functions[i].module = module = mp_cursor_id(from, module, profile->n_modules, true);
    for (uint32_t i = 0; i < n; i++)
        functions[i].start = (i ? functions[i - 1].start : 0) + (uint64_t)mp_cursor_signed(from);
}

static void
take_plain(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    struct mp_function *functions = profile->functions;
    static const char other[] = "";             /* marks a function whose plain name follows below */
    uint32_t name = MP_NO_ID, file = MP_NO_ID;

    for (uint32_t i = 0; i < profile->n_functions; i++) {
        uint32_t plain = mp_cursor_below(from, MP_PLAIN_END);

        functions[i].plain = plain == MP_PLAIN_SAME ? functions[i].name
                             : plain == MP_PLAIN_OTHER ? other : NULL;
    }
    for (uint32_t i = 0; i < profile->n_functions; i++)
        if (functions[i].plain == other)
            functions[i].plain = mp_take_string(decoder, from, &name);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        functions[i].file = mp_take_string_or_none(decoder, from, &file);
}

static void
take_locations(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_locations = mp_cursor_count(from, 4);
    struct mp_location *locations = profile->locations =
        mp_take_array(decoder, n, sizeof *locations);
    uint32_t function = MP_NO_ID, file = MP_NO_ID, line = 0;

    for (uint32_t i = 0; i < n; i++)
        locations[i].function = function =
            mp_cursor_id(from, function, profile->n_functions, false);
    for (uint32_t i = 0; i < n; i++) {
        int64_t to;

        if (__builtin_add_overflow(mp_cursor_signed(from), (int64_t)line, &to) || to < 0 ||
            to > UINT32_MAX)
            mp_take_damaged(from, "a line does not fit into 32 bits");
        else
            line = (uint32_t)to;
        locations[i].line = line;
    }
    for (uint32_t i = 0; i < n; i++)
        locations[i].file = mp_take_string(decoder, from, &file);
    for (uint32_t i = 0; i < n; i++)
        locations[i].inlined = mp_cursor_below(from, 2);
}

/* Reads the locations of each frame. Every frame has at least one. */
static void
take_frame_locations(struct mp_profile *profile, struct mp_cursor *from)
{
    int64_t *starts = calloc(profile->n_frames + (size_t)1, sizeof *starts), next = 0;

    if (!starts) {
        mp_cursor_fail(from, MP_ERR_MEMORY, "too many frames");
        return;
    }
    for (uint32_t i = 0; i < profile->n_frames; i++)
        starts[i] = mp_cursor_signed(from);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        struct mp_frame *frame = &profile->frames[i];

        frame->n_locations = mp_cursor_below(from, profile->n_locations + 1);
        if (__builtin_add_overflow(starts[i], next, &next) || next < 0 ||
            next > profile->n_locations - (int64_t)frame->n_locations || frame->n_locations == 0) {
            mp_take_damaged(from, "a frame's locations are not there");
            break;
        }
        frame->first_location = (uint32_t)next;
        next += frame->n_locations;
    }
    free(starts);
}

static void
take_frames(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t n = profile->n_frames = mp_cursor_count(from, 5), module = MP_NO_ID;
    struct mp_frame *frames = profile->frames = mp_take_array(decoder, n, sizeof *frames);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t flags = mp_cursor_below(from, 2 * (MP_FRAME_LAST_MARK + 1));

        frames[i].mark = flags / 2;
        frames[i].exact = flags & 1;
        frames[i].name = MP_NO_ID;
    }
    for (uint32_t i = 0; i < n; i++) {
        frames[i].module = module = mp_cursor_id(from, module, profile->n_modules, true);
        if (frames[i].mark && module != MP_NO_ID)
            mp_take_damaged(from, "a mark has a module");
    }
    for (uint32_t i = 0; i < n; i++)
        frames[i].offset = (i ? frames[i - 1].offset : 0) + (uint64_t)mp_cursor_signed(from);
    take_frame_locations(profile, from);
}

static void
take_contexts(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_contexts(decoder->profile, from);
}

static void
take_cells(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_cells(decoder->profile, from);
}

static void
take_types(struct mp_decoder *decoder, struct mp_cursor *from)
{
    struct mp_profile *profile = decoder->profile;
    uint32_t string = MP_NO_ID;

    profile->n_types = mp_cursor_count(from, 1);
    profile->types = mp_take_array(decoder, profile->n_types, sizeof *profile->types);
    for (uint32_t i = 0; i < profile->n_types; i++)
        profile->types[i] = mp_take_string(decoder, from, &string);
}

static void
take_bins(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_bins(decoder->profile, from);
}

static void
take_objects(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_objects(decoder->profile, from);
}

static void
take_samples(struct mp_decoder *decoder, struct mp_cursor *from)
{
    uint32_t period = mp_cursor_varint32(from);

    if (period == 0 || period > MP_MAX_SAMPLE)
        mp_take_damaged(from, "samples at a distance that cannot be");
    decoder->profile->meta.sample_period = period;
}

static void
take_crossed(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_crossed(decoder->profile, from);
}

static void
take_resized(struct mp_decoder *decoder, struct mp_cursor *from)
{
    mp_sealed_take_resized(decoder->profile, from);
}

static const struct {
    const char *name;
    void (*take)(struct mp_decoder *decoder, struct mp_cursor *from);
} sections[MP_SEC_END] = {
    [MP_SEC_STRINGS] = {"strings", mp_take_strings},
    [MP_SEC_META] = {"process", take_meta},
    [MP_SEC_MODULES] = {"modules", take_modules},
    [MP_SEC_FUNCTIONS] = {"functions", take_functions},
    [MP_SEC_LOCATIONS] = {"locations", take_locations},
    [MP_SEC_FRAMES] = {"frames", take_frames},
    [MP_SEC_CONTEXTS] = {"contexts", take_contexts},
    [MP_SEC_CELLS] = {"cells", take_cells},
    [MP_SEC_TYPES] = {"types", take_types},
    [MP_SEC_BINS] = {"bins", take_bins},
    [MP_SEC_RUNTIME] = {"runtime", mp_take_runtime},
    [MP_SEC_NAMES] = {"names", mp_take_names},
    [MP_SEC_FRAME_NAMES] = {"frames' names", mp_take_frame_names},
    [MP_SEC_KINDS] = {"kinds", mp_take_kinds},
    [MP_SEC_OBJECTS] = {"objects", take_objects},
    [MP_SEC_FORMS] = {"forms", mp_take_forms},
    [MP_SEC_RUN] = {"run", take_run},
    [MP_SEC_PLAIN] = {"plain names", take_plain},
    [MP_SEC_SAMPLES] = {"samples", take_samples},
    [MP_SEC_TIME] = {"time line", mp_take_time},
    [MP_SEC_CROSSED] = {"blocks freed by other threads", take_crossed},
    [MP_SEC_RESIZED] = {"blocks of realloc", take_resized},
    [MP_SEC_STACKS] = {"stacks", mp_take_stacks},
    [MP_SEC_PROCESSES] = {"processes", mp_take_processes},
    [MP_SEC_LIFETIMES] = {"lifetimes", mp_take_lifetimes},
    [MP_SEC_COLLECTIONS] = {"collections", mp_take_collections},
    [MP_SEC_ALLOCATOR] = {"allocator", mp_take_allocator},
    [MP_SEC_BAD_FREES] = {"faulty frees", mp_take_bad_frees},
    [MP_SEC_TEMPORARY] = {"temporary blocks of the time line", mp_take_temporary},
};

const char *
mp_sealed_section_name(unsigned tag)
{
    return sections[tag].name;
}

/* Decodes the section with TAG from BODY. Skips unknown sections. */
static bool
decode_section(struct mp_decoder *decoder, uint64_t tag, struct mp_cursor *body, const char *name,
               struct mp_error *error)
{
    if (tag >= MP_SEC_END || !sections[tag].take)
        return true;
    sections[tag].take(decoder, body);
    if (mp_cursor_left(body) > 0)
        mp_take_damaged(body, "longer than what is in it");
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
decode_sections(struct mp_decoder *decoder, struct mp_cursor *from, const char *name,
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
            mp_take_damaged(from, "a section is missing or twice there");
        if (from->problem)
            break;
        mp_cursor_init(&body, start, length, place);
        if (!decode_section(decoder, tag, &body, name, error))
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
    bool sampled = profile->meta.sample_period > 0;

    for (uint32_t i = 0; i < profile->n_cells; i++) {
        const struct mp_cell *cell = &profile->cells[i];
        bool sample = sampled && !mp_is_lisp(cell);

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
    struct mp_decoder decoder = {.profile = profile};
    struct mp_cursor from;
    const char *problem;
    uint32_t cell;

    mp_cursor_init(&from, bytes, size, base);
    if (!decode_sections(&decoder, &from, name, error))
        return false;
    profile->symbolised = true;
    problem = mp_check_cells(profile, &cell);
    if (!problem)
        problem = check_alike(profile);
    if (problem)
        mp_take_damaged(&from, problem);
    mp_profile_set_kept(profile);
    if (!problem && profile->meta.sample_period > 0)
        scale_samples(profile);
    return mp_cursor_error(&from, name, "cells", error);
}
