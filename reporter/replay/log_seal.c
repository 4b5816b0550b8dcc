/* SPDX-License-Identifier: MIT */
#include "log_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "reporter/base/arena.h"
#include "reporter/base/buffer.h"
#include "reporter/base/open_file.h"
#include "reporter/base/write_file.h"
#include "reporter/file/input.h"

#define PIECE 4096u             /* events that are read at once */
#define MOST_RECORD 32u         /* maximum bytes of a record */
#define LEVEL 6                 /* of zlib */

struct sealing {
    const struct mp_file_at *file;
    struct mp_input input;
    struct mp_live_header header;
    char *name;                 /* FILE.log in the directory */
    struct mp_writing out;
    struct mp_buffer block;
    struct mp_log_last last;
    uint64_t holes;             /* number of missing events since the last one that was written */
};

/* ------------------------------------------------------------------ writing */

/* Writes the current block, deflated if that makes it shorter, and begins the next one. */
static void
end_block(struct sealing *sealing)
{
    static uint8_t packed[MP_LOG_BLOCK];
    struct mp_buffer *block = &sealing->block;
    uLongf size = sizeof packed;
    const bool is_packed = compress2(packed, &size, block->bytes, block->size, LEVEL) == Z_OK && size < block->size;

    mp_writing_block(&sealing->out, block->size, is_packed ? packed : block->bytes, is_packed ? size : block->size);
    block->size = 0;
    memset(&sealing->last, 0, sizeof sealing->last);
}

/* Begins a record, in a new block if the current one is full. Returns the buffer for the rest of the record. */
static struct mp_buffer *
record(struct sealing *sealing, unsigned tag, uint64_t value)
{
    if (sealing->block.size + MOST_RECORD > MP_LOG_BLOCK)
        end_block(sealing);
    mp_buffer_varint(&sealing->block, value << MP_LOG_TAG_BITS | tag);
    return &sealing->block;
}

static void
put_difference(struct mp_buffer *out, uint64_t value, uint64_t *last)
{
    mp_buffer_signed(out, (int64_t)(value - *last));
    *last = value;
}

static void
put_event(struct sealing *sealing, const struct mp_live_event *event)
{
    const unsigned tag = event->what & ((1u << MP_EVENT_BITS) - 1);
    const uint64_t value = event->what >> MP_EVENT_BITS, unit = event->where / MP_LOG_UNIT;
    struct mp_buffer *out;

    if (sealing->holes)
        record(sealing, MP_LOG_MISSING, sealing->holes);
    sealing->holes = 0;
    out = record(sealing, tag, tag == MP_EVENT_FREE || tag == MP_EVENT_DEAD ? 0 : value);
    if (tag == MP_EVENT_FREE) {
        put_difference(out, unit, &sealing->last.freed);
    } else if (tag == MP_EVENT_DEAD) {
        put_difference(out, value, &sealing->last.dead);
        mp_buffer_u64(out, event->where);
    } else if (tag <= MP_EVENT_UNCOLLECTABLE) {
        put_difference(out, unit, &sealing->last.objects[tag][value % MP_LOG_SIZES]);
    } else {
        mp_buffer_varint(out, event->where);
    }
}

/* ------------------------------------------------------------------ reading the live file */

static bool
put_extent(struct sealing *sealing, const struct mp_live_extent *extent, struct mp_error *error)
{
    static struct mp_live_event events[PIECE];

    for (uint32_t done = 0; done < extent->count;) {
        const uint32_t left = extent->count - done, n = left < PIECE ? left : PIECE;

        if (!mp_input_read(&sealing->input, extent->offset + (uint64_t)done * sizeof *events, events,
                           n * sizeof *events, error))
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (events[i].what & ((1u << MP_EVENT_BITS) - 1))
                put_event(sealing, &events[i]);
            else
                sealing->holes++;
        done += n;
    }
    return true;
}

static bool
is_of_events(const struct mp_live_extent *extent)
{
    return extent->kind == MP_EXT_EVENTS && extent->record_size == sizeof(struct mp_live_event);
}

static bool
has_events(const struct sealing *sealing)
{
    const struct mp_live_header *header = &sealing->header;

    for (uint32_t i = 0; i < header->n_extents && i < MP_MAX_EXTENTS; i++)
        if (is_of_events(&header->extents[i]))
            return header->state != MP_STATE_SNAPSHOT;
    return false;
}

/* Writes the header, all events, which are in the order of their ids, and the end. Records of zeros after the last
 * event were never used, so they are not counted as missing. */
static bool
put_all(struct sealing *sealing, struct mp_error *error)
{
    const struct mp_live_header *header = &sealing->header;

    mp_buffer_bytes(&sealing->block, MP_LOG_MAGIC, 8);
    mp_buffer_u32(&sealing->block, MP_LOG_VERSION);
    mp_buffer_u32(&sealing->block, header->pid);
    mp_buffer_u64(&sealing->block, header->start_realtime);
    mp_writing_put(&sealing->out, sealing->block.bytes, sealing->block.size);
    sealing->block.size = 0;
    for (uint32_t i = 0; i < header->n_extents && i < MP_MAX_EXTENTS; i++)
        if (is_of_events(&header->extents[i]) && !put_extent(sealing, &header->extents[i], error))
            return false;
    if (header->events_missing)
        record(sealing, MP_LOG_MISSING, header->events_missing);
    record(sealing, MP_LOG_END, 0);
    end_block(sealing);
    return true;
}

/* ------------------------------------------------------------------ the file */

/* Returns whether the name of the log is free. It is if no file has it, or if the file is an older log, which may be
 * replaced. */
static bool
is_free(const struct sealing *sealing)
{
    char magic[8];
    const int fd = mp_open_at(sealing->file->folder, sealing->name, O_RDONLY | O_NOFOLLOW);
    bool is_log;

    if (fd < 0)
        return errno == ENOENT;
    is_log = pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
             memcmp(magic, MP_LOG_MAGIC, sizeof magic) == 0;
    close(fd);
    return is_log;
}

static bool
cannot_write(const struct sealing *sealing, struct mp_error *error)
{
    return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "cannot write %s.log: %s", sealing->file->path,
                   strerror(errno));
}

static bool
write_log(struct sealing *sealing, struct mp_error *error)
{
    struct stat status;
    bool complete;

    if (!mp_writing_begin(&sealing->out, sealing->file->folder, sealing->name))
        return cannot_write(sealing, error);
    if (fstat(sealing->file->fd, &status) == 0)
        mp_writing_own(&sealing->out, &status);
    complete = put_all(sealing, error);
    return mp_writing_end(&sealing->out, complete) || (complete && cannot_write(sealing, error));
}

bool
mp_log_seal(const struct mp_file_at *file, struct mp_error *error)
{
    struct sealing sealing = {.file = file, .input = {.name = file->path, .fd = file->fd}};
    bool ok = true;

    if (file->folder < 0 || !mp_input_measure(&sealing.input, error) ||
        !mp_input_read(&sealing.input, 0, &sealing.header, sizeof sealing.header, error))
        return true;            /* the reader of the profile reports this error */
    if (asprintf(&sealing.name, "%s.log", file->name) < 0)
        mp_no_memory();
    if (!has_events(&sealing)) {
        if (is_free(&sealing))
            unlinkat(file->folder, sealing.name, 0);
    } else if (!is_free(&sealing)) {
        ok = mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET,
                     "%s.log exists and is not a log of mprof: the log is not written", file->path);
    } else {
        ok = write_log(&sealing, error);
    }
    mp_buffer_free(&sealing.block);
    free(sealing.name);
    return ok;
}
