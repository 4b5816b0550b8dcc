/* head_parts.h -- what the files that compute the head share. */
#ifndef MP_HEAD_PARTS_H
#define MP_HEAD_PARTS_H

#include "head.h"

#define MP_HEAD_TIME_SIZE 64

/* A time in ns since 1970, local; "": there is none. */
const char *mp_head_time(uint64_t realtime, char text[static MP_HEAD_TIME_SIZE]);

/* Mark ROW as estimated, if it is; BYTES: or NULL. */
void mp_head_set_estimates(struct mp_head *head, struct mp_head_row *row, const struct mp_estimate *blocks,
                           const struct mp_estimate *bytes);

/* Modules without names, and why. */
void mp_head_modules(struct mp_head *head, const struct mp_profile *profile);

/* All rows of what another tool wrote; ALL is its sum. */
void mp_head_imported(struct mp_head *head, const struct mp_profile *profile, const struct mp_counts *all);

#endif
