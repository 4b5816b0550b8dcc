/* SPDX-License-Identifier: MIT */
/* reader_sealed.c -- checks version, sizes and checksum of a sealed file, and inflates its content. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reporter/base/cursor.h"
#include "sealed_parts.h"

/* Deflate expands data by a factor of at most 1032. FIRST_ROOM is the initial capacity for inflated content. */
#define MAX_RATIO  1032u
#define FIRST_ROOM ((size_t)1 << 20)

struct wrapping {
    uint32_t version;
    uint32_t flags;
    uint64_t size, stored;      /* bytes of the content, inflated and as stored in the file */
};

/* Fails because something follows at END, the end of the recording. */
static bool
fail_more(const struct mp_input *input, uint64_t end, struct mp_error *error)
{
    char magic[sizeof MP_SEALED_MAGIC - 1];

    if (mp_input_read(input, end, magic, sizeof magic, error) && memcmp(magic, MP_SEALED_MAGIC, sizeof magic) == 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s contains several recordings, and one is needed here; "
                       "mprof merge makes one of them", input->name);
    return mp_fail(error, MP_ERR_DAMAGED, end, "%s: something follows the end", input->name);
}

static bool
check_wrapping(const struct wrapping *wrapping, const struct mp_input *input,
               struct mp_error *error)
{
    uint64_t around = MP_SEALED_HEADER_SIZE + MP_SEALED_CRC_SIZE;
    bool deflated = (wrapping->flags & MP_SEALED_DEFLATED) != 0;

    if (wrapping->flags & ~(uint32_t)MP_SEALED_DEFLATED)
        return mp_fail(error, MP_ERR_DAMAGED, 12, "%s: unknown flags", input->name);
    if (input->size < around || wrapping->stored > input->size - around)
        return mp_fail(error, MP_ERR_TRUNCATED, input->size, "%s", input->name);
    if (wrapping->stored < input->size - around)
        return fail_more(input, wrapping->stored + around, error);
    if (wrapping->size > MP_SEALED_MAX_CONTENT || wrapping->stored > MP_SEALED_MAX_CONTENT ||
        (deflated ? wrapping->size / MAX_RATIO > wrapping->stored
                  : wrapping->size != wrapping->stored))
        return mp_fail(error, MP_ERR_DAMAGED, 16, "%s: the sizes cannot be", input->name);
    return true;
}

/* Reads the header of INPUT to *WRAPPING and checks it. Afterwards the size of INPUT is bounded. */
static bool
take_wrapping(struct wrapping *wrapping, const struct mp_input *input, struct mp_error *error)
{
    uint8_t bytes[MP_SEALED_HEADER_SIZE];
    struct mp_cursor from;

    if (!mp_input_read(input, 0, bytes, sizeof bytes, error))
        return false;
    mp_cursor_init(&from, bytes, sizeof bytes, 0);
    mp_cursor_bytes(&from, sizeof MP_SEALED_MAGIC - 1);
    wrapping->version = mp_cursor_u32(&from);
    wrapping->flags = mp_cursor_u32(&from);
    wrapping->size = mp_cursor_u64(&from);
    wrapping->stored = mp_cursor_u64(&from);
    if (wrapping->version != MP_SEALED_VERSION && wrapping->version != MP_SEALED_VERSION_OBJECTS)
        return mp_fail(error, MP_ERR_VERSION, MP_NO_OFFSET,
                       "%s has version %" PRIu32 " of the sealed form, this mprof reads versions %u and %u",
                       input->name, wrapping->version, MP_SEALED_VERSION, MP_SEALED_VERSION_OBJECTS);
    return check_wrapping(wrapping, input, error);
}

static bool
check_crc(const uint8_t *bytes, const struct mp_input *input, struct mp_error *error)
{
    size_t size = (size_t)input->size - MP_SEALED_CRC_SIZE;
    struct mp_cursor from;

    mp_cursor_init(&from, bytes + size, MP_SEALED_CRC_SIZE, size);
    if (crc32_z(0, bytes, size) == mp_cursor_u32(&from))
        return true;
    return mp_fail(error, MP_ERR_DAMAGED, size, "%s: the checksum does not fit", input->name);
}

/* Inflates to *CONTENT, whose capacity grows with the data. A false SIZE in the file therefore allocates no memory.
 * Returns Z_OK, Z_MEM_ERROR or Z_DATA_ERROR. */
static int
inflate_all(z_stream *stream, struct mp_buffer *content, size_t size)
{
    int result = Z_OK;

    while (result == Z_OK) {
        if (content->size == content->room) {
            size_t room = content->room ? 2 * content->room : FIRST_ROOM;
            uint8_t *bytes = realloc(content->bytes, room);

            if (!bytes)
                return Z_MEM_ERROR;
            content->bytes = bytes;
            content->room = room;
        }
        stream->next_out = content->bytes + content->size;
        stream->avail_out = (uInt)(content->room - content->size);
        result = inflate(stream, Z_NO_FLUSH);
        content->size = content->room - stream->avail_out;
        if (content->size > size)
            return Z_DATA_ERROR;
    }
    return result == Z_STREAM_END && content->size == size && stream->avail_in == 0 ? Z_OK
           : result == Z_MEM_ERROR ? result : Z_DATA_ERROR;
}

static bool
inflate_content(const struct wrapping *wrapping, const uint8_t *stored, struct mp_buffer *content,
                const char *name, struct mp_error *error)
{
    z_stream stream = {.next_in = (z_const Bytef *)stored, .avail_in = (uInt)wrapping->stored};
    int result;

    result = inflateInit2(&stream, -MAX_WBITS);
    if (result == Z_OK) {
        result = inflate_all(&stream, content, (size_t)wrapping->size);
        inflateEnd(&stream);
    }
    if (result == Z_OK)
        return true;
    return mp_fail(error, result == Z_MEM_ERROR ? MP_ERR_MEMORY : MP_ERR_DAMAGED,
                   MP_SEALED_HEADER_SIZE, "%s: the content cannot be inflated", name);
}

static bool
read_content(struct mp_profile *profile, const struct wrapping *wrapping, const uint8_t *bytes,
             const char *name, struct mp_error *error)
{
    const uint8_t *stored = bytes + MP_SEALED_HEADER_SIZE;
    struct mp_buffer content = {0};
    bool done;

    if (!(wrapping->flags & MP_SEALED_DEFLATED))
        return mp_sealed_decode(profile, stored, (size_t)wrapping->size, MP_SEALED_HEADER_SIZE, name, error);
    done = inflate_content(wrapping, stored, &content, name, error);
    if (done && !mp_sealed_decode(profile, content.bytes, content.size, 0, name, error)) {
        size_t length = strlen(error->text);

        snprintf(error->text + length, sizeof error->text - length, " (after inflation)");
        done = false;
    }
    mp_buffer_free(&content);
    return done;
}

struct mp_profile *
mp_read_sealed(struct mp_input *input, struct mp_error *error)
{
    struct mp_profile *profile = NULL;
    struct wrapping wrapping;
    uint8_t *bytes;

    if (!take_wrapping(&wrapping, input, error))
        return NULL;
    bytes = malloc((size_t)input->size);
    if (!bytes) {
        mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "%s", input->name);
        return NULL;
    }
    if (mp_input_read(input, 0, bytes, (size_t)input->size, error) && check_crc(bytes, input, error)) {
        profile = mp_profile_new();
        if (!read_content(profile, &wrapping, bytes, input->name, error)) {
            mp_profile_free(profile);
            profile = NULL;
        }
    }
    free(bytes);
    return profile;
}
