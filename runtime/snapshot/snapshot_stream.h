/*
 * snapshot_stream.h -- writes a snapshot of a heap (heap_format.h, RAW form) with bounded memory.
 *
 * No malloc, no libc but memcpy(), no lock: it may be used in a copy of the process that has one thread only,
 * whatever the others were at (snapshot_copy.h).  What a record refers to is written before it; the numbers of
 * texts, types and sites are those that the functions return, 0: there was an error.  Errors are kept: nothing is
 * written after the first one, and mp_stream_close() returns it.
 *
 * A copy of the process has its blocks packed (snapshot_pack.h), as far as that can be had.  Where the program waits
 * for the writer they stay as they are: of a heap whose objects refer to others anywhere, packing took 0.34 s where
 * all else took 0.68 s.
 *
 * The file has its first bytes last: until mp_stream_close() has returned 0 it is no snapshot for anybody.
 */
#ifndef MP_SNAPSHOT_STREAM_H
#define MP_SNAPSHOT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/heap_format.h"

struct mp_stream;

/* A stream into FD, an empty file, from its beginning on; NULL: no memory.  PACKED: if there is memory for that, too.
 * One thread at a time. */
struct mp_stream *mp_stream_open(int fd, bool packed);

/* What is pending, MP_HEAP_END, the header.  0 or -errno: the file is no snapshot.  STREAM is gone. */
long mp_stream_close(struct mp_stream *stream);

/* Has something gone wrong?  Whoever has much to do meanwhile may ask; 0 or -errno. */
long mp_stream_error(const struct mp_stream *stream);

/* The snapshot cannot be made: ERROR is -errno. */
void mp_stream_fail(struct mp_stream *stream, long error);

void mp_stream_fact(struct mp_stream *stream, enum mp_heap_fact fact, uint64_t value);
void mp_stream_fact_text(struct mp_stream *stream, enum mp_heap_fact fact, uint32_t text);

/* SIZE bytes at BYTES, cut if there are too many; '?' for each that is not UTF-8, or is a control character. */
uint32_t mp_stream_text(struct mp_stream *stream, const char *bytes, size_t size);

/* SLOTS: names (texts) of the first N slots, 0: has none. */
uint32_t mp_stream_type(struct mp_stream *stream, enum mp_heap_shape shape, uint32_t name, uint32_t n,
                        const uint32_t *slots);

/* Objects of TYPE are parts of objects of the type OWNER. */
void mp_stream_part(struct mp_stream *stream, uint32_t type, uint32_t owner);

/* CONTEXT of the recording. */
uint32_t mp_stream_site(struct mp_stream *stream, uint32_t context);

void mp_stream_root(struct mp_stream *stream, enum mp_heap_root_kind kind, uint32_t title, uint32_t group,
                    uintptr_t place, uintptr_t target);

/* The object at ADDRESS, which is not below the end of the object before it. */
struct mp_stream_object {
    uintptr_t address;
    uint64_t size;
    uint32_t type, site;
    bool dead;
    uint64_t n_references;
};

/* OBJECT, and then exactly so many references as it says, by ascending slots. */
void mp_stream_object(struct mp_stream *stream, const struct mp_stream_object *object);
void mp_stream_reference(struct mp_stream *stream, uint64_t slot, bool weak, uintptr_t held);

/* OBJECT with all its references, of which it has N, at most MP_STREAM_SOME. */
#define MP_STREAM_SOME 512u
struct mp_stream_reference {
    uint64_t slot;
    uintptr_t held;
};
void mp_stream_whole_object(struct mp_stream *stream, const struct mp_stream_object *object, bool weak,
                            const struct mp_stream_reference *references, uint32_t n);

/* How the text of the last object begins; as mp_stream_text(). */
void mp_stream_beginning(struct mp_stream *stream, const char *bytes, size_t size);

/* What the last object is called; as mp_stream_text(). */
void mp_stream_name(struct mp_stream *stream, const char *bytes, size_t size);

/* Whole keys of the last object, encoded as heap_format.h says: SIZE bytes, at most MP_STREAM_KEYS. */
#define MP_STREAM_KEYS 4096u
void mp_stream_keys(struct mp_stream *stream, const void *bytes, size_t size);

/* NUMBER free blocks of at least SIZE bytes and less than twice as many, BYTES together; PLACES: for objects of SIZE
 * bytes. */
void mp_stream_free(struct mp_stream *stream, uint64_t number, uint64_t size, bool places, uint64_t bytes);

#endif
