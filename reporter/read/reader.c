#include "reader.h"

#include <string.h>

#include "live_parts.h"
#include "sealed_parts.h"

static struct mp_profile *
read_source(struct mp_source *source, struct mp_error *error)
{
    char magic[8];

    if (source->size == 0) {
        mp_fail(error, MP_ERR_EMPTY, MP_NO_OFFSET, "%s is empty", source->name);
        return NULL;
    }
    if (source->size < sizeof magic) {
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", source->name);
        return NULL;
    }
    if (!mp_source_read(source, 0, magic, sizeof magic, error))
        return NULL;
    if (memcmp(magic, MP_LIVE_MAGIC, sizeof magic) == 0)
        return mp_read_live(source, error);
    if (memcmp(magic, MP_SEALED_MAGIC, sizeof magic) == 0)
        return mp_read_sealed(source, error);
    if (mp_image_is_beheaded(source))
        return mp_read_live(source, error);
    mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", source->name);
    return NULL;
}

struct mp_profile *
mp_read(const char *path, struct mp_error *error)
{
    struct mp_source source;
    struct mp_profile *profile;

    if (!mp_source_open(&source, path, error))
        return NULL;
    profile = read_source(&source, error);
    mp_source_close(&source);
    return profile;
}

struct mp_profile *
mp_read_bytes(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    static const uint8_t none[1];
    struct mp_source source = {.name = name, .bytes = bytes ? bytes : none, .fd = -1,
                               .size = size};

    return read_source(&source, error);
}
