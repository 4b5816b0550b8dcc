/* html_compare.h -- the differences of a join as one HTML file, of the same sort as a profile's (html.h). */
#ifndef MP_HTML_COMPARE_H
#define MP_HTML_COMPARE_H

#include "reporter/compare/compare.h"

/* Write the page.  Its tree is of one run a side: where there are several, of that whose cost is nearest the median,
 * and the page says so.  Sentences, figures of the sides and the table of functions are of all.  False and *ERROR:
 * OUT failed. */
bool mp_html_compare_write(const struct mp_comparison *comparison, FILE *out, struct mp_error *error);

#endif
