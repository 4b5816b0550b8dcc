/*
 * json_table.h -- any table as JSON: all that table.h knows of it, see mprof-json(5).
 *
 * Row by row, so that memory does not grow with the table.  No table is known by name here.
 */
#ifndef MP_JSON_TABLE_H
#define MP_JSON_TABLE_H

#include "reporter/base/json.h"
#include "table.h"

/* A document that is being written. */
struct mp_json_out {
    struct mp_buffer buffer;    /* zero at first */
    FILE *file;                 /* where it goes, piece by piece; NULL: it stays in the buffer */
};

/* TABLE, whose functions are VIEW's. */
void mp_json_table(struct mp_json_out *out, const struct mp_table *table,
                   const struct mp_profile *view);

/* The members whole and frames of a chain; CALLS may be NULL. */
void mp_json_calls(struct mp_buffer *out, const struct mp_calls *calls);

/* What was written last is a good place to let go of the buffer's bytes. */
void mp_json_piece(struct mp_json_out *out);

/* "estimates": an interval for each figure that is estimated; without any there is no such member.
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
