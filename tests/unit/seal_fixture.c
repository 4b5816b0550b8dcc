#include "tap.h"

#include "seal_fixture.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"
#include "live_builder.h"
#include "profile_builder.h"
#include "profile_checks.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"

const char *path;

void
folder_set_up(void)
{
    path = in_folder("mprof.data");
}

/* Symbols as mp_symbolise() would fill them in. */
static void
symbolise(struct mp_profile *profile)
{
    static const char *const names[] = {"make_widget", "make_red_widget", "make_blue_widget",
                                        "main", "__libc_start_call_main",
                                        "operator new(std::size_t)"};
    uint32_t n = profile->n_frames;

    profile->functions = mp_arena_alloc(profile->arena, n * sizeof *profile->functions);
    profile->locations = mp_arena_alloc(profile->arena, 2 * n * sizeof *profile->locations);
    profile->types = mp_arena_alloc(profile->arena, 2 * sizeof *profile->types);
    profile->n_functions = n;
    for (uint32_t i = 0; i < n; i++) {
        profile->functions[i] = (struct mp_function){
            .text = names[i % 6], .plain = names[i % 6], .module = profile->frames[i].module,
            .start = profile->frames[i].offset & ~(uint64_t)0xff};
        profile->frames[i].first_location = profile->n_locations;
        profile->frames[i].n_locations = 1 + i % 2;
        for (uint32_t j = 0; j <= i % 2; j++)
            profile->locations[profile->n_locations++] = (struct mp_location){
                .function = (i + j) % n, .line = 40 - i, .inlined = j < i % 2,
                .file = i == 4 ? "" : "/home/zorn/widgets.c"};
    }
    profile->types[0] = "struct widget";
    profile->types[1] = "struct other";
    profile->n_types = 2;
    profile->bins[204].first_type = 0;
    profile->bins[204].n_types = 2;
    profile->modules[0].problem = "no symbols";
    profile->symbolised = true;
}

static struct mp_profile *
built_by(void (*build)(struct live_builder *b))
{
    static struct live_builder b;
    struct mp_profile *profile;
    uint8_t *file;
    size_t size;

    lb_init(&b);
    build(&b);
    file = lb_finish(&b, &size);
    profile = mp_read_bytes(file, size, "live", &error);
    free(file);
    if (!profile)
        abort();
    symbolise(profile);
    return keep_profile(profile);
}

struct mp_profile *
widgets(void)
{
    return built_by(lb_widgets);
}

struct mp_profile *
named(void)
{
    struct mp_profile *profile = widgets();

    profile->meta.run_id[0] = 0x0123456789abcdef;
    profile->meta.run_id[1] = UINT64_MAX;
    for (uint32_t i = 0; i < profile->n_functions; i++) {
        struct mp_function *function = &profile->functions[i];

        function->file = i == 2 ? NULL : i == 3 ? "" : "widgets.c";
        function->kind = i % 3 == 0 ? MP_FUNCTION_ORDINARY : i % 3 == 1 ? MP_FUNCTION_CLONE : MP_FUNCTION_PLACE;
        function->plain = i % 3 == 0 ? function->text : i % 3 == 1 ? "make.part.0" : NULL;
        function->parameters = i % 3 == 1 ? "(int)" : NULL;
        function->runtime_name = i == 3 ? "MAKE" : NULL;
        function->unit = i == 2 ? "widgets.c" : NULL;
        function->clone = i % 3 == 1 ? 7 : 0;
        function->line = 40 - i;
        function->language = (uint16_t)i;
    }
    return profile;
}

struct mp_profile *
timed(void)
{
    static const struct mp_point points[] = {
        {1000, 0, 0, 0, 0, 0, 4096}, {2000, 5000, 16, 20, 30, 7000, MP_NOT_SEEN},
        {2000, 4000, 0, 10, 40, 9000, 8192}};
    static const struct mp_moment moments[] = {
        {.kind = MP_MOMENT_START, .name = "", .exact = true, .has_changes = true},
        {.kind = MP_MOMENT_SEEN, .time = 1000, .name = "", .has_changes = true, .n_changes = 1},
        {.kind = MP_MOMENT_PEAK, .time = 1500, .name = "", .first_change = 1},
        {.kind = MP_MOMENT_CHECKPOINT, .time = 2000, .name = "loaded", .exact = true,
         .has_changes = true, .first_change = 1, .n_changes = 1},
        {.kind = MP_MOMENT_COLLECTION, .time = 2500, .name = "full", .exact = true, .pause = 70,
         .heap_before = 4000, .heap_after = MP_NOT_SEEN, .first_change = 2},
        {.kind = MP_MOMENT_SNAPSHOT, .time = 2500, .name = "", .exact = true, .first_change = 2},
        {.kind = MP_MOMENT_END, .time = 3000, .name = "", .exact = true, .has_changes = true,
         .first_change = 2}};
    struct mp_profile *profile = widgets();
    const struct mp_cell *cell = &profile->cells[profile->n_cells - 1];
    struct mp_change changes[2];

    for (int i = 0; i < 2; i++)
        changes[i] = (struct mp_change){
            .context = cell->context, .kind = cell->kind, .allocs = cell->counts.allocs / 2,
            .bytes = cell->counts.bytes / 2, .frees = i ? cell->counts.frees : 0,
            .freed = i ? cell->counts.freed : 0, .temporary = 4u + (unsigned)i};
    pb_timeline(profile, moments, 7, changes, 2);
    profile->timeline->points = mp_arena_alloc(profile->arena, sizeof points);
    memcpy(profile->timeline->points, points, sizeof points);
    profile->timeline->n_points = 3;
    profile->timeline->interval = 1000;
    profile->timeline->left_out = 3;
    profile->timeline->temporary = true;
    return profile;
}

struct mp_profile *
lisp(void)
{
    return built_by(lb_lisp);
}

struct mp_profile *
read_sealed(void)
{
    struct mp_profile *profile = mp_read(path, &error);

    ck_assert_msg(profile != NULL, "%s", error.text);
    assert_valid(profile);
    return keep_profile(profile);
}

void
must_seal(const struct mp_profile *profile)
{
    uint64_t size = 0;
    struct stat status;

    ck_assert_msg(mp_seal(profile, path, &size, &error), "%s", error.text);
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_int_eq(status.st_size, (off_t)size);
    ck_assert_int_eq(status.st_mode & 07777, 0600);
}

uint8_t *
file_bytes(size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);

    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}
/* SPDX-License-Identifier: MIT */
