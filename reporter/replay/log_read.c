/* log_read.c -- reads a log event by event. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log.h"
#include "reporter/base/arena.h"
#include "reporter/base/cursor.h"
#include "reporter/read/input.h"

struct mp_log_reader {
    char *path;
    struct mp_input input;
    uint64_t offset;            /* of the next block */
    uint8_t *stored, *content;
    struct mp_cursor cursor;    /* over the content of the current block */
    struct mp_log_last last;
};

void
mp_log_close(struct mp_log_reader *reader)
{
    if (!reader)
        return;
    mp_input_close(&reader->input);
    free(reader->path);
    free(reader->stored);
    free(reader->content);
    free(reader);
}

static bool
read_header(struct mp_log_reader *reader, const struct mp_log_of *of, struct mp_error *error)
{
    uint8_t head[MP_LOG_HEADER];
    struct mp_cursor cursor;
    uint32_t version, pid;

    if (reader->input.size < sizeof head || !mp_input_read(&reader->input, 0, head, sizeof head, error) ||
        memcmp(head, MP_LOG_MAGIC, 8) != 0)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s is not a log of mprof run --record", reader->path);
    mp_cursor_init(&cursor, head + 8, sizeof head - 8, 8);
    version = mp_cursor_u32(&cursor);
    if (version != MP_LOG_VERSION)
        return mp_fail(error, MP_ERR_VERSION, 8, "%s is a log of version %u", reader->path, version);
    pid = mp_cursor_u32(&cursor);
    if (pid != of->pid || mp_cursor_u64(&cursor) != of->start)
        return mp_fail(error, MP_ERR_DATA, MP_NO_OFFSET, "%s is the log of another recording", reader->path);
    reader->offset = MP_LOG_HEADER;
    return true;
}

struct mp_log_reader *
mp_log_open(const char *path, const struct mp_log_of *of, struct mp_error *error)
{
    struct mp_log_reader *reader = mp_need(calloc(1, sizeof *reader));

    reader->path = mp_need(strdup(path));
    reader->input.fd = -1;
    if (!mp_input_open(&reader->input, reader->path, error)) {
        free(reader->path);
        free(reader);
        return NULL;
    }
    if (!read_header(reader, of, error)) {
        mp_log_close(reader);
        return NULL;
    }
    reader->stored = mp_need(malloc(8 + MP_LOG_BLOCK + 4));
    reader->content = mp_need(malloc(MP_LOG_BLOCK));
    mp_cursor_init(&reader->cursor, reader->content, 0, 0);
    return reader;
}

static uint32_t
u32_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static bool
read_block(struct mp_log_reader *reader, struct mp_error *error)
{
    const uint64_t at = reader->offset;
    uLongf unpacked;
    uint32_t size, stored;

    if (!mp_input_read(&reader->input, at, reader->stored, 8, error))
        return false;
    size = u32_at(reader->stored);
    stored = u32_at(reader->stored + 4);
    if (size == 0 || size > MP_LOG_BLOCK || stored == 0 || stored > size)
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: a block of %u bytes in %u", reader->path, size, stored);
    if (!mp_input_read(&reader->input, at + 8, reader->stored + 8, (size_t)stored + 4, error))
        return false;
    if (crc32_z(0, reader->stored, 8 + (size_t)stored) != u32_at(reader->stored + 8 + stored))
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: wrong checksum", reader->path);
    unpacked = size;
    if (stored == size)
        memcpy(reader->content, reader->stored + 8, size);
    else if (uncompress(reader->content, &unpacked, reader->stored + 8, stored) != Z_OK || unpacked != size)
        return mp_fail(error, MP_ERR_DAMAGED, at, "%s: a block cannot be decompressed", reader->path);
    mp_cursor_init(&reader->cursor, reader->content, size, at);
    memset(&reader->last, 0, sizeof reader->last);
    reader->offset = at + 8 + stored + 4;
    return true;
}

/* Reads a difference to *LAST, and returns the new value. */
static uint64_t
difference(struct mp_cursor *cursor, uint64_t *last)
{
    return *last += (uint64_t)mp_cursor_signed(cursor);
}

bool
mp_log_next(struct mp_log_reader *reader, struct mp_log_event *event, struct mp_error *error)
{
    struct mp_cursor *cursor = &reader->cursor;
    uint64_t first;

    if (mp_cursor_left(cursor) == 0 && !read_block(reader, error))
        return false;
    first = mp_cursor_varint(cursor);
    *event = (struct mp_log_event){.tag = first & ((1u << MP_LOG_TAG_BITS) - 1), .value = first >> MP_LOG_TAG_BITS};
    switch (event->tag) {
    case MP_EVENT_ATOMIC:
    case MP_EVENT_POINTERS:
    case MP_EVENT_UNCOLLECTABLE:
        event->address = MP_LOG_UNIT *
                         difference(cursor, &reader->last.objects[event->tag][event->value % MP_LOG_SIZES]);
        break;
    case MP_EVENT_FREE:
        event->address = MP_LOG_UNIT * difference(cursor, &reader->last.freed);
        break;
    case MP_EVENT_DEAD:
        event->address = MP_EVENT_SPAN * difference(cursor, &reader->last.dead);
        event->bits = mp_cursor_u64(cursor);
        break;
    case MP_EVENT_FIGURE:
    case MP_EVENT_COLLECTED:
        event->bits = mp_cursor_varint(cursor);
        break;
    case MP_LOG_MISSING:
    case MP_LOG_END:
        break;
    default:
        mp_cursor_fail(cursor, MP_ERR_DAMAGED, "an unknown event");
    }
    return mp_cursor_error(cursor, reader->path, "log", error);
}
