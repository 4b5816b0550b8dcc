/*
 * export.h -- a profile in the formats of other tools: each a line of a const table, and a file of its own.
 *
 * Every format writes the same chains with the same figures as the report shows of the same view.  What it has
 * no room for is left out of it, never approximated.  To add one: an mp_export_NAME() declared in formats.h and
 * its line in the table of export.c; then mprof-export(1), and a test that its real reader finds the report's
 * figures.
 */
#ifndef MP_EXPORT_H
#define MP_EXPORT_H

#include <stdio.h>

#include "reporter/profile/filter.h"
#include "reporter/profile/profile.h"

/* What is not recorded: build, branch, service ... */
struct mp_export_label {
    const char *key, *value;
};

/* What is exported; all of it is the caller's. */
struct mp_export {
    const struct mp_profile *profile;   /* the whole recording: its head, totals, modules, time line */
    const struct mp_profile *view;      /* what is shown of it: chains and cells */
    bool by_process;            /* chains that are written begin with the process, too, where the view's do */
    bool all_frames;            /* chains begin with what starts main and threads, too */
    enum mp_sort cost;          /* what is counted, where a format has one figure a chain */
    const char *focus;          /* which part the view is, for formats with room for a remark: */
    const struct mp_filters *filters;   /* see struct mp_said_part; NULL: there are none */
    bool lisp;                  /* objects of Lisp only */
    bool kept_first;            /* what lives is looked at first, where a format says which figure is */
    const char *output;         /* the file that it becomes, for formats that tell by its name how it is compressed;
                                   NULL: standard output */
    const char *file;           /* that it was read from, and */
    const struct mp_export_label *labels; uint32_t n_labels;   /* what is said of it, keys once */
};

struct mp_export_format {
    const char *name;           /* of --format */
    const char *summary;        /* one line, and who reads it */
    bool binary;                /* no text for a terminal */
    bool one_figure;            /* of a chain: `cost` chooses it; else `cost` is not looked at */
    /* Write it to OUT.  False and *ERROR, before anything is written: there is no such thing of this
     * profile. */
    bool (*write)(const struct mp_export *export, FILE *out, struct mp_error *error);
    /* Instead, `write` is NULL then: add it to the file `output`, which is never standard output.  *ADDED: false,
     * it is there already.  False and *ERROR: the file is as it was. */
    bool (*append)(const struct mp_export *export, bool *added, struct mp_error *error);
    bool labels;                /* there is a place for `labels` */
    bool by_process;            /* chains of the view must begin with the process: rows tell which it is */
};

/* In the order in which they are listed. */
extern const struct mp_export_format mp_export_formats[];
extern const size_t mp_n_export_formats;

/* NULL: there is none called NAME. */
const struct mp_export_format *mp_export_named(const char *name);

/* EXPORT in FORMAT, which has `write`, as *BYTES, *SIZE of them, which the caller frees.  False and *ERROR: nothing
 * is to be freed. */
bool mp_export_bytes(const struct mp_export_format *format, const struct mp_export *export, char **bytes,
                     size_t *size, struct mp_error *error);

#endif
