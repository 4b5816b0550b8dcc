/* SPDX-License-Identifier: MIT */
/*
 * heap_write.h -- writes a snapshot of either form record by record, with bounded memory.
 *
 *     struct mp_heap_writer *writer = mp_heap_write_begin(AT_FDCWD, path, MP_HEAP_SEALED, &error);
 *     mp_buffer_varint(mp_heap_record(writer, MP_HEAP_TEXT), 3); ...
 *     ok = mp_heap_write_end(writer, true, NULL, &error);
 *
 * The file is renamed to its final name when it is complete, so that a file with that name is never incomplete.
 */
#ifndef MP_HEAP_WRITE_H
#define MP_HEAP_WRITE_H

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"
#include "runtime/heap_format.h"

struct mp_heap_writer;

/* Begins to write PATH. A relative path is relative to FOLDER, as for openat(2). Sealed snapshots are compressed if
 * Zstandard is available. Returns NULL and fills *ERROR if the file cannot be created. */
struct mp_heap_writer *mp_heap_write_begin(int folder, const char *path, enum mp_heap_form form,
                                           struct mp_error *error);

/* Like mp_heap_write_begin(), but writes to the open file FD, which must be new and empty, and which stays open. PATH
 * is used in messages. The caller removes the file if writing fails. */
struct mp_heap_writer *mp_heap_write_into(int fd, const char *path, enum mp_heap_form form, struct mp_error *error);

/* Ends the current record and begins one of type TAG. Returns the buffer for its fields. */
struct mp_buffer *mp_heap_record(struct mp_heap_writer *writer, enum mp_heap_record tag);

/* Ends WRITER and frees it. If OK, writes the rest, gives the file its name, and sets *SIZE, unless SIZE is NULL, to
 * the size of the file in bytes. If not OK, or on error, removes the temporary file. Returns whether the file was
 * written. Fills *ERROR only if OK is true and writing failed. */
bool mp_heap_write_end(struct mp_heap_writer *writer, bool ok, uint64_t *size, struct mp_error *error);

#endif
