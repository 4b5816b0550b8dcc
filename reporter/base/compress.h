/* SPDX-License-Identifier: MIT */
/* compress.h -- compresses and decompresses by gzip (RFC 1952) and zstd. */
#ifndef MP_COMPRESS_H
#define MP_COMPRESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"

/* Returns a stream that writes to OUT. If NAME, which may be NULL, ends in .gz (RFC 1952) or .zst, the output is
 * compressed. Equal input always gives equal output. The caller closes the stream with fclose() before OUT, and
 * checks OUT for errors. Returns NULL and fills *ERROR if this mprof was built without zstd and NAME ends in .zst. */
FILE *mp_compress_open(FILE *out, const char *name, struct mp_error *error);

/* Bytes that are decompressed piece by piece. Their first bytes show whether they are compressed by gzip, by zstd or
 * not at all. */
struct mp_unpacking;

/* Begins to decompress the SIZE BYTES, which must outlive the result. mp_unpack_end() frees the result. */
struct mp_unpacking *mp_unpack_begin(const uint8_t *bytes, size_t size);
void mp_unpack_end(struct mp_unpacking *unpacking);

/* Writes up to ROOM decompressed bytes to TO. Returns their number, or 0 at the end and on errors. */
size_t mp_unpack(struct mp_unpacking *unpacking, void *to, size_t room);

/* Returns the number of bytes that were not decompressed yet. */
size_t mp_unpack_left(const struct mp_unpacking *unpacking);

/* Returns whether a member of gzip or a frame of zstd is incomplete. */
bool mp_unpack_within(const struct mp_unpacking *unpacking);

/* Returns an error message and sets *CODE, or returns NULL if there was no error. */
const char *mp_unpack_problem(const struct mp_unpacking *unpacking, enum mp_error_code *code);

#endif
