#include "reader.h"

#include <string.h>

#include "live_parts.h"
#include "sealed_parts.h"

static struct mp_profile *
read_source(struct mp_input *input, const struct mp_observed *observed, struct mp_error *error)
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
        return mp_read_live(input, observed, error);
    if (memcmp(magic, MP_SEALED_MAGIC, sizeof magic) == 0)
        return mp_read_sealed(input, error);
    if (mp_image_is_beheaded(input))
        return mp_read_live(input, observed, error);
    mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", input->name);
    return NULL;
}

struct mp_profile *
mp_read(const char *path, struct mp_error *error)
{
    return mp_read_observed(path, NULL, error);
}

struct mp_profile *
mp_read_observed(const char *path, const struct mp_observed *observed, struct mp_error *error)
{
    struct mp_input input;
    struct mp_profile *profile;

    if (!mp_input_open(&input, path, error))
        return NULL;
    profile = read_source(&input, observed, error);
    mp_input_close(&input);
    return profile;
}

struct mp_profile *
mp_read_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    static const uint8_t none[1];
    struct mp_input input = {.name = name, .bytes = bytes ? bytes : none, .fd = -1,
                               .size = size};

    return read_source(&input, NULL, error);
}
