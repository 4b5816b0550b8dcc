/* heap_stream.h -- reads a snapshot block by block (reporter/read/blocks.h). */
#ifndef MP_HEAP_STREAM_H
#define MP_HEAP_STREAM_H

#include "reporter/read/blocks.h"
#include "runtime/heap_format.h"

struct mp_heap_stream {
    struct mp_blocks blocks;
    enum mp_heap_form form;
};

/* Reads the header of INPUT. Returns false and fills *ERROR if it is not a snapshot. Otherwise the caller ends
 * stream->blocks. */
bool mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error);

/* Copies the snapshot in the open file FROM block by block to TO, where nobody else can change it. NAME is used in
 * messages. Returns false and fills *ERROR if the snapshot is damaged or cannot be written. */
bool mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error);

/* Returns whether there is another block. */
bool mp_heap_stream_more(const struct mp_heap_stream *stream);

#endif
