/* stored.h -- encodes and decodes a file's answers for the cache. */
#ifndef MP_SYMBOLS_STORED_H
#define MP_SYMBOLS_STORED_H

#include "answers.h"
#include "reporter/base/buffer.h"

#define MP_STORED_VERSION 6u    /* raise it when answers for the same file change */

/* Decodes SIZE BYTES to ANSWERS, which must be empty. BYTES must remain valid as long as ANSWERS. Returns false and
 * leaves ANSWERS empty if the bytes were not written by mp_stored_write(). */
bool mp_stored_read(struct mp_answers *answers, const uint8_t *bytes, size_t size);
void mp_stored_write(const struct mp_answers *answers, struct mp_buffer *buffer);

#endif
