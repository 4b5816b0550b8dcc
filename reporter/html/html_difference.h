/* html_difference.h -- writes the part of the model that only a page of two sides has, apart from the tree. */
#ifndef MP_HTML_DIFFERENCE_H
#define MP_HTML_DIFFERENCE_H

#include "reporter/base/buffer.h"
#include "reporter/compare/compare.h"

struct mp_html_difference {
    const struct mp_comparison *comparison;
    uint32_t shown[MP_SIDES];   /* number of the run of each side that the tree shows */
    bool estimated;             /* at least one of these runs is sampled */
};

/* Writes the members of the model `head`, `part`, and `difference`:
 *
 *     {"cost": figure, "figures": [known figures], "sides": [a row for each figure],
 *      "shown": [names of the two runs], "several": whether there are more runs, "changed": number of functions,
 *      "changes": [rows of the functions that changed most], "sentences": [[subject, text], ...]} */
void mp_html_difference_write(const struct mp_html_difference *difference, struct mp_buffer *out);

#endif
