/*
 * json_head.h -- what stands around the tables of a report as JSON, see mprof-json(5).
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
#include "json_table.h"
#include "said_part.h"

/* The version of the schema: the former number is raised by what breaks readers, the latter by what they need
 * not heed.  doc/mprof-report.schema.json and mprof-json(5) have the same. */
#define MP_JSON_VERSION "1.0"

/* What was recorded: of one profile, or the sums of several. */
struct mp_json_recording {
    const struct mp_meta *meta;
    const struct mp_totals *totals;
    const struct mp_profile *profile;   /* NULL: several, of which no process and no peak is told */
    uint64_t contexts;
    uint64_t heap;              /* bytes by the collector's own count; 0: not known */
    uint64_t stack;             /* bytes of the deepest one; 0: not known */
    bool lisp;                  /* there is a language's runtime */
    bool alike;                 /* sampled with one period, or not at all */
};

/* COUNTS as an object, of which so many figures are known: all; those of what happened between two moments; of
 * what was alive at one; but those of UNKNOWN, see struct mp_meta, never. */
#define MP_JSON_COUNTS 7u
#define MP_JSON_COUNTS_BETWEEN 6u
#define MP_JSON_COUNTS_ALIVE 2u
void mp_json_counts(struct mp_buffer *out, const struct mp_counts *counts, unsigned known, uint32_t unknown);

/* What a document of a view is about. */
struct mp_json_subject {
    const char *command;        /* that writes it */
    const char *path;           /* of the data file, as it was named */
    struct mp_said_part part;
    enum mp_frames frames;      /* see mp_frames_shown() */
    enum mp_sort sort;
};

/* Open a document about SUBJECT: all but what its command has to say. */
void mp_json_begin(struct mp_json_out *out, const struct mp_json_subject *subject);

/* Open a document of COMMAND's about the N FILES, as they were named, without any view. */
void mp_json_begin_files(struct mp_json_out *out, const char *command, const char *const *files, size_t n);

/* Its members process, totals, missing, sampling and language. */
void mp_json_recording(struct mp_json_out *out, const struct mp_json_recording *recording);

/* Its member head: the rows that people read. */
void mp_json_head(struct mp_json_out *out, const struct mp_head *head);

/* Close it, and write all of it to its file, or leave it in its buffer.  False and *ERROR: there was no memory,
 * or the file cannot be written. */
bool mp_json_finish(struct mp_json_out *out, struct mp_error *error);

#endif
