/* chart.h -- a small chart of live bytes over time, in terminal characters. */
#ifndef MP_CHART_H
#define MP_CHART_H

#include <stdio.h>

#include "reporter/profile/profile.h"

/* Prints a chart of PROFILE's time line for the head, in lines of at most WIDTH columns. If LISP, counts only Lisp
 * objects. Uses block characters if UTF8, else ASCII. Prints nothing if WIDTH is too small or there is no time
 * line. */
void mp_chart_print(const struct mp_profile *profile, bool lisp, unsigned width, bool utf8, FILE *out);

#endif
