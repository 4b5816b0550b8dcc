/* SPDX-License-Identifier: MIT */
/* html_page.h -- writes the HTML page around a model. */
#ifndef MP_HTML_PAGE_H
#define MP_HTML_PAGE_H

#include <stdio.h>

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"

struct mp_html_page {
    const char *title;
    const struct mp_buffer *packed;     /* the compressed model */
    /* Writes the tables as text, for readers without scripts. Returns false and fills *ERROR if that fails. */
    bool (*tables)(const void *data, FILE *out, struct mp_error *error);
    const void *data;           /* for tables() */
};

/* Writes PAGE to OUT. Returns false and fills *ERROR if tables() or writing fails. */
bool mp_html_page_write(const struct mp_html_page *page, FILE *out, struct mp_error *error);

#endif
