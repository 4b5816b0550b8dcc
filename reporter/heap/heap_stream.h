/* SPDX-License-Identifier: MIT */
/* heap_stream.h -- reads a snapshot block by block (reporter/file/file_blocks.h). */
#ifndef MP_HEAP_STREAM_H
#define MP_HEAP_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "reporter/file/file_blocks.h"
#include "reporter/profile/profile.h"
#include "runtime/heap_format.h"

struct mp_heap_stream {
    struct mp_blocks blocks;
    enum mp_heap_form form;
};

/* Reads the header of INPUT. Returns false and fills *ERROR if it is not a snapshot. Otherwise the caller must call
 * mp_blocks_end() for stream->blocks. */
bool mp_heap_stream_open(struct mp_heap_stream *stream, struct mp_input *input, struct mp_error *error);

/* Copies the snapshot in the open file FROM block by block to TO, where nobody else can change it. NAME is used in
 * messages. Returns false and fills *ERROR if the snapshot is damaged or cannot be written. */
bool mp_heap_stream_copy(int from, int to, const char *name, struct mp_error *error);

/* Returns whether there is another block. */
bool mp_heap_stream_more(const struct mp_heap_stream *stream);

/* ---------------------------------------------------------------- facts */

/* The facts of a snapshot, such as its process and time, which are read without loading its objects. */
struct mp_heap_facts {
    uint64_t numbers[MP_FACTS]; /* by enum mp_heap_fact; 0 if unknown or a text */
    char language[64];          /* truncated if longer; "" if unknown */
};

/* Reads the facts that come before the objects in the snapshot PATH, which are all except the duration of writing.
 * Returns false and fills *ERROR if the file cannot be read. */
bool mp_heap_facts_read(const char *path, struct mp_heap_facts *facts, struct mp_error *error);

/* Returns whether two snapshots with the facts A and B are from one process. Facts are indexed by enum
 * mp_heap_fact. */
bool mp_heap_facts_same_process(const uint64_t a[static MP_FACTS], const uint64_t b[static MP_FACTS]);

/* Returns whether a snapshot with FACTS is from the process and recording of META. */
bool mp_heap_facts_are_of(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);

/* Returns whether a snapshot with FACTS is from a process with the pid of META and was taken since the recording of
 * META began. Ignores the run id. */
bool mp_heap_facts_are_since(const uint64_t facts[static MP_FACTS], const struct mp_meta *meta);

#endif
