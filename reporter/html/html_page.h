/* html_page.h -- the page around the model. */
#ifndef MP_HTML_PAGE_H
#define MP_HTML_PAGE_H

#include <stdio.h>

#include "html.h"
#include "reporter/base/buffer.h"

/* PACKED: the model, compressed. */
bool mp_html_page_write(const struct mp_profile *profile, const struct mp_html_options *options,
                        const struct mp_buffer *packed, FILE *out, struct mp_error *error);

#endif
