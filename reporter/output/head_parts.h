/* head_parts.h -- functions shared by the files that compute the head. */
#ifndef MP_HEAD_PARTS_H
#define MP_HEAD_PARTS_H

#include "head.h"

#define MP_HEAD_TIME_SIZE 64

/* Writes REALTIME, in ns since 1970, to TEXT as local time and returns TEXT. It is "" if REALTIME is 0. */
const char *mp_head_time(uint64_t realtime, char text[static MP_HEAD_TIME_SIZE]);

/* Marks ROW as estimated if an estimate is not exact, and adds the errors to its text. BYTES may be NULL. */
void mp_head_set_estimates(struct mp_head *head, struct mp_head_row *row, const struct mp_estimate *blocks,
                           const struct mp_estimate *bytes);

/* Adds the modules without symbols and those with other problems. */
void mp_head_modules(struct mp_head *head, const struct mp_profile *profile);

/* Adds all rows of a profile written by another tool. ALL is the sum of its counts. */
void mp_head_imported(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *all);

#endif
