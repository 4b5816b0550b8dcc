/* chart.h -- what lived over time, small, in characters of a terminal. */
#ifndef MP_CHART_H
#define MP_CHART_H

#include <stdio.h>

#include "reporter/profile/profile.h"

/* Print a chart of PROFILE's time line, LISP: of its objects only, in lines of WIDTH columns at most, as a part
 * of the head; with block characters if UTF8, else in ASCII.  Nothing if there is no time line, or no room. */
void mp_chart_print(const struct mp_profile *profile, bool lisp, unsigned width, bool utf8, FILE *out);

#endif
