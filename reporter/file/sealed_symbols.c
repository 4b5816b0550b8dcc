/* SPDX-License-Identifier: MIT */
/* sealed_symbols.c -- the sections of modules, functions, locations, frames and types. */
#include <stddef.h>
#include <string.h>

#include "reporter/base/text.h"
#include "sealed_parts.h"

/* Codes the size and the bytes of the build-id of MODULE. */
static void
code_build_id(struct mp_codec *codec, struct mp_module *module)
{
    const uint8_t *bytes = module->build_id;

    mp_code_below(codec, &module->build_id_size, sizeof module->build_id + 1);
    mp_code_bytes(codec, &bytes, module->build_id_size);
    if (codec->from && bytes)
        memcpy(module->build_id, bytes, module->build_id_size);
}

void
mp_code_modules(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_module *modules;

    mp_code_count(codec, &profile->n_modules, 4);
    modules = profile->modules = mp_code_array(codec, profile->modules, profile->n_modules, sizeof *modules);
    mp_code_texts(codec, modules, profile->n_modules, sizeof *modules, offsetof(struct mp_module, path));
    for (uint32_t i = 0; i < profile->n_modules; i++)
        code_build_id(codec, &modules[i]);
    for (uint32_t i = 0; i < profile->n_modules; i++)
        mp_code_bool(codec, &modules[i].unloaded);
    mp_code_texts(codec, modules, profile->n_modules, sizeof *modules, offsetof(struct mp_module, problem));
    for (uint32_t i = 0; codec->from && i < profile->n_modules; i++)
        modules[i].name = mp_text_basename(modules[i].path);
}

void
mp_code_functions(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_function *functions;
    uint32_t module = MP_NO_ID;

    mp_code_count(codec, &profile->n_functions, 3);
    functions = profile->functions =
        mp_code_array(codec, profile->functions, profile->n_functions, sizeof *functions);
    mp_code_texts(codec, functions, profile->n_functions, sizeof *functions, offsetof(struct mp_function, text));
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_code_id(codec, &functions[i].module, &module, profile->n_modules, true);
    for (uint32_t i = 0; i < profile->n_functions; i++)
        mp_code_difference(codec, &functions[i].start, i > 0 ? functions[i - 1].start : 0);
}

void
mp_code_identity(struct mp_codec *codec)
{
    static const size_t texts[] = {
        offsetof(struct mp_function, plain), offsetof(struct mp_function, parameters),
        offsetof(struct mp_function, runtime_name), offsetof(struct mp_function, file),
        offsetof(struct mp_function, unit)};
    const uint32_t n = codec->profile->n_functions;
    struct mp_function *functions = codec->profile->functions;

    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        uint32_t last = MP_NO_ID;

        for (uint32_t i = 0; i < n; i++)
            mp_code_string_or_none(codec, (const char **)(void *)((char *)&functions[i] + texts[k]), &last);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct mp_function *function = &functions[i];
        uint32_t kind = function->kind, language = function->language, clone = function->clone;
        uint64_t line = function->line;

        mp_code_below(codec, &kind, MP_FUNCTION_KINDS);
        mp_code_below(codec, &language, UINT16_MAX + 1);
        mp_code_below(codec, &clone, (uint32_t)strlen(function->plain ? function->plain : "") + 1);
        mp_code_difference(codec, &line, i > 0 ? functions[i - 1].line : 0);
        mp_code_check(codec, function->plain || kind == MP_FUNCTION_PLACE, "a function has no name");
        function->kind = kind;
        function->language = (uint16_t)language;
        function->clone = (uint16_t)clone;
        function->line = (uint32_t)line;
    }
}

/* Codes the line numbers of N LOCATIONS as signed differences. */
static void
code_lines(struct mp_codec *codec, struct mp_location *locations, uint32_t n)
{
    int64_t last = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t difference = (int64_t)locations[i].line - last;

        mp_code_i64(codec, &difference);
        if (__builtin_add_overflow(last, difference, &last) || last < 0 || last > UINT32_MAX)
            mp_code_check(codec, false, "a line does not fit into 32 bits");
        locations[i].line = (uint32_t)last;
    }
}

void
mp_code_locations(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_location *locations;
    uint32_t function = MP_NO_ID;

    mp_code_count(codec, &profile->n_locations, 4);
    locations = profile->locations =
        mp_code_array(codec, profile->locations, profile->n_locations, sizeof *locations);
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_code_id(codec, &locations[i].function, &function, profile->n_functions, false);
    code_lines(codec, locations, profile->n_locations);
    mp_code_texts(codec, locations, profile->n_locations, sizeof *locations, offsetof(struct mp_location, file));
    for (uint32_t i = 0; i < profile->n_locations; i++)
        mp_code_bool(codec, &locations[i].inlined);
}

/* Codes the index of each frame's first location, relative to the end of the previous frame's, and then the number of
 * each frame's locations. Every frame has at least one. All frames together must not have more locations than the
 * profile, because later stages allocate memory for copies of them. */
static void
code_frame_locations(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    int64_t *starts = mp_arena_alloc(codec->arena, profile->n_frames * sizeof *starts), next = 0;
    uint32_t left = profile->n_locations;

    for (uint32_t i = 0; i < profile->n_frames; i++) {
        starts[i] = profile->frames[i].first_location - next;
        next = (int64_t)profile->frames[i].first_location + profile->frames[i].n_locations;
        mp_code_i64(codec, &starts[i]);
    }
    next = 0;
    for (uint32_t i = 0; i < profile->n_frames && !mp_code_failed(codec); i++) {
        struct mp_frame *frame = &profile->frames[i];

        mp_code_below(codec, &frame->n_locations, left + 1);
        left -= frame->n_locations;
        if (__builtin_add_overflow(starts[i], next, &next) || next < 0 ||
            next > profile->n_locations - (int64_t)frame->n_locations || frame->n_locations == 0)
            mp_code_check(codec, false, "a frame's locations are not there");
        frame->first_location = (uint32_t)next;
        next += frame->n_locations;
    }
}

void
mp_code_frames(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;
    struct mp_frame *frames;
    uint32_t module = MP_NO_ID;

    mp_code_count(codec, &profile->n_frames, 5);
    frames = profile->frames = mp_code_array(codec, profile->frames, profile->n_frames, sizeof *frames);
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        uint32_t flags = 2 * frames[i].mark + frames[i].exact;

        mp_code_below(codec, &flags, 2 * (MP_FRAME_LAST_MARK + 1));
        frames[i].mark = flags / 2;
        frames[i].exact = flags & 1;
        if (codec->from)
            frames[i].name = MP_NO_ID;
    }
    for (uint32_t i = 0; i < profile->n_frames; i++) {
        mp_code_id(codec, &frames[i].module, &module, profile->n_modules, true);
        mp_code_check(codec, frames[i].mark == 0 || module == MP_NO_ID, "a mark has a module");
    }
    for (uint32_t i = 0; i < profile->n_frames; i++)
        mp_code_difference(codec, &frames[i].offset, i > 0 ? frames[i - 1].offset : 0);
    code_frame_locations(codec);
}

/* Returns the flag at OFFSET in FRAME. */
static bool *
flag_of(struct mp_frame *frame, size_t offset)
{
    return (bool *)((char *)frame + offset);
}

/* Codes the frames that have the flag at OFFSET in them. */
static void
code_flag(struct mp_codec *codec, size_t offset)
{
    struct mp_frame *frames = codec->profile->frames;
    uint32_t count = 0, frame = 0, next = 0;

    for (uint32_t i = 0; !codec->from && i < codec->profile->n_frames; i++)
        count += *flag_of(&frames[i], offset);
    if (!codec->from && count == 0)
        return;
    mp_code_count(codec, &count, 1);
    for (; count > 0 && !mp_code_failed(codec); count--) {
        while (!codec->from && !*flag_of(&frames[frame], offset))
            frame++;
        mp_code_later(codec, &frame, &next, codec->profile->n_frames);
        if (mp_code_failed(codec))
            return;
        *flag_of(&frames[frame++], offset) = true;
        next++;
    }
}

void
mp_code_unproved(struct mp_codec *codec)
{
    code_flag(codec, offsetof(struct mp_frame, unproved));
}

void
mp_code_tail(struct mp_codec *codec)
{
    code_flag(codec, offsetof(struct mp_frame, tail));
}

void
mp_code_types(struct mp_codec *codec)
{
    struct mp_profile *profile = codec->profile;

    mp_code_count(codec, &profile->n_types, 1);
    profile->types = mp_code_array(codec, profile->types, profile->n_types, sizeof *profile->types);
    mp_code_texts(codec, profile->types, profile->n_types, sizeof *profile->types, 0);
}
