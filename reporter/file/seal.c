/* SPDX-License-Identifier: MIT */
#include "seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "reporter/base/write_file.h"
#include "sealed_parts.h"

#define SMALL       256u        /* maximum content in bytes of a process that allocated almost nothing */
#define SMALL_BITS  9           /* base-2 logarithm of zlib's smallest window */
#define LARGE       1048576u    /* minimum content in bytes for LARGE_LEVEL */
#define LARGE_LEVEL 5           /* zlib's level that takes half the time of its default and gives files that are 2 %
                                   larger */

/* Deflates CONTENT to DEFLATED. Returns false if that fails or the result is not smaller. */
static bool
deflate_content(const struct mp_buffer *content, struct mp_buffer *deflated)
{
    z_stream stream = {.next_in = content->bytes, .avail_in = (uInt)content->size};
    /* clearing a full window and its tables takes longer than deflating so few bytes */
    const bool small = content->size <= SMALL;
    const int level = content->size >= LARGE ? LARGE_LEVEL : Z_DEFAULT_COMPRESSION;
    int result;

    deflated->bytes = mp_need(malloc(content->size));
    if (deflateInit2(&stream, level, Z_DEFLATED, small ? -SMALL_BITS : -MAX_WBITS,
                     small ? 1 : MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
        mp_no_memory();
    stream.next_out = deflated->bytes;
    stream.avail_out = (uInt)content->size;
    result = deflate(&stream, Z_FINISH);
    deflated->size = content->size - stream.avail_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END && deflated->size < content->size;
}

/* Writes header with VERSION, content, deflated if that is smaller, and checksum to FILE. */
static bool
wrap(const struct mp_buffer *content, uint32_t version, struct mp_buffer *file, const char *path,
     struct mp_error *error)
{
    struct mp_buffer deflated = {0};
    const struct mp_buffer *stored = content;
    uint32_t flags = 0;

    if (content->size > MP_SEALED_MAX_CONTENT)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "cannot write %s: too large", path);
    if (deflate_content(content, &deflated)) {
        flags = MP_SEALED_DEFLATED;
        stored = &deflated;
    }
    mp_buffer_bytes(file, MP_SEALED_MAGIC, sizeof MP_SEALED_MAGIC - 1);
    mp_buffer_u32(file, version);
    mp_buffer_u32(file, flags);
    mp_buffer_u64(file, content->size);
    mp_buffer_u64(file, stored->size);
    mp_buffer_bytes(file, stored->bytes, stored->size);
    mp_buffer_u32(file, (uint32_t)crc32_z(0, file->bytes, file->size));
    mp_buffer_free(&deflated);
    return true;
}

/* Writes FILE to PATH without fsync(), which would take most of the time where a run leaves many files. The live
 * file was not synchronised either. If the machine crashes within the next half minute, the checksum reveals a
 * damaged file. */
static bool
write_file(const struct mp_buffer *file, const char *path, struct mp_error *error)
{
    struct stat status;

    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                       "cannot write %s: it is not a regular file", path);
    if (mp_write_file(AT_FDCWD, path, 0600, file->bytes, file->size))
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", path, strerror(errno));
}

static bool
replace(const struct mp_buffer *content, const struct mp_file_at *file, struct mp_error *error)
{
    if (!mp_file_at_stands(file))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: it is another file by now", file->path);
    if (mp_write_file(file->folder, file->name, 0600, content->bytes, content->size))
        return true;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", file->path, strerror(errno));
}

/* Appends BYTES to FILE, which has *SIZE bytes. On failure FILE keeps these. */
static bool
append(const struct mp_buffer *bytes, const struct mp_file_at *file, uint64_t *size, struct mp_error *error)
{
    size_t done = 0;
    ssize_t n = mp_may_write(*size + bytes->size) ? 0 : -1;

    while (n >= 0 && done < bytes->size) {
        n = pwrite(file->fd, bytes->bytes + done, bytes->size - done, (off_t)(*size + done));
        done += n > 0 ? (size_t)n : 0;
        n = n < 0 && errno == EINTR ? 0 : n;
    }
    if (n < 0) {
        const int problem = errno, again = ftruncate(file->fd, (off_t)*size) == 0 ? 0 : errno;

        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", file->path,
                       strerror(again ? again : problem));
    }
    *size += done;
    return true;
}

/* Encodes PROFILE in the sealed form, for a file PATH. */
static bool
encode(const struct mp_profile *profile, const char *path, struct mp_buffer *bytes, struct mp_error *error)
{
    struct mp_buffer content = {0};
    bool done;

    if (!profile->symbolised)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET,
                       "cannot write %s: the profile has no symbols yet", path);
    mp_sealed_encode(profile, &content);
    done = wrap(&content, profile->meta.objects_sampled ? MP_SEALED_VERSION_OBJECTS : MP_SEALED_VERSION, bytes, path,
                error);
    mp_buffer_free(&content);
    return done;
}

bool
mp_seal(const struct mp_profile *profile, const char *path, uint64_t *size,
        struct mp_error *error)
{
    struct mp_buffer bytes = {0};
    const bool done = encode(profile, path, &bytes, error) && write_file(&bytes, path, error);

    if (done && size)
        *size = bytes.size;
    mp_buffer_free(&bytes);
    return done;
}

bool
mp_seal_at(const struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size, struct mp_error *error)
{
    struct mp_buffer bytes = {0};
    const bool done = encode(profile, file->path, &bytes, error) && replace(&bytes, file, error);

    if (done && size)
        *size = bytes.size;
    mp_buffer_free(&bytes);
    return done;
}

bool
mp_seal_append(const struct mp_profile *profile, const struct mp_file_at *file, uint64_t *end, uint64_t *size,
               struct mp_error *error)
{
    struct mp_buffer bytes = {0};
    const bool done = encode(profile, file->path, &bytes, error) && append(&bytes, file, end, error);

    *size = bytes.size;
    mp_buffer_free(&bytes);
    return done;
}

bool
mp_seal_put(const struct mp_profile *profile, struct mp_writing *writing, struct mp_error *error)
{
    struct mp_buffer bytes = {0};
    const bool done = encode(profile, "the recording", &bytes, error);

    if (done)
        mp_writing_put(writing, bytes.bytes, bytes.size);
    mp_buffer_free(&bytes);
    return done;
}

struct mp_profile *
mp_seal_copy(const struct mp_profile *profile, const char *name, struct mp_error *error)
{
    struct mp_profile *copy = mp_profile_new();
    struct mp_buffer content = {0};

    mp_sealed_encode(profile, &content);
    if (!mp_sealed_decode(copy, content.bytes, content.size, 0, name, error)) {
        mp_profile_free(copy);
        copy = NULL;
    }
    mp_buffer_free(&content);
    return copy;
}

unsigned
mp_seal_sections(const struct mp_profile *profile, struct mp_seal_section sections[MP_SEC_END])
{
    struct mp_buffer content = {0};
    struct mp_cursor from;
    unsigned n = 0;

    mp_sealed_encode(profile, &content);
    mp_cursor_init(&from, content.bytes, content.size, 0);
    while (mp_cursor_left(&from) > 0) {
        unsigned tag = mp_cursor_below(&from, MP_SEC_END);
        size_t size = mp_cursor_varint(&from);
        const struct mp_buffer section = {.bytes = content.bytes + content.size - mp_cursor_left(&from), .size = size};
        struct mp_buffer deflated = {0};
        bool smaller = size > 0 && deflate_content(&section, &deflated);

        sections[n++] = (struct mp_seal_section){mp_sealed_section_name(tag), size, smaller ? deflated.size : size};
        mp_buffer_free(&deflated);
        mp_cursor_bytes(&from, size);
    }
    mp_buffer_free(&content);
    return n;
}
