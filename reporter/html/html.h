/* SPDX-License-Identifier: MIT */
/*
 * html.h -- writes a profile as one self-contained HTML file.
 *
 * reporter/html/ owns the page: the model (html_model.h), the scripts that show it (page/), and the limits of its
 * size. The tables and findings in it come from other directories. The commands html and diff and the HTTP server
 * call it.
 *
 * The file contains the compressed model of the profile, the scripts, and the tables of the report as text for
 * readers without scripts. Names in the profile cannot become scripts: the model is encoded as base64, texts are
 * escaped, and the page's Content Security Policy allows only the page's own scripts.
 */
#ifndef MP_HTML_H
#define MP_HTML_H

#include <stdint.h>
#include <stdio.h>

#include "reporter/base/error.h"
#include "reporter/heap/heap_series.h"
#include "reporter/view/filter.h"
#include "reporter/view/source_paths.h"
#include "reporter/view/view.h"

/* The source files in the page. */
struct mp_html_sources {
    struct mp_source_paths allowed;     /* files that may be included */
    bool whole;                         /* include all lines of these; otherwise only those near lines of calls */
    uint32_t n[MP_SOURCE_PROBLEMS];     /* output: number of files by problem. Those counted by
                                           mp_html_sources_count() are included, the others were left out */
};

uint32_t mp_html_sources_count(const struct mp_html_sources *sources);

struct mp_html_options {
    struct mp_view_options view;
    const struct mp_filters *filters;   /* filters to apply, or NULL */
    const char *file;           /* name of the data file in commands that the page shows; NULL for mprof.data */
    const char *lineless;       /* sentence on source lines that are unknown, or NULL */
    struct mp_html_sources *sources;    /* NULL to leave out source text */
    const struct mp_heap_series *heaps; /* snapshots of the heap to show, by MP_HEAP_BY_EACH, or NULL */
    size_t most;                /* maximum bytes of the encoded model; 0 for MP_HTML_MOST. Parts that do not fit are
                                   left out or summed up, and the page says so */
};

#define MP_HTML_MOST (7u << 20)

/* Writes the page of PROFILE, which must be symbolised, to OUT. Returns false and fills *ERROR if the view cannot be
 * made or writing fails. */
bool mp_html_write(const struct mp_profile *profile, const struct mp_html_options *options, FILE *out,
                   struct mp_error *error);

#endif
