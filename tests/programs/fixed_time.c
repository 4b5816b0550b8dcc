/*
 * fixed_time.c -- preloaded, it stops the clock: time() is always the same second.
 *
 * libxml2 seeds its hash tables with it; how many collisions allocate then differs from run to run.
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
