/* SPDX-License-Identifier: MIT */
/* html_compare.h -- writes the differences between two sides as one HTML file, like the page of a profile (html.h). */
#ifndef MP_HTML_COMPARE_H
#define MP_HTML_COMPARE_H

#include "reporter/diff/compare.h"

/* Writes the page of COMPARISON to OUT. The tree shows one run of each side. If a side has several runs, this is the
 * run whose compared figure is nearest the median, and the page says so. Sentences, figures of the sides, and the table
 * of changed functions are computed from all runs. Returns false and fills *ERROR if writing fails. */
bool mp_html_compare_write(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

#endif
