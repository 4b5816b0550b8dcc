/* SPDX-License-Identifier: MIT */
#include "several.h"

#include <stdio.h>

#include "merge.h"
#include "reporter/base/text.h"
#include "reporter/file/reader.h"
#include "reporter/file/seal.h"
#include "reporter/symbols/load.h"
#include "reporter/symbols/symbols.h"

/* Returns recording I of ARCHIVE with its names, or NULL with *ERROR set. */
static struct mp_profile *
read_named(const struct mp_archive *archive, uint32_t i, struct mp_error *error)
{
    struct mp_profile *profile = mp_archive_read(archive, i, error);

    if (profile && mp_load_names(profile, error))
        return profile;
    mp_profile_free(profile);
    return NULL;
}

void
mp_several_left_out(const struct mp_error *error)
{
    fputs("mprof: left out: ", stderr);
    mp_text_print(stderr, error->text);
    fputc('\n', stderr);
}

static bool
fail_cut(const char *path, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: the last recording is incomplete", path);
}

/* What identifies a recording, 0 and 0 if nothing does. */
struct key {
    uint64_t start;             /* as in struct mp_meta */
    uint32_t pid;
};

/* Adds recording I of ARCHIVE, the file PATH, to MERGE. Sets *KEY. Returns false after a message if it is left out. */
static bool
add(struct mp_merge *merge, const struct mp_archive *archive, uint32_t i, const char *path, struct key *key)
{
    struct mp_error error;
    struct mp_profile *profile = read_named(archive, i, &error);
    const bool added = profile && mp_merge_add(merge, profile, path, NULL, &error);

    if (profile)
        *key = (struct key){profile->meta.start_realtime, profile->meta.pid};
    mp_profile_free(profile);
    if (!added)
        mp_several_left_out(&error);
    return added;
}

/* Returns the sum of all recordings in ARCHIVE, the file PATH, whose KEYS it sets. */
static struct mp_profile *
sum(const struct mp_archive *archive, const char *path, struct key keys[], struct mp_error *error)
{
    struct mp_merge *merge = mp_merge_new(&(struct mp_merge_options){.chosen = true, .level = MP_LABEL_PROCESS});
    struct mp_profile *merged = NULL, *profile = NULL;
    uint64_t left_out = archive->cut;
    struct mp_error cut;

    if (archive->cut && !fail_cut(path, &cut))
        mp_several_left_out(&cut);
    mp_symbols_keep_files(true);
    for (uint32_t i = 0; i < archive->n; i++)
        left_out += !add(merge, archive, i, path, &keys[i]);
    mp_symbols_keep_files(false);
    if (mp_merge_count(merge) > 0)
        merged = mp_merge_finish(merge, left_out, error);
    else
        mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s: none of its recordings can be read", path);
    if (merged)
        profile = mp_seal_copy(merged, path, error);    /* MERGED ends with the merge */
    mp_profile_free(merged);
    mp_merge_free(merge);
    return profile;
}

/* Returns the number of the recording with KEYS in ARCHIVE that FILTERS choose from ALL, its sum. Returns MP_NO_ID if
 * they choose none, or several. */
static uint32_t
find_chosen(const struct mp_archive *archive, const struct key keys[], const struct mp_profile *all,
            const struct mp_filters *filters)
{
    const struct mp_processes *processes = all->processes;
    struct mp_arena *arena = mp_arena_new();
    const bool *chosen = NULL;
    struct mp_error ignored;
    uint32_t member = MP_NO_ID, n = 0, found = MP_NO_ID;

    mp_filters_choose(filters, processes, arena, &chosen, &ignored);
    for (uint32_t i = 0; chosen && i < processes->n; i++)
        if (chosen[i]) {
            member = i;
            n++;
        }
    for (uint32_t i = 0; n == 1 && i < archive->n; i++)
        if (keys[i].start != 0 && keys[i].start == processes->list[member].meta.start_realtime &&
            keys[i].pid == processes->list[member].meta.pid)
            found = i;
    mp_arena_free(arena);
    return found;
}

/* Reads ARCHIVE, the file PATH, which has several recordings. */
static struct mp_profile *
read_several(const struct mp_archive *archive, const char *path, const struct mp_filters *filters,
             struct mp_error *error)
{
    struct mp_arena *arena = mp_arena_new();
    struct key *keys = mp_arena_alloc(arena, archive->n * sizeof *keys);
    struct mp_profile *profile = sum(archive, path, keys, error);
    const uint32_t chosen = profile && filters ? find_chosen(archive, keys, profile, filters) : MP_NO_ID;

    if (chosen != MP_NO_ID) {
        mp_profile_free(profile);
        profile = read_named(archive, chosen, error);
    }
    mp_arena_free(arena);
    return profile;
}

static bool
are_several(const struct mp_archive *archive)
{
    return archive->n > 1 || (archive->n == 1 && archive->cut);
}

bool
mp_several_are_in(const char *path)
{
    struct mp_archive archive = {.n = 0};
    struct mp_error ignored;
    struct mp_input input;
    bool are = false;

    if (mp_input_open(&input, path, &ignored)) {
        are = mp_archive_open(&archive, &input, &ignored) && are_several(&archive);
        mp_archive_close(&archive);
        mp_input_close(&input);
    }
    return are;
}

struct mp_profile *
mp_several_read_open(int fd, const char *path, const struct mp_filters *filters, struct mp_error *error)
{
    struct mp_input input = {.name = path, .fd = fd};
    struct mp_profile *profile;
    struct mp_archive archive;

    if (!mp_input_measure(&input, error) || !mp_archive_open(&archive, &input, error))
        return NULL;
    profile = are_several(&archive) ? read_several(&archive, path, filters, error)
                                    : mp_read_open(fd, path, NULL, error);
    mp_archive_close(&archive);
    return profile;
}

struct mp_profile *
mp_several_read(const char *path, const struct mp_filters *filters, struct mp_error *error)
{
    struct mp_profile *profile;
    struct mp_input input;

    if (!mp_input_open(&input, path, error))
        return NULL;
    profile = mp_several_read_open(input.fd, path, filters, error);
    mp_input_close(&input);
    return profile;
}

struct mp_profile *
mp_several_load(const char *path, struct mp_error *error)
{
    struct mp_profile *profile = mp_several_read(path, NULL, error);

    if (!profile || mp_load_names(profile, error))
        return profile;
    mp_profile_free(profile);
    return NULL;
}

/* Calls TAKE for all recordings of ARCHIVE, or for the only one in PATH, which ARCHIVE does not have if that is no
 * sealed one. */
static bool
each(const struct mp_archive *archive, const char *path, mp_several_take *take, void *data, struct mp_error *error)
{
    const bool several = are_several(archive);
    const uint32_t n = several ? archive->n : 1;
    bool ok = true;

    for (uint32_t i = 0; i < n && ok; i++) {
        struct mp_profile *profile = several ? read_named(archive, i, error) : mp_load(path, error);

        ok = profile && take(data, profile, error);
        mp_profile_free(profile);
    }
    return ok;
}

bool
mp_several_each(const char *path, mp_several_take *take, void *data, struct mp_error *error)
{
    struct mp_archive archive;
    struct mp_input input;
    bool ok;

    if (!mp_input_open(&input, path, error))
        return false;
    ok = mp_archive_open(&archive, &input, error) && each(&archive, path, take, data, error) &&
         (!archive.cut || archive.n == 0 || fail_cut(path, error));
    mp_archive_close(&archive);
    mp_input_close(&input);
    return ok;
}
