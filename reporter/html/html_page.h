/* html_page.h -- the page around the model. */
#ifndef MP_HTML_PAGE_H
#define MP_HTML_PAGE_H

#include <stdio.h>

#include "reporter/base/buffer.h"
#include "reporter/base/error.h"

struct mp_html_page {
    const char *title;
    const struct mp_buffer *packed;     /* the model, compressed */
    bool (*tables)(const void *data, FILE *out, struct mp_error *error);        /* as text, for who runs no scripts */
    const void *data;
};

bool mp_html_page_write(const struct mp_html_page *page, FILE *out, struct mp_error *error);

#endif
