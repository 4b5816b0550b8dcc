/*
 * heap_write.h -- a snapshot of either form, written record by record with bounded memory.
 *
 *     struct mp_heap_writer *writer = mp_heap_write_begin(AT_FDCWD, path, MP_HEAP_SEALED, &error);
 *     mp_buffer_varint(mp_heap_record(writer, MP_HEAP_TEXT), 3); ...
 *     ok = mp_heap_write_end(writer, true, &error);
 *
 * The file gets its name when all is written: it is whole, or what it was before.
 */
#ifndef MP_HEAP_WRITE_H
#define MP_HEAP_WRITE_H

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"
#include "runtime/heap_format.h"

struct mp_heap_writer;

/* Begin PATH, which is one in FOLDER if it is relative, as of openat(2).  NULL and *ERROR: it cannot be made.  Sealed
 * ones are compressed, if there is Zstandard. */
struct mp_heap_writer *mp_heap_write_begin(int folder, const char *path, enum mp_heap_form form,
                                           struct mp_error *error);

/* The same into the open file FD, which is new and empty, and stays open; PATH is for messages.  The caller removes it
 * if it does not become whole. */
struct mp_heap_writer *mp_heap_write_into(int fd, const char *path, enum mp_heap_form form, struct mp_error *error);

/* Begin a record: its fields go to the buffer.  The last one is done. */
struct mp_buffer *mp_heap_record(struct mp_heap_writer *writer, enum mp_heap_record tag);

/* If OK, all is written, and *SIZE (NULL: not wanted) the bytes of the file; else nothing is left behind.  False and
 * *ERROR: it could not be (not, if it was not OK). */
bool mp_heap_write_end(struct mp_heap_writer *writer, bool ok, uint64_t *size, struct mp_error *error);

#endif
