#include "heap_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "config.h"
#ifdef MP_HAVE_ZSTD
#include <zstd.h>
#endif

#include "reporter/base/arena.h"
#include "reporter/base/write_file.h"

struct mp_heap_writer {
    int folder;
    char *path, *beside;        /* beside: temporary name until the file is complete, or NULL */
    FILE *file;
    enum mp_heap_form form;
    struct mp_buffer record, block, stored;
    uint64_t size;
    int problem;                /* errno of the first error, or 0 */
};

static void
put(struct mp_heap_writer *writer, const void *bytes, size_t size)
{
    if (writer->problem == 0 && !mp_may_write(writer->size + size))
        writer->problem = errno;
    if (writer->problem == 0 && fwrite(bytes, 1, size, writer->file) != size)
        writer->problem = errno != 0 ? errno : EIO;
    writer->size += size;
}

static void
put_u32(struct mp_heap_writer *writer, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24)};

    put(writer, bytes, sizeof bytes);
}

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
    struct mp_buffer *head = &writer->stored;
    const uint8_t *bytes;
    size_t size;
    uLong sum;

    if (writer->block.size == 0)
        return;
    bytes = packed(writer, &size);
    head->size = 0;
    mp_buffer_u32(head, (uint32_t)writer->block.size);
    mp_buffer_u32(head, (uint32_t)size);
    if (head->failed)
        mp_no_memory();
    sum = crc32_z(crc32_z(0, head->bytes, head->size), bytes, size);
    put(writer, head->bytes, head->size);
    put(writer, bytes, size);
    put_u32(writer, (uint32_t)sum);
    writer->block.size = 0;
}

static void
end_record(struct mp_heap_writer *writer)
{
    struct mp_buffer *record = &writer->record;

    if (writer->block.size + record->size > MP_HEAP_MAX_BLOCK)
        end_block(writer);
    if (record->size > MP_HEAP_MAX_BLOCK)
        writer->problem = EFBIG;
    else
        mp_buffer_bytes(&writer->block, record->bytes, record->size);
    if (record->failed || writer->block.failed)
        mp_no_memory();
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
    mp_buffer_free(&writer->stored);
    free(writer->path);
    free(writer->beside);
    free(writer);
}

/* Lets a file that root replaces keep its owner. */
static void
keep_owner(struct mp_heap_writer *writer)
{
    struct stat status;

    if (geteuid() == 0 && fstatat(writer->folder, writer->path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_uid != 0 &&
        fchown(fileno(writer->file), status.st_uid, status.st_gid) != 0)
        writer->problem = errno;
}

/* Opens the stream on FD and writes the header. FD is -1 if the file could not be opened. Frees WRITER and returns
 * NULL on error. */
static struct mp_heap_writer *
begin(struct mp_heap_writer *writer, int fd, struct mp_error *error)
{
    writer->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!writer->file) {
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", writer->path, strerror(errno));
        if (fd >= 0)
            close(fd);
        free_writer(writer);
        return NULL;
    }
    if (writer->beside)
        keep_owner(writer);
    put(writer, MP_HEAP_MAGIC, 8);
    put_u32(writer, MP_HEAP_VERSION);
    put_u32(writer, writer->form);
    return writer;
}

static struct mp_heap_writer *
new_writer(int folder, const char *path, enum mp_heap_form form)
{
    struct mp_heap_writer *writer = mp_need(calloc(1, sizeof *writer));

    writer->folder = folder;
    writer->form = form;
    writer->path = mp_need(strdup(path));
    return writer;
}

struct mp_heap_writer *
mp_heap_write_begin(int folder, const char *path, enum mp_heap_form form, struct mp_error *error)
{
    struct mp_heap_writer *writer = new_writer(folder, path, form);

    if (asprintf(&writer->beside, "%s" MP_WRITE_SUFFIX "%d", path, (int)getpid()) < 0)
        mp_no_memory();
    unlinkat(folder, writer->beside, 0);
    return begin(writer, openat(folder, writer->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600),
                 error);
}

struct mp_heap_writer *
mp_heap_write_into(int fd, const char *path, enum mp_heap_form form, struct mp_error *error)
{
    return begin(new_writer(AT_FDCWD, path, form), fcntl(fd, F_DUPFD_CLOEXEC, 0), error);
}

bool
mp_heap_write_end(struct mp_heap_writer *writer, bool ok, uint64_t *size, struct mp_error *error)
{
    bool done;

    end_record(writer);
    end_block(writer);
    if (fclose(writer->file) != 0 && writer->problem == 0)
        writer->problem = errno;
    if (ok && writer->beside && writer->problem == 0 &&
        renameat(writer->folder, writer->beside, writer->folder, writer->path) != 0)
        writer->problem = errno;
    done = ok && writer->problem == 0;
    if (!done && writer->beside)
        unlinkat(writer->folder, writer->beside, 0);
    if (ok && !done)
        mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s: %s", writer->path, strerror(writer->problem));
    if (size)
        *size = writer->size;
    free_writer(writer);
    return done;
}
