/* stored.h -- the answers of a file as bytes, for the cache. */
#ifndef MP_SYMBOLS_STORED_H
#define MP_SYMBOLS_STORED_H

#include "answers.h"
#include "reporter/base/buffer.h"

#define MP_STORED_VERSION 5u    /* raise it when answers for the same file become others */

/* Take the answers out of SIZE BYTES, which stay as long as ANSWERS, into ANSWERS, which has none.
 * Bytes that are not what mp_stored_write() wrote leave it without any. */
bool mp_stored_read(struct mp_answers *answers, const uint8_t *bytes, size_t size);
void mp_stored_write(const struct mp_answers *answers, struct mp_buffer *buffer);

#endif
