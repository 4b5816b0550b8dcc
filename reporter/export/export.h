/* SPDX-License-Identifier: MIT */
/*
 * export.h -- exports a profile to the formats of other tools. reporter/export/ owns these formats: each has a line
 * in a const table and is written by one file. The command export and the HTTP server call it through this header only.
 *
 * Every format has the same chains and figures as the report of the same view. Anything that a format cannot
 * represent is left out, never approximated. To add a format, write mp_export_NAME(), add its line to MP_EACH_FORMAT in
 * export_formats.h, describe it in mprof-export(1), and add a test that its real reader finds the report's figures.
 */
#ifndef MP_EXPORT_H
#define MP_EXPORT_H

#include <stdio.h>

#include "reporter/base/label.h"
#include "reporter/profile/profile.h"
#include "reporter/view/filter.h"

/* Describes an export. The caller owns everything in it. */
struct mp_export {
    const struct mp_profile *profile;   /* the whole recording, for head, totals, modules and time line */
    const struct mp_profile *view;      /* the part to export: chains and cells */
    bool by_process;            /* written chains begin with the process if the view's chains do */
    bool all_frames;            /* chains include the frames that start main and threads */
    enum mp_sort cost;          /* the figure to write, if a format has one figure for each chain */
    const char *focus;          /* which part the view is, for remarks in the file */
    const struct mp_filters *filters;   /* filters applied, or NULL; see struct mp_said_part */
    bool lisp;                  /* objects of Lisp only */
    bool kept_first;            /* live memory is the default figure, if a format has a default */
    const char *output;         /* name of the file to write, or NULL for standard output; its suffix chooses the
                                   compression in some formats */
    const char *file;           /* file that the profile was read from */
    const struct mp_label *labels; uint32_t n_labels;  /* labels in addition to those of the recording, which they
                                                          replace; names are unique */
    const char *null;           /* csv: text for unknown values; NULL means none */
    bool no_header;             /* csv: leave out the first line, which names the columns */
};

/* Formats whose lines are the rows of a table. */
enum mp_flat { MP_FLAT_NONE, MP_FLAT_CSV, MP_FLAT_NDJSON };

struct mp_export_format {
    const char *name;           /* name for --format */
    const char *summary;        /* one line about the format and its readers */
    bool binary;                /* not text, so it must not be written to a terminal */
    bool one_figure;            /* has one figure for each chain, chosen by `cost`; other formats ignore `cost` */
    /* Writes the export to OUT. If the profile cannot be exported, returns false and fills *ERROR before anything is
     * written. */
    bool (*write)(const struct mp_export *export, FILE *out, struct mp_error *error);
    /* Used instead of `write`, which is NULL then. Appends the export to the file `output`, which is never standard
     * output. Sets *ADDED to false if the file already contains it. On failure, returns false, fills *ERROR and
     * leaves the file unchanged. */
    bool (*append)(const struct mp_export *export, bool *added, struct mp_error *error);
    bool labels;                /* the format can store `labels` */
    enum mp_flat flat;          /* the lines are rows of a table, which has a schema; csv has `null` and `no_header` */
    bool whole;                 /* needs a view with whole names, in which no allocation wrapper is skipped */
    bool by_process;            /* needs a view whose chains begin with the process, because rows name it */
};

/* in the order in which they are listed */
extern const struct mp_export_format mp_export_formats[];
extern const size_t mp_n_export_formats;

/* Returns the format called NAME, or NULL. */
const struct mp_export_format *mp_export_named(const char *name);

/* Returns the name of database engine I, counted from 0, or NULL if there are no more. */
const char *mp_export_engine(unsigned i);

/* Writes the statements that create a table for the rows of FLAT in an engine. */
void mp_export_schema(enum mp_flat flat, unsigned engine, FILE *out);

/* Writes EXPORT in FORMAT, which must have `write`, to memory. Sets *BYTES and *SIZE; the caller frees *BYTES.
 * Returns false and fills *ERROR on failure, when there is nothing to free. */
bool mp_export_bytes(const struct mp_export_format *format, const struct mp_export *export, char **bytes,
                     size_t *size, struct mp_error *error);

#endif
