#include "heap_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "heap_files.h"
#include "reporter/base/arena.h"

static uint32_t
u32_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool
is_none(const char *name, struct mp_error *error)
{
    uint32_t n;
    char **files = mp_heap_files(name, &n);     /* the user may have named a recording: suggest its last snapshot */

    mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s is not a snapshot of a heap%s%s", name,
            files ? ", as is " : "", files ? files[n - 1] : "");
    mp_heap_files_free(files, n);
    return false;
}

bool
mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error)
{
    uint8_t head[MP_HEAP_HEADER];
    uint32_t version, form;

    *stream = (struct mp_heap_stream){.input = input, .offset = MP_HEAP_HEADER};
    if (input->size < 8 || !mp_input_read(input, 0, head, 8, error) || memcmp(head, MP_HEAP_MAGIC, 8) != 0)
        return is_none(input->name, error);
    if (!mp_input_read(input, 0, head, sizeof head, error))
        return false;
    version = u32_at(head + 8);
    form = u32_at(head + 12);
    if (version != MP_HEAP_VERSION)
        return mp_fail(error, MP_ERR_VERSION, 8, "%s is a snapshot of version %u, this mprof reads version %u",
                       input->name, version, MP_HEAP_VERSION);
    if (form != MP_HEAP_RAW && form != MP_HEAP_SEALED)
        return mp_fail(error, MP_ERR_DAMAGED, 12, "%s: there is no form %u", input->name, form);
    stream->form = (enum mp_heap_form)form;
    stream->stored = mp_need(malloc(8 + MP_HEAP_MAX_BLOCK + 4));
    stream->content = mp_need(malloc(MP_HEAP_MAX_BLOCK));
    return true;
}

void
mp_heap_stream_close(struct mp_heap_stream *stream)
{
    free(stream->stored);
    free(stream->content);
    stream->stored = stream->content = NULL;
}

bool
mp_heap_stream_more(const struct mp_heap_stream *stream)
{
    return stream->offset < stream->input->size;
}

static bool
unpack(struct mp_heap_stream *stream, uint32_t size, uint32_t stored, struct mp_error *error)
{
#ifdef MP_HAVE_ZSTD
    if (ZSTD_decompress(stream->content, size, stream->stored + 8, stored) == size)
        return true;
    return mp_fail(error, MP_ERR_DAMAGED, stream->offset, "%s: a block cannot be decompressed", stream->input->name);
#else
    (void)size, (void)stored;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s is packed by zstd, without which this mprof was built",
                   stream->input->name);
#endif
}

bool
mp_heap_stream_block(struct mp_heap_stream *stream, struct mp_error *error)
{
    const char *name = stream->input->name;
    uint64_t at = stream->offset;
    uint32_t size, stored;

    if (!mp_input_read(stream->input, at, stream->stored, 8, error))
        return false;
    size = u32_at(stream->stored);
    stored = u32_at(stream->stored + 4);
    if (size == 0 || size > MP_HEAP_MAX_BLOCK || stored == 0 || stored > size)
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: a block of %u bytes in %u", name, size, stored);
    if (!mp_input_read(stream->input, at + 8, stream->stored + 8, (size_t)stored + 4, error))
        return false;
    if (crc32_z(0, stream->stored, 8 + (size_t)stored) != u32_at(stream->stored + 8 + stored))
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: wrong checksum", name);
    if (stored == size)
        memcpy(stream->content, stream->stored + 8, size);
    else if (!unpack(stream, size, stored, error))
        return false;
    mp_cursor_init(&stream->cursor, stream->content, size, at);
    stream->offset = at + 8 + stored + 4;
    return true;
}

static bool
write_all(int to, const uint8_t *bytes, size_t size, struct mp_error *error)
{
    while (size > 0) {
        const ssize_t done = write(to, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "a copy of the snapshot cannot be written: %s",
                           strerror(done < 0 ? errno : ENOSPC));
        bytes += done;
        size -= (size_t)done;
    }
    return true;
}

bool
mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error)
{
    struct mp_input input = {.name = name, .fd = from};
    struct mp_heap_stream stream;
    uint8_t head[MP_HEAP_HEADER];
    bool ok;

    if (!mp_input_measure(&input, error) || !mp_heap_stream_open(&stream, &input, error))
        return false;
    ok = mp_input_read(&input, 0, head, sizeof head, error) && write_all(to, head, sizeof head, error);
    while (ok && mp_heap_stream_more(&stream)) {
        const uint64_t at = stream.offset;

        ok = mp_heap_stream_block(&stream, error) &&
             write_all(to, stream.stored, (size_t)(stream.offset - at), error);
    }
    mp_heap_stream_close(&stream);
    return ok;
}
