/*
 * heap_stream.h -- reads a snapshot block by block. A block is complete and its checksum verified before the caller
 * sees it.
 */
#ifndef MP_HEAP_STREAM_H
#define MP_HEAP_STREAM_H

#include "reporter/base/cursor.h"
#include "reporter/read/input.h"
#include "runtime/heap_format.h"

struct mp_heap_stream {
    struct mp_input *input;     /* owned by the caller */
    uint64_t offset;            /* offset of the next block in the file */
    enum mp_heap_form form;
    uint8_t *stored, *content;
    struct mp_cursor cursor;    /* over the content of the current block */
};

/* Reads the header of INPUT. Returns false and fills *ERROR if it is not a snapshot. */
bool mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error);
void mp_heap_stream_close(struct mp_heap_stream *stream);

/* Copies the snapshot in the open file FROM block by block to TO, where nobody else can change it. NAME is used in
 * messages. Returns false and fills *ERROR if the snapshot is damaged or cannot be written. */
bool mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error);

/* Returns whether there is another block. */
bool mp_heap_stream_more(const struct mp_heap_stream *stream);

/* Reads the next block into stream->cursor. Returns false and fills *ERROR if it is damaged or incomplete. */
bool mp_heap_stream_block(struct mp_heap_stream *stream, struct mp_error *error);

#endif
