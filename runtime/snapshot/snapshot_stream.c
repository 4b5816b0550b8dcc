/* SPDX-License-Identifier: MIT */
#include "snapshot_stream.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "crc.h"
#include "runtime/compiler.h"
#include "runtime/system/sys.h"
#include "runtime/utf8.h"

#define MAX_VARINT   10u
#define MAX_PIECE    8192u      /* maximum references of one record, so that it fits into a block whatever their
                                   addresses are */
#define BLOCK_HEADER 8u         /* bytes of size and stored size, which are equal here */

/* A stream. The content of the present block begins at bytes[BLOCK_HEADER] and ends at bytes[used]. The record
 * that is being written begins at bytes[record], and may extend beyond the block's maximum size. */
struct mp_stream {
    int fd;
    long error;
    uint64_t offset;            /* offset of the block in the file */
    uint64_t most;              /* maximum bytes of a file (RLIMIT_FSIZE) */
    uint32_t used, record;
    uint32_t n_texts, n_types, n_sites;
    uint64_t n_objects, n_references, n_roots, bytes_of_objects;
    uintptr_t end;              /* end address of the last object */
    uintptr_t address;          /* start address of the last object */
    uint64_t to_come;           /* references of the last object that are not yet written */
    uint32_t piece;             /* references of the present record that are not yet written */
    uint64_t next_slot;
    struct mp_crc crc;
    uint8_t bytes[BLOCK_HEADER + 2 * MP_HEAP_MAX_BLOCK + 4];
};

struct mp_stream *
mp_stream_open(int fd)
{
    struct mp_stream *s = mp_sys_map(sizeof *s);
    struct rlimit limit;

    if (!s)
        return NULL;
    s->fd = fd;
    s->offset = MP_HEAP_HEADER;
    s->used = s->record = BLOCK_HEADER;
    mp_crc_open(&s->crc);
    s->most = mp_sys_limit(RLIMIT_FSIZE, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
    return s;
}

long
mp_stream_error(const struct mp_stream *s)
{
    return s->error;
}

void
mp_stream_fail(struct mp_stream *s, long error)
{
    if (s->error == 0)
        s->error = error;
}

/* ------------------------------------------------------------------ blocks */

static void
put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Writes all complete records as a block. */
static void
flush(struct mp_stream *s)
{
    uint32_t end = s->record, rest = s->used - end, size = end - BLOCK_HEADER;
    uint8_t next[4];            /* saves the bytes that the checksum overwrites while the block is written */

    if (size == 0)
        return;
    put_u32(s->bytes, size);
    put_u32(s->bytes + 4, size);
    memcpy(next, s->bytes + end, sizeof next);
    put_u32(s->bytes + end, mp_crc_of(&s->crc, s->bytes, end));
    if (s->error == 0 && s->offset + end + 4 > s->most)
        s->error = -EFBIG;      /* trying to write would raise SIGXFSZ, which kills the program */
    if (s->error == 0)
        s->error = mp_sys_pwrite_all(s->fd, s->bytes, end + 4, s->offset);
    s->offset += end + 4;
    memcpy(s->bytes + end, next, sizeof next);
    memmove(s->bytes + BLOCK_HEADER, s->bytes + end, rest);
    s->record = BLOCK_HEADER;
    s->used = BLOCK_HEADER + rest;
}

/* Completes the present record. If it does not fit into the block, writes the block without it first. */
static void
end_record(struct mp_stream *s)
{
    if (MP_UNLIKELY(s->used - BLOCK_HEADER > MP_HEAP_MAX_BLOCK))
        flush(s);
    s->record = s->used;
}

static inline void
put(struct mp_stream *s, uint64_t value)
{
    s->used = (uint32_t)(mp_stream_put(s->bytes + s->used, value) - s->bytes);
}

/* ------------------------------------------------------------------ facts and texts */

void
mp_stream_fact(struct mp_stream *s, enum mp_heap_fact fact, uint64_t value)
{
    put(s, MP_HEAP_FACT);
    put(s, fact);
    put(s, value);
    end_record(s);
}

void
mp_stream_fact_text(struct mp_stream *s, enum mp_heap_fact fact, uint32_t text)
{
    put(s, MP_HEAP_FACT_TEXT);
    put(s, fact);
    put(s, text);
    end_record(s);
}

/* Returns the length of the UTF-8 character at AT, LEFT bytes before the end, or 0 if it is invalid or a control
 * character. */
static size_t
character(const char *at, size_t left)
{
    return (uint8_t)*at < ' ' || *at == 0x7f ? 0 : mp_utf8_length(at, left);
}

/* Returns whether all bytes are printable ASCII characters, as in most texts. */
static bool
is_plain(const char *bytes, size_t size)
{
    bool plain = true;

    for (size_t i = 0; i < size; i++)
        plain &= (uint8_t)(bytes[i] - ' ') < 0x7f - ' ';
    return plain;
}

/* Writes the length and the bytes of a text, which is cut and converted as mp_stream_text() describes. */
static void
put_text(struct mp_stream *s, const char *bytes, size_t size)
{
    static const char more[] = "...";
    const size_t longest = MP_HEAP_MAX_TEXT - (sizeof more - 1);
    uint8_t *room;
    size_t n = 0, at = 0, step;

    if (MP_LIKELY(size <= MP_HEAP_MAX_TEXT && is_plain(bytes, size))) {
        put(s, size);
        memcpy(s->bytes + s->used, bytes, size);
        s->used += (uint32_t)size;
        return;
    }
    /* Computes N, the bytes that are kept. Replacement does not change the length, because each invalid byte
     * becomes one '?'. */
    for (size_t next = 0; next < size; next += step) {
        step = character(bytes + next, size - next);
        step = step ? step : 1;
        if (size > MP_HEAP_MAX_TEXT && next + step > longest)
            break;
        n = next + step;
    }
    put(s, n + (n < size ? sizeof more - 1 : 0));
    room = s->bytes + s->used;
    for (; at < n; at += step) {
        step = character(bytes + at, n - at);
        if (step)
            memcpy(room + at, bytes + at, step);
        else
            room[at] = '?';
        step = step ? step : 1;
    }
    if (n < size)
        memcpy(room + n, more, sizeof more - 1);
    s->used += (uint32_t)(n + (n < size ? sizeof more - 1 : 0));
}

uint32_t
mp_stream_text(struct mp_stream *s, const char *bytes, size_t size)
{
    put(s, MP_HEAP_TEXT);
    put_text(s, bytes, size);
    end_record(s);
    return ++s->n_texts;
}

/* ------------------------------------------------------------------ types, sites, roots */

uint32_t
mp_stream_type(struct mp_stream *s, enum mp_heap_shape shape, uint32_t name, uint32_t n,
               const uint32_t *slots)
{
    if (n > MAX_PIECE)
        n = MAX_PIECE;
    put(s, MP_HEAP_TYPE);
    put(s, shape);
    put(s, name);
    put(s, n);
    for (uint32_t i = 0; i < n; i++)
        put(s, slots[i]);
    end_record(s);
    return ++s->n_types;
}

void
mp_stream_part(struct mp_stream *s, uint32_t type, uint32_t owner)
{
    put(s, MP_HEAP_PART);
    put(s, type);
    put(s, owner);
    end_record(s);
}

uint32_t
mp_stream_site(struct mp_stream *s, uint32_t context)
{
    put(s, MP_HEAP_SITE);
    put(s, context);
    end_record(s);
    return ++s->n_sites;
}

void
mp_stream_root(struct mp_stream *s, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
               uintptr_t place, uintptr_t target)
{
    put(s, MP_HEAP_ROOT);
    put(s, kind);
    put(s, title);
    put(s, group);
    put(s, place);
    put(s, target);
    end_record(s);
    s->n_roots++;
}

/* ------------------------------------------------------------------ objects */

/* Returns how many of the remaining references the next record takes. */
static inline uint32_t
next_piece(const struct mp_stream *s)
{
    return s->to_come > MAX_PIECE ? MAX_PIECE : (uint32_t)s->to_come;
}

/* Writes the fields of the object's record that precede its N references. Most of these fields take one byte. */
static inline uint8_t *
put_object(struct mp_stream *s, const struct mp_stream_object *o, uint64_t n)
{
    const uint64_t gap = o->address - s->end, type = 2 * (uint64_t)o->type + o->dead;
    uint8_t *at = s->bytes + s->used;

    if (MP_LIKELY((gap | o->size | type | o->site | n) < 0x80)) {
        const uint8_t bytes[6] = { MP_HEAP_OBJECT, (uint8_t)gap, (uint8_t)o->size, (uint8_t)type, (uint8_t)o->site,
                                   (uint8_t)n };

        memcpy(at, bytes, sizeof bytes);
        at += sizeof bytes;
    } else {
        at = mp_stream_put(at, MP_HEAP_OBJECT);
        at = mp_stream_put(at, gap);
        at = mp_stream_put(at, o->size);
        at = mp_stream_put(at, type);
        at = mp_stream_put(at, o->site);
        at = mp_stream_put(at, n);
    }
    s->address = o->address;
    s->end = o->address + o->size;
    s->n_objects++;
    s->bytes_of_objects += o->size;
    return at;
}

void
mp_stream_whole_object(struct mp_stream *s, const struct mp_stream_object *o, bool weak,
                       const struct mp_stream_reference *references, uint32_t n)
{
    uint8_t *at = put_object(s, o, n);
    uint64_t next_slot = 0;

    for (uint32_t i = 0; i < n; i++) {
        at = mp_stream_put(at, 2 * (references[i].slot - next_slot) + weak);
        at = mp_stream_put(at, mp_stream_signed((int64_t)(references[i].held - o->address)));
        next_slot = references[i].slot + 1;
    }
    s->n_references += n;
    s->used = (uint32_t)(at - s->bytes);
    end_record(s);
}

void
mp_stream_object(struct mp_stream *s, const struct mp_stream_object *o)
{
    s->to_come = o->n_references;
    s->piece = next_piece(s);
    s->used = (uint32_t)(put_object(s, o, s->piece) - s->bytes);
    s->next_slot = 0;
    if (s->piece == 0)
        end_record(s);
}

void
mp_stream_reference(struct mp_stream *s, uint64_t slot, bool weak, uintptr_t held)
{
    uint8_t *at;

    if (MP_UNLIKELY(s->piece == 0)) {
        if (s->to_come == 0)            /* the caller has already written all references that it announced */
            s->error = s->error ? s->error : -EINVAL;
        put(s, MP_HEAP_MORE);
        s->piece = next_piece(s);
        put(s, s->piece);
        if (s->piece == 0) {
            end_record(s);
            return;
        }
    }
    at = mp_stream_put(s->bytes + s->used, 2 * (slot - s->next_slot) + weak);
    at = mp_stream_put(at, mp_stream_signed((int64_t)(held - s->address)));
    s->used = (uint32_t)(at - s->bytes);
    s->next_slot = slot + 1;
    s->n_references++;
    s->to_come--;
    if (--s->piece == 0)
        end_record(s);
}

void
mp_stream_beginning(struct mp_stream *s, const char *bytes, size_t size)
{
    put(s, MP_HEAP_BEGINNING);
    put_text(s, bytes, size);
    end_record(s);
}

void
mp_stream_name(struct mp_stream *s, const char *bytes, size_t size)
{
    put(s, MP_HEAP_NAME);
    put_text(s, bytes, size);
    end_record(s);
}

void
mp_stream_free(struct mp_stream *s, uint64_t number, uint64_t size, bool places, uint64_t bytes)
{
    put(s, MP_HEAP_FREE);
    put(s, number);
    put(s, 2 * size + places);
    put(s, bytes);
    end_record(s);
}

void
mp_stream_keys(struct mp_stream *s, const void *bytes, size_t size)
{
    put(s, MP_HEAP_KEYS);
    put(s, size);
    memcpy(s->bytes + s->used, bytes, size);
    s->used += (uint32_t)size;
    end_record(s);
}

/* ------------------------------------------------------------------ the end */

long
mp_stream_close(struct mp_stream *s)
{
    uint8_t header[MP_HEAP_HEADER] = MP_HEAP_MAGIC;
    long error;

    if (s->to_come > 0 && s->error == 0)
        s->error = -EINVAL;
    put(s, MP_HEAP_END);
    put(s, s->n_objects);
    put(s, s->n_references);
    put(s, s->n_roots);
    put(s, s->bytes_of_objects);
    end_record(s);
    flush(s);
    put_u32(header + 8, MP_HEAP_VERSION);
    put_u32(header + 12, MP_HEAP_RAW);
    if (s->error == 0)
        s->error = mp_sys_pwrite_all(s->fd, header, sizeof header, 0);
    error = s->error;
    mp_sys_unmap(s, sizeof *s);
    return error;
}
