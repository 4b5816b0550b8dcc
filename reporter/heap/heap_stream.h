/*
 * heap_stream.h -- the blocks of a snapshot, one after the other, each whole and right before anybody sees it.
 */
#ifndef MP_HEAP_STREAM_H
#define MP_HEAP_STREAM_H

#include "reporter/base/cursor.h"
#include "reporter/read/input.h"
#include "runtime/heap_format.h"

struct mp_heap_stream {
    struct mp_input *input;     /* the caller's */
    uint64_t offset;            /* of the next block in the file */
    uint32_t version;
    enum mp_heap_form form;
    uint8_t *stored, *content;
    struct mp_cursor cursor;    /* over the content of the present block */
};

/* Read the head of INPUT.  False and *ERROR: it is no snapshot. */
bool mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error);
void mp_heap_stream_close(struct mp_heap_stream *stream);

/* Copy the snapshot in the open file FROM, which NAME is for messages, block by block to TO, where nobody can change it
 * any more.  False and *ERROR: it is damaged, or cannot be written. */
bool mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error);

/* Is there another block? */
bool mp_heap_stream_more(const struct mp_heap_stream *stream);

/* Read it.  False and *ERROR: it is damaged, or not there. */
bool mp_heap_stream_block(struct mp_heap_stream *stream, struct mp_error *error);

#endif
