/* about.h -- what is compared, and what makes figures of the sides not comparable: rows of a head. */
#ifndef MP_COMPARE_ABOUT_H
#define MP_COMPARE_ABOUT_H

#include "join.h"
#include "reporter/output/head.h"

/* mp_head_free() frees it; JOIN must outlive it. */
struct mp_head *mp_about(const struct mp_join *join, enum mp_sort cost);

#endif
