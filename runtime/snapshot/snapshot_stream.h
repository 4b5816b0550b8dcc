/* SPDX-License-Identifier: MIT */
/*
 * snapshot_stream.h -- writes a snapshot of a heap (heap_format.h, RAW form) with bounded memory.
 *
 * This directory owns copies of the process and the files that they write. It knows nothing of what is in a heap.
 * scan/, session/, heap/ and the Lisp bridge call it.
 *
 * A stream uses no malloc and no lock, and of libc only functions like memcpy(). So it may be used in a copy of the
 * process, which has only one thread and the locks that other threads held (snapshot_copy.h). Texts, types and sites
 * are written before the records that refer to them. The functions that write texts, types and sites return their
 * numbers. After the first error nothing more is written, and mp_stream_close() returns that error.
 *
 * Blocks are not compressed. The reporter compresses them when it seals the snapshot.
 *
 * The header is written last. The file is no valid snapshot until mp_stream_close() has returned 0.
 */
#ifndef MP_SNAPSHOT_STREAM_H
#define MP_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/compiler.h"
#include "runtime/heap_format.h"

struct mp_stream;

/* Opens a stream that writes to FD, an empty file. Returns NULL if there is no memory. Only one thread at a time uses
 * the stream. */
struct mp_stream *mp_stream_open(int fd);

/* Writes pending records, MP_HEAP_END and the header, and frees STREAM. Returns 0, or -errno if the file is not a
 * valid snapshot. */
long mp_stream_close(struct mp_stream *stream);

/* Returns 0, or -errno if an error has occurred. Callers with much work to do may stop early after an error. */
long mp_stream_error(const struct mp_stream *stream);

/* Sets the error to ERROR, -errno, unless one has occurred before. */
void mp_stream_fail(struct mp_stream *stream, long error);

void mp_stream_fact(struct mp_stream *stream, enum mp_heap_fact fact, uint64_t value);
void mp_stream_fact_text(struct mp_stream *stream, enum mp_heap_fact fact, uint32_t text);

/* Writes SIZE bytes at BYTES as a text and returns its number. Cuts the text if it is too long. Replaces each
 * byte that is invalid UTF-8 or a control character by '?'. */
uint32_t mp_stream_text(struct mp_stream *stream, const char *bytes, size_t size);

/* Writes a type and returns its number. SLOTS are the names (texts) of the first N slots. The name 0 means that
 * the slot has no name. */
uint32_t mp_stream_type(struct mp_stream *stream, enum mp_heap_shape shape, uint32_t name, uint32_t n,
                        const uint32_t *slots);

/* Notes that objects of TYPE are parts of objects of type OWNER. */
void mp_stream_part(struct mp_stream *stream, uint32_t type, uint32_t owner);

/* Writes a site for CONTEXT of the recording and returns its number. */
uint32_t mp_stream_site(struct mp_stream *stream, uint32_t context);

void mp_stream_root(struct mp_stream *stream, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                    uintptr_t place, uintptr_t target);

/* An object at ADDRESS, which is not below the end of the object before it. */
struct mp_stream_object {
    uintptr_t address;
    uint64_t size;
    uint32_t type, site;
    bool dead;
    uint64_t n_references;
};

/* Writes OBJECT without its references. Then the caller writes exactly OBJECT->n_references references, by
 * ascending slots. */
void mp_stream_object(struct mp_stream *stream, const struct mp_stream_object *object);
void mp_stream_reference(struct mp_stream *stream, uint64_t slot, bool weak, uintptr_t held);

/* Writes OBJECT with all its N references, at most MP_STREAM_SOME. */
#define MP_STREAM_SOME 512u
struct mp_stream_reference {
    uint64_t slot;
    uintptr_t held;
};
void mp_stream_whole_object(struct mp_stream *stream, const struct mp_stream_object *object, bool weak,
                            const struct mp_stream_reference *references, uint32_t n);

/* Writes the beginning of the last object's text, which is converted like a text of mp_stream_text(). */
void mp_stream_beginning(struct mp_stream *stream, const char *bytes, size_t size);

/* Writes the name of the last object, which is converted like a text of mp_stream_text(). */
void mp_stream_name(struct mp_stream *stream, const char *bytes, size_t size);

/* Writes VALUE at AT as a number of heap_format.h. Returns the end. */
static inline uint8_t *
mp_stream_put(uint8_t *at, uint64_t value)
{
    for (; MP_UNLIKELY(value >= 0x80); value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* Returns the unsigned number that represents VALUE in a signed field of heap_format.h. */
static inline uint64_t
mp_stream_signed(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/* Writes SIZE bytes of complete keys of the last object, at most MP_STREAM_KEYS, encoded as heap_format.h
 * describes. */
#define MP_STREAM_KEYS 4096u
void mp_stream_keys(struct mp_stream *stream, const void *bytes, size_t size);

/* Writes the sum of free blocks of one size class. NUMBER blocks have at least SIZE and less than 2 * SIZE bytes
 * each, and BYTES in total. If PLACES, they are free places for objects of exactly SIZE bytes. */
void mp_stream_free(struct mp_stream *stream, uint64_t number, uint64_t size, bool places, uint64_t bytes);

#endif
