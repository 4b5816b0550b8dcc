/* part.h -- what part of a profile is shown, in words. */
#ifndef MP_PART_H
#define MP_PART_H

#include <stdio.h>

#include "reporter/profile/filter.h"

/* Print "through f, of --module=libc"; FOCUS or FILTERS may be NULL, and filters none. */
void mp_part_print(const char *focus, const struct mp_filters *filters, FILE *out);

/* The same as a text, which the caller frees. */
char *mp_part_text(const char *focus, const struct mp_filters *filters);

#endif
