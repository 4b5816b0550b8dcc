#include "import.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats.h"

#define GZIP_WINDOW (MAX_WBITS + 16)
#define MOST_BYTES ((size_t)1 << 30)    /* maximum size of a decompressed file */
#define MOST_RATIO 100u         /* maximum compression ratio beyond the first FREE_BYTES */
#define FREE_BYTES ((size_t)1 << 20)

static const struct {
    bool (*is)(const uint8_t *bytes, size_t size);
    struct mp_profile *(*read)(const uint8_t *bytes, size_t size, const char *name,
                               struct mp_error *error);
} formats[] = {
    {mp_is_legacy, mp_import_legacy},
    {mp_is_pprof, mp_import_pprof},
};

/* ---------------------------------------------------------------- unpacking */

struct unpacked {
    uint8_t *bytes;             /* from malloc() */
    size_t size, room, most;
};

/* Ensures that there is free space. Returns false if the maximum is reached. */
static bool
grow(struct unpacked *to)
{
    if (to->size < to->room)
        return true;
    if (to->room >= to->most)
        return false;
    to->room = to->room ? 2 * to->room : (size_t)1 << 16;
    to->bytes = mp_need(realloc(to->bytes, to->room));
    return true;
}

/* Decompresses all members of a file. Returns NULL or an error message. */
static const char *
inflate_all(z_stream *stream, struct unpacked *to)
{
    int result = Z_OK;

    while (result == Z_OK || stream->avail_in > 0) {
        if (result == Z_STREAM_END && *stream->next_in == 0)
            return NULL;        /* padding, which gzip(1) accepts as well */
        if (result == Z_STREAM_END && inflateReset(stream) != Z_OK)
            return "cannot be unpacked";
        if (!grow(to))
            return "too much to be a profile when it is unpacked";
        stream->next_out = to->bytes + to->size;
        stream->avail_out = to->room - to->size < UINT_MAX ? (uInt)(to->room - to->size) : UINT_MAX;
        result = inflate(stream, Z_NO_FLUSH);
        to->size = (size_t)(stream->next_out - to->bytes);
        if (result == Z_BUF_ERROR && stream->avail_in == 0)
            return "ends within what is packed by gzip";
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return "not packed as gzip would have";
        if (result == Z_BUF_ERROR)
            result = Z_OK;
    }
    return NULL;
}

static bool
unpack(const uint8_t *bytes, size_t size, const char *name, struct unpacked *to, struct mp_error *error)
{
    z_stream stream = {.next_in = (uint8_t *)bytes, .avail_in = (uInt)size};
    const char *problem;

    to->most = size < (MOST_BYTES - FREE_BYTES) / MOST_RATIO ? FREE_BYTES + MOST_RATIO * size : MOST_BYTES;
    if (size > UINT_MAX || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", name);
    problem = inflate_all(&stream, to);
    inflateEnd(&stream);
    return !problem || mp_fail(error, MP_ERR_DAMAGED, MP_NO_OFFSET, "%s: %s", name, problem);
}

/* ---------------------------------------------------------------- the whole */

/* Returns the subject of a profile of another known kind, recognised by its first bytes, or NULL. */
static const char *
other_subject(const uint8_t *bytes, size_t size)
{
    static const struct {
        const char *head, *subject;
    } others[] = {
        {"--- contention", "contention: how long locks were waited for"},
        {"--- Stacks:", "contention: how long locks were waited for"},
        {"--- mutex", "mutexes: how long locks were waited for"},
        {"goroutine profile:", "goroutines"},
        {"threadcreate profile:", "threads that were created"},
    };
    static const uint8_t word[] = {0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t half[] = {0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (size >= strlen(others[i].head) && memcmp(bytes, others[i].head, strlen(others[i].head)) == 0)
            return others[i].subject;
    if ((size > sizeof word && memcmp(bytes, word, sizeof word) == 0) ||
        (size > sizeof half && memcmp(bytes, half, sizeof half) == 0))
        return "CPU time";
    return NULL;
}

static struct mp_profile *
import_plain(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    const char *subject;

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].is(bytes, size))
            return formats[i].read(bytes, size, name, error);
    subject = other_subject(bytes, size);
    if (subject)
        mp_fail(error, MP_ERR_FOREIGN, MP_NO_OFFSET, "%s: a profile of %s", name, subject);
    else
        mp_fail(error, MP_ERR_NOT_MPROF, MP_NO_OFFSET, "%s", name);
    return NULL;
}

struct mp_profile *
mp_import(const uint8_t *bytes, size_t size, const char *name, struct mp_error *error)
{
    struct unpacked plain = {NULL};
    struct mp_profile *profile = NULL;

    if (mp_is_heaptrack(bytes, size))
        return mp_import_heaptrack(bytes, size, name, error);
    if (size <= 2 || bytes[0] != 0x1f || bytes[1] != 0x8b)
        return import_plain(bytes, size, name, error);
    if (unpack(bytes, size, name, &plain, error))
        profile = import_plain(plain.bytes, plain.size, name, error);
    free(plain.bytes);
    return profile;
}
