/* SPDX-License-Identifier: MIT */
/* clock.h -- the time of CLOCK_MONOTONIC, which the monitor writes into data files, too. */
#ifndef MP_CLOCK_H
#define MP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time since an unspecified point in the past, ns. */
static inline uint64_t
mp_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif
