/*
 * json_table.h -- writes any table as JSON, with everything that table.h defines, see mprof-json(5).
 *
 * Tables are written row by row, so memory does not grow with their size. This module depends on no particular table.
 */
#ifndef MP_JSON_TABLE_H
#define MP_JSON_TABLE_H

#include "reporter/base/json.h"
#include "table.h"

/* A document that is being written. */
struct mp_json_out {
    struct mp_buffer buffer;    /* all zero at the beginning */
    FILE *file;                 /* file to which the buffer is flushed; NULL keeps everything in the buffer */
};

/* Writes TABLE. Its functions are ids in VIEW. */
void mp_json_table(struct mp_json_out *out, const struct mp_table *table,
                   const struct mp_profile *view);

/* Writes the members "whole" and "frames" of a chain. CALLS may be NULL. */
void mp_json_calls(struct mp_buffer *out, const struct mp_calls *calls);

/* Flushes the buffer to the file, if there is one. Called between two members or elements of the document. */
void mp_json_piece(struct mp_json_out *out);

/* Writes the member "estimates", with an interval for each estimated figure. Without estimates, writes no member.
 *
 *     struct mp_json_estimates estimates = {out};
 *     mp_json_estimate(&estimates, "bytes", low, high);
 *     mp_json_estimates_end(&estimates);
 */
struct mp_json_estimates {
    struct mp_buffer *out;
    bool any;
};
void mp_json_estimate(struct mp_json_estimates *estimates, const char *key, uint64_t low,
                      uint64_t high);
void mp_json_estimates_end(struct mp_json_estimates *estimates);

#endif
