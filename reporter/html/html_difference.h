/* html_difference.h -- what a page of two sides knows of them, beside the tree. */
#ifndef MP_HTML_DIFFERENCE_H
#define MP_HTML_DIFFERENCE_H

#include "reporter/base/buffer.h"
#include "reporter/compare/compare.h"

struct mp_html_difference {
    const struct mp_comparison *comparison;
    uint32_t shown[MP_SIDES];   /* runs that the tree is of */
    bool estimated;             /* one of these is sampled */
};

/* Members of the model: head, part, and `difference`:
 *
 *     {"cost": figure, "figures": [those that are known], "sides": [a row for each of these],
 *      "shown": [names of the two runs], "several": of more than these, "changed": functions that changed,
 *      "changes": [rows of those that changed most], "sentences": [[what it is about, text], ...]} */
void mp_html_difference_write(const struct mp_html_difference *difference, struct mp_buffer *out);

#endif
