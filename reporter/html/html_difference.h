/* SPDX-License-Identifier: MIT */
/* html_difference.h -- writes the part of the model that only a page of two sides has, apart from the tree. */
#ifndef MP_HTML_DIFFERENCE_H
#define MP_HTML_DIFFERENCE_H

#include "reporter/base/buffer.h"
#include "reporter/diff/compare.h"

struct mp_html_difference {
    const struct mp_comparison *comparison;
    uint32_t shown[MP_SIDES];   /* index of the run that the tree shows, by side */
    bool estimated;             /* at least one of the shown runs is sampled */
};

/* Writes three members of the model, `head`, `part` if only a part is compared, and `difference`:
 *
 *     {"cost": compared figure, "figures": [known figures], "sides": [a row for each known figure],
 *      "shown": [labels of the two shown runs], "several": whether there are more runs,
 *      "changed": number of functions that changed, "changes": [rows of the functions that changed most],
 *      "sentences": [[topic, text], ...]} */
void mp_html_difference_write(const struct mp_html_difference *difference, struct mp_buffer *out);

#endif
