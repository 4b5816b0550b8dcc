/*
 * fixed_time.c -- preloaded, stops the clock: time() always returns the same second.
 *
 * libxml2 seeds its hash tables with the time, so that the number of collisions that allocate would differ from run
 * to run.
 */
#include <time.h>

time_t
time(time_t *result)
{
    const time_t then = 571968000;      /* February 16, 1988 */

    if (result != NULL)
        *result = then;
    return then;
}
/* SPDX-License-Identifier: MIT */
