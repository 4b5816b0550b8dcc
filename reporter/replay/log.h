/* SPDX-License-Identifier: MIT */
/*
 * log.h -- the log of what was allocated and freed in a collected heap, FILE.log of the data file FILE. The monitor
 * writes it into the live file (struct mp_live_event), and sealing moves it here.
 *
 *   byte 0   magic             8 bytes
 *        8   version           u32, little-endian as every number here
 *       12   pid               u32, of the recorded process
 *       16   start             u64, ns since 1970; together with the pid it identifies the recording
 *       24   blocks            see reporter/file/file_blocks.h; compressed content is deflated (zlib format)
 *
 * The content of a block is a series of records, and a record does not cross blocks. A record begins with a varint:
 * enum mp_event (runtime/format.h) or one of the tags below in the low MP_EVENT_BITS + 1 bits, and a value. Other
 * numbers are varints (LEB128); differences are zigzag-coded. All differences begin at 0 in each block.
 *
 *   MP_EVENT_ATOMIC, _POINTERS, _UNCOLLECTABLE     value: size in units of 16 bytes; then the address in these units,
 *                              as the difference to the last object that has the same tag and the same size modulo 64
 *   MP_EVENT_FREE              value: 0; then the address in these units, as the difference to the last freed object
 *   MP_EVENT_DEAD              value: 0; then the address in units of MP_EVENT_SPAN, as the difference to that of the
 *                              last such record; then the bits (u64)
 *   MP_EVENT_FIGURE, _COLLECTED                    value: that of the event; then its number `where`
 *   MP_LOG_MISSING             value: number of events that are missing here
 *   MP_LOG_END                 value: 0; this is the last record
 */
#ifndef MP_REPLAY_LOG_H
#define MP_REPLAY_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "runtime/format.h"

#define MP_LOG_MAGIC     "MPROFLOG"     /* 8 bytes, no NUL */
#define MP_LOG_VERSION   1u
#define MP_LOG_HEADER    24u
#define MP_LOG_BLOCK     ((uint32_t)1 << 18)    /* maximum bytes of a block's content */
#define MP_LOG_UNIT      16u                    /* bytes; sizes and addresses of objects are multiples */
#define MP_LOG_SIZES     64u                    /* number of sizes with differences of their own */

enum mp_log_tag { MP_LOG_MISSING = 8, MP_LOG_END = 9 };
#define MP_LOG_TAG_BITS  (MP_EVENT_BITS + 1)

/* The last addresses, to which differences refer. */
struct mp_log_last {
    uint64_t objects[MP_EVENT_UNCOLLECTABLE + 1][MP_LOG_SIZES], freed, dead;
};

/* A recording, as a log's header identifies it. */
struct mp_log_of {
    uint32_t pid;
    uint64_t start;
};

/* An event that was read. */
struct mp_log_event {
    unsigned tag;               /* enum mp_event or enum mp_log_tag */
    uint64_t value;
    uint64_t address;           /* of the object; for MP_EVENT_DEAD, of the first byte of the span */
    uint64_t bits;              /* for MP_EVENT_DEAD, the dead objects of the span; for MP_EVENT_FIGURE and
                                   MP_EVENT_COLLECTED, `where` of the event */
};

struct mp_log_reader;

/* Opens the log PATH. Returns NULL and fills *ERROR if it is not a log, or is the log of another recording than OF. */
struct mp_log_reader *mp_log_open(const char *path, const struct mp_log_of *of, struct mp_error *error);

/* Reads the next event into *EVENT. Returns false and fills *ERROR if the log is damaged. Must not be called again
 * after it has read MP_LOG_END. */
bool mp_log_next(struct mp_log_reader *reader, struct mp_log_event *event, struct mp_error *error);

void mp_log_close(struct mp_log_reader *reader);

#endif
