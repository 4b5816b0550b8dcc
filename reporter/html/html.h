/*
 * html.h -- a profile as one HTML file, which needs nothing else.
 *
 * The file has the model of the profile (html_model.h), compressed, the scripts that show it, and the
 * tables of the report as text for who runs no scripts.  Names in it cannot become script: the model is
 * base64, texts are escaped, and the page's policy lets only its own scripts run.
 */
#ifndef MP_HTML_H
#define MP_HTML_H

#include <stdio.h>

#include "reporter/base/error.h"
#include "reporter/heap/heap_series.h"
#include "reporter/output/source_paths.h"
#include "reporter/profile/filter.h"
#include "reporter/profile/view.h"

struct mp_html_options {
    struct mp_view_options view;
    const struct mp_filters *filters;   /* NULL: there are none */
    const char *file;           /* of the data, for commands that the page tells of; NULL: mprof.data */
    const struct mp_source_paths *sources;      /* with the text of source files, where they are found by
                                   these; NULL: without */
    const struct mp_heap_series *heaps; /* with these snapshots of its heap, by MP_HEAP_BY_EACH; NULL: without */
    size_t most;                /* bytes of the model as it stands in the file; 0: MP_HTML_MOST.  What there
                                   is no room for is summed up, and said */
};

#define MP_HTML_MOST (7u << 20)

/* Write the page of PROFILE, which is symbolised.  False and *ERROR: there is no such view, or OUT
 * failed. */
bool mp_html_write(const struct mp_profile *profile, const struct mp_html_options *options, FILE *out,
                   struct mp_error *error);

#endif
