#include "heap_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "heap_files.h"

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

static bool
unpack(struct mp_blocks *blocks, uint32_t size, uint32_t n, struct mp_error *error)
{
#ifdef MP_HAVE_ZSTD
    return ZSTD_decompress(blocks->content, size, blocks->stored + MP_BLOCK_HEAD, n) == size ||
           mp_blocks_damaged(blocks, error);
#else
    (void)size, (void)n;
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "%s is packed by zstd, without which this mprof was built",
                   blocks->input->name);
#endif
}

bool
mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error)
{
    uint8_t head[MP_HEAP_HEADER];
    struct mp_cursor cursor;
    uint32_t version, form;

    if (input->size < 8 || !mp_input_read(input, 0, head, 8, error) || memcmp(head, MP_HEAP_MAGIC, 8) != 0)
        return is_none(input->name, error);
    if (!mp_input_read(input, 0, head, sizeof head, error))
        return false;
    mp_cursor_init(&cursor, head + 8, sizeof head - 8, 8);
    version = mp_cursor_u32(&cursor);
    form = mp_cursor_u32(&cursor);
    if (version != MP_HEAP_VERSION)
        return mp_fail(error, MP_ERR_VERSION, 8, "%s is a snapshot of version %u, this mprof reads version %u",
                       input->name, version, MP_HEAP_VERSION);
    if (form != MP_HEAP_RAW && form != MP_HEAP_SEALED)
        return mp_fail(error, MP_ERR_DAMAGED, 12, "%s: there is no form %u", input->name, form);
    stream->form = (enum mp_heap_form)form;
    mp_blocks_begin(&stream->blocks, input, MP_HEAP_HEADER, MP_HEAP_MAX_BLOCK, unpack);
    return true;
}

bool
mp_heap_stream_more(const struct mp_heap_stream *stream)
{
    return stream->blocks.offset < stream->blocks.input->size;
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
        const uint64_t at = stream.blocks.offset;

        ok = mp_blocks_next(&stream.blocks, error) &&
             write_all(to, stream.blocks.stored, (size_t)(stream.blocks.offset - at), error);
    }
    mp_blocks_end(&stream.blocks);
    return ok;
}
