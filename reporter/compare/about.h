/* about.h -- rows of a head: what is compared, and what makes the sides incomparable. */
#ifndef MP_COMPARE_ABOUT_H
#define MP_COMPARE_ABOUT_H

#include "join.h"
#include "reporter/output/head.h"

/* Returns the head. The caller frees it with mp_head_free(); JOIN must outlive it. */
struct mp_head *mp_about(const struct mp_join *join, enum mp_sort cost);

#endif
