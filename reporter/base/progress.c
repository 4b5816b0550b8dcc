/* SPDX-License-Identifier: MIT */
#include "clock.h"
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "format_number.h"
#include "text.h"

#define FIRST_MS 1000           /* time until the line appears */
#define NEXT_MS 100             /* time between updates */

static bool wanted, quiet;
static struct {
    const char *what;           /* NULL if there is no operation */
    unsigned within;            /* number of nested operations */
    int64_t next;               /* ms; time of the next update */
    bool shown;
} now;

static int64_t
clock_ms(void)
{
    return (int64_t)(mp_now() / 1000000);
}

void
mp_progress_want(void)
{
    wanted = isatty(STDERR_FILENO);
}

void
mp_quiet_want(void)
{
    wanted = false;
    quiet = true;
}

bool
mp_quiet(void)
{
    return quiet;
}

void
mp_progress_begin(const char *what)
{
    if (!wanted)
        return;
    if (now.what) {
        now.within++;
        return;
    }
    now.what = what;
    now.next = clock_ms() + FIRST_MS;
}

void
mp_progress(uint64_t done, uint64_t all)
{
    int64_t ms;

    if (!now.what || now.within > 0 || (ms = clock_ms()) < now.next)
        return;
    now.next = ms + NEXT_MS;
    now.shown = true;
    fputs("\r\033[Kmprof: ", stderr);
    mp_text_print(stderr, now.what);
    if (all > 0 && done <= all)
        fprintf(stderr, " %u %%", mp_number_share(done, all));
    fflush(stderr);
}

void
mp_progress_end(void)
{
    if (now.within > 0) {
        now.within--;
        return;
    }
    if (now.shown)
        fputs("\r\033[K", stderr);
    now.what = NULL;
    now.shown = false;
}
