/* SPDX-License-Identifier: MIT */
/* log_read.c -- reads a log event by event. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "log.h"
#include "reporter/base/arena.h"
#include "reporter/file/file_blocks.h"

struct mp_log_reader {
    char *path;
    struct mp_input input;
    struct mp_blocks blocks;
    struct mp_log_last last;
};

void
mp_log_close(struct mp_log_reader *reader)
{
    if (!reader)
        return;
    mp_blocks_end(&reader->blocks);
    mp_input_close(&reader->input);
    free(reader->path);
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
    return true;
}

static bool
unpack(struct mp_blocks *blocks, uint32_t size, uint32_t n, struct mp_error *error)
{
    uLongf unpacked = size;

    return (uncompress(blocks->content, &unpacked, blocks->stored + MP_BLOCK_HEAD, n) == Z_OK && unpacked == size) ||
           mp_blocks_damaged(blocks, error);
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
    mp_blocks_begin(&reader->blocks, &reader->input, MP_LOG_HEADER, MP_LOG_BLOCK, unpack);
    return reader;
}

/* Reads the next block. All differences begin at 0 in it. */
static bool
read_block(struct mp_log_reader *reader, struct mp_error *error)
{
    memset(&reader->last, 0, sizeof reader->last);
    return mp_blocks_next(&reader->blocks, error);
}

/* Reads a difference, adds it to *LAST and returns the sum. */
static uint64_t
difference(struct mp_cursor *cursor, uint64_t *last)
{
    return *last += (uint64_t)mp_cursor_signed(cursor);
}

bool
mp_log_next(struct mp_log_reader *reader, struct mp_log_event *event, struct mp_error *error)
{
    struct mp_cursor *cursor = &reader->blocks.cursor;
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
