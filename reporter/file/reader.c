/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "figures_check.h"
#include "live_parts.h"
#include "reporter/base/progress.h"
#include "reporter/base/text.h"
#include "reporter/import/import.h"
#include "runtime/heap_format.h"
#include "sealed_parts.h"

#define MOST_FOREIGN ((uint64_t)1 << 30)        /* in bytes, maximum size of another tool's file */

/* Returns PROFILE if its figures are consistent. Otherwise frees it and returns NULL. Importers do not check
 * figures. */
static struct mp_profile *
checked(struct mp_profile *profile, const char *name, struct mp_error *error)
{
    const char *problem;
    uint32_t index;

    if (!profile || (problem = mp_check_cells(profile, &index)) == NULL)
        return profile;
    mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s: %s", name, problem);
    mp_profile_free(profile);
    return NULL;
}

/* Reads the file of another tool. */
static struct mp_profile *
read_foreign(struct mp_input *input, struct mp_error *error)
{
    size_t size = (size_t)input->size;
    struct mp_profile *profile = NULL;
    uint8_t *bytes;

    if (input->size > MOST_FOREIGN) {
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", input->name);
        return NULL;
    }
    bytes = mp_need(malloc(size));
    mp_progress_begin(mp_text_basename(input->name));
    if (mp_input_read(input, 0, bytes, size, error))
        profile = checked(mp_import(bytes, size, input->name, error), input->name, error);
    mp_progress_end();
    free(bytes);
    return profile;
}

static struct mp_profile *
read_source(struct mp_input *input, const struct mp_live_request *request, struct mp_error *error)
{
    char magic[8];

    if (input->size == 0) {
        mp_fail(error, MP_ERR_EMPTY, MP_NO_OFFSET, "%s is empty", input->name);
        return NULL;
    }
    if (input->size < sizeof magic) {
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", input->name);
        return NULL;
    }
    if (!mp_input_read(input, 0, magic, sizeof magic, error))
        return NULL;
    if (memcmp(magic, MP_LIVE_MAGIC, sizeof magic) == 0)
        return mp_read_live(input, request, error);
    if (memcmp(magic, MP_SEALED_MAGIC, sizeof magic) == 0)
        return mp_read_sealed(input, error);
    if (memcmp(magic, MP_HEAP_MAGIC, sizeof magic) == 0) {
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s is a snapshot of a heap: see mprof heap", input->name);
        return NULL;
    }
    if (mp_image_is_beheaded(input))
        return mp_read_live(input, request, error);
    return read_foreign(input, error);
}

/* Reads PATH, a live file as REQUEST describes it. */
static struct mp_profile *
read_path(const char *path, const struct mp_live_request *request, struct mp_error *error)
{
    struct mp_input input;
    struct mp_profile *profile;

    if (!mp_input_open(&input, path, error))
        return NULL;
    profile = read_source(&input, request, error);
    mp_input_close(&input);
    return profile;
}

struct mp_profile *
mp_read(const char *path, struct mp_error *error)
{
    return read_path(path, &(struct mp_live_request){0}, error);
}

struct mp_profile *
mp_read_observed(const char *path, const struct mp_observed *observed, struct mp_error *error)
{
    return read_path(path, &(struct mp_live_request){.observed = observed}, error);
}

struct mp_profile *
mp_read_open(int fd, const char *path, const struct mp_observed *observed, struct mp_error *error)
{
    const struct mp_live_request request = {.observed = observed};
    struct mp_input input = {.name = path, .fd = fd};

    return mp_input_measure(&input, error) ? read_source(&input, &request, error) : NULL;
}

struct mp_profile *
mp_read_contexts(const char *path, const uint64_t *ids, uint32_t *contexts, uint32_t n, struct mp_error *error)
{
    for (uint32_t i = 0; i < n; i++)
        contexts[i] = MP_NO_ID;
    return read_path(path, &(struct mp_live_request){.ids = ids, .contexts = contexts, .n = n}, error);
}

struct mp_profile *
mp_read_thread(const char *path, uint32_t recorder, struct mp_error *error)
{
    const struct mp_live_request request = {.recorder = recorder};
    struct mp_input input;
    struct mp_profile *profile;

    if (!mp_input_open(&input, path, error))
        return NULL;
    profile = mp_read_live(&input, &request, error);
    mp_input_close(&input);
    return profile;
}

struct mp_profile *
mp_read_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    static const uint8_t none[1];
    struct mp_input input = {.name = name, .bytes = bytes ? bytes : none, .fd = -1,
                               .size = size};

    return read_source(&input, &(struct mp_live_request){0}, error);
}
