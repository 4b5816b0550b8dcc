/* SPDX-License-Identifier: MIT */
/*
 * json_head.h -- the JSON document around the tables of a report, see mprof-json(5).
 *
 *     struct mp_json_out out = {.file = stdout};
 *     mp_json_begin(&out, &(struct mp_json_subject){.command = "report", ...});
 *     mp_json_key(&out.buffer, "tables");
 *     ...
 *     return mp_json_finish(&out, error);
 */
#ifndef MP_JSON_HEAD_H
#define MP_JSON_HEAD_H

#include "head.h"
#include "reporter/base/json.h"
#include "said_part.h"

/* The version of the schema. The first number is increased by incompatible changes, the second by compatible ones.
 * doc/mprof-report.schema.json.in and mprof-json(5) contain the same version. */
#define MP_JSON_VERSION "1.0"

/* A document that is being written. */
struct mp_json_out {
    struct mp_buffer buffer;    /* all zero at the beginning */
    FILE *file;                 /* file to which the buffer is flushed; NULL keeps everything in the buffer */
};

struct mp_calls;

/* Writes the calls of a chain as a list. CALLS may be NULL. */
void mp_json_frames(struct mp_buffer *out, const struct mp_calls *calls);

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

/* The sums of one or several profiles. */
struct mp_recording {
    struct mp_meta meta;        /* of several, the sums where they make sense */
    struct mp_totals totals;
    const struct mp_profile *profile;   /* the only profile; NULL for several, which have no common peak */
    uint64_t contexts;
    uint64_t heap;              /* bytes by the collector's own count; 0 if unknown */
    uint32_t files, processes;
    bool lisp;                  /* a Lisp runtime was recorded */
    bool alike;                 /* all have the same sample period, or all are complete */
};

/* Adds PROFILE to RECORDING, which is all zero at first. */
void mp_recording_add(struct mp_recording *recording, const struct mp_profile *profile);

/* The view that a document is about. */
struct mp_json_subject {
    const char *command;        /* command that writes the document */
    const char *path;           /* of the data file, as the user named it */
    struct mp_said_part part;
    enum mp_frames frames;      /* as returned by mp_frames_shown() */
    enum mp_sort sort;
};

/* Opens a document about SUBJECT and writes all members except the members that are special to the command. */
void mp_json_begin(struct mp_json_out *out, const struct mp_json_subject *subject);

/* Opens a document of COMMAND about N FILES, named as by the user, without a view. */
void mp_json_begin_files(struct mp_json_out *out, const char *command, const char *const *files, size_t n);

/* Writes the members process, totals, missing, sampling and language. */
void mp_json_recording(struct mp_json_out *out, const struct mp_recording *recording);

/* Writes the member head, which contains the rows of the human-readable head. */
void mp_json_head(struct mp_json_out *out, const struct mp_head *head);

/* Closes the document. Writes the rest of it to its file, or leaves it in the buffer if there is no file. Returns
 * false and sets *ERROR if memory is exhausted or the file cannot be written. */
bool mp_json_finish(struct mp_json_out *out, struct mp_error *error);

#endif
