/* SPDX-License-Identifier: MIT */
#include "heap_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "reporter/base/arena.h"
#include "reporter/base/write_file.h"

struct mp_heap_writer {
    char *path;
    struct mp_writing out;
    enum mp_heap_form form;
    struct mp_buffer record, block;
};

/* Returns the bytes of the block as they are stored, and sets *SIZE to their number. */
static const uint8_t *
packed(struct mp_heap_writer *writer, size_t *size)
{
    const struct mp_buffer *block = &writer->block;

    *size = block->size;
#ifdef MP_HAVE_ZSTD
    if (writer->form == MP_HEAP_SEALED) {
        static uint8_t room[MP_HEAP_MAX_BLOCK];         /* a block that does not fit is stored uncompressed */
        size_t got = ZSTD_compress(room, sizeof room, block->bytes, block->size, 3);

        if (!ZSTD_isError(got) && got < block->size) {
            *size = got;
            return room;
        }
    }
#endif
    return block->bytes;
}

static void
end_block(struct mp_heap_writer *writer)
{
    const uint8_t *stored;
    size_t n;

    if (writer->block.size == 0)
        return;
    stored = packed(writer, &n);
    mp_writing_block(&writer->out, writer->block.size, stored, n);
    writer->block.size = 0;
}

static void
end_record(struct mp_heap_writer *writer)
{
    struct mp_buffer *record = &writer->record;

    if (writer->block.size + record->size > MP_HEAP_MAX_BLOCK)
        end_block(writer);
    if (record->size > MP_HEAP_MAX_BLOCK)
        writer->out.problem = EFBIG;
    else
        mp_buffer_bytes(&writer->block, record->bytes, record->size);
    record->size = 0;
}

struct mp_buffer *
mp_heap_record(struct mp_heap_writer *writer, enum mp_heap_record tag)
{
    end_record(writer);
    mp_buffer_varint(&writer->record, tag);
    return &writer->record;
}

static void
free_writer(struct mp_heap_writer *writer)
{
    mp_buffer_free(&writer->record);
    mp_buffer_free(&writer->block);
    free(writer->path);
    free(writer);
}

static bool
cannot_write(const struct mp_heap_writer *writer, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", writer->path, strerror(errno));
}

/* Writes the header if writing has BEGUN. Otherwise frees WRITER and returns NULL. */
static struct mp_heap_writer *
begin(struct mp_heap_writer *writer, bool begun, struct mp_error *error)
{
    struct mp_buffer *head = &writer->block;

    if (!begun) {
        cannot_write(writer, error);
        free_writer(writer);
        return NULL;
    }
    mp_buffer_bytes(head, MP_HEAP_MAGIC, 8);
    mp_buffer_u32(head, MP_HEAP_VERSION);
    mp_buffer_u32(head, writer->form);
    mp_writing_put(&writer->out, head->bytes, head->size);
    head->size = 0;
    return writer;
}

static struct mp_heap_writer *
new_writer(const char *path, enum mp_heap_form form)
{
    struct mp_heap_writer *writer = mp_need(calloc(1, sizeof *writer));

    writer->form = form;
    writer->path = mp_need(strdup(path));
    return writer;
}

struct mp_heap_writer *
mp_heap_write_begin(int folder, const char *path, enum mp_heap_form form, struct mp_error *error)
{
    struct mp_heap_writer *writer = new_writer(path, form);
    const bool begun = mp_writing_begin(&writer->out, folder, path);
    struct stat status;

    /* a file that root replaces keeps its owner */
    if (begun && fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode))
        mp_writing_own(&writer->out, &status);
    return begin(writer, begun, error);
}

struct mp_heap_writer *
mp_heap_write_into(int fd, const char *path, enum mp_heap_form form, struct mp_error *error)
{
    struct mp_heap_writer *writer = new_writer(path, form);

    return begin(writer, mp_writing_begin_into(&writer->out, fd), error);
}

bool
mp_heap_write_end(struct mp_heap_writer *writer, bool ok, uint64_t *size, struct mp_error *error)
{
    bool done;

    end_record(writer);
    end_block(writer);
    done = mp_writing_end(&writer->out, ok);
    if (ok && !done)
        cannot_write(writer, error);
    if (size)
        *size = writer->out.size;
    free_writer(writer);
    return done;
}
