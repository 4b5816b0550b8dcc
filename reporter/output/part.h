/* part.h -- describes in words which part of a profile is shown. */
#ifndef MP_PART_H
#define MP_PART_H

#include <stdio.h>

#include "reporter/profile/filter.h"

/* Prints, for example, "through f, of --module=libc". FOCUS and FILTERS may be NULL, and FILTERS may be empty. */
void mp_part_print(const char *focus, const struct mp_filters *filters, FILE *out);

/* Returns what mp_part_print() prints. The caller frees the text. */
char *mp_part_text(const char *focus, const struct mp_filters *filters);

#endif
