#include "batch.h"

#include <time.h>

#include "session.h"

static bool
print_look(const struct mp_looks *looks, const struct mp_controls *controls, uint32_t most, FILE *out)
{
    struct mp_screen_lines lines = mp_lines_make(looks->tally, &controls->how);
    char settings[64], saying[256];
    struct mp_picture_options options = mp_session_picture(looks, controls, &lines, settings, saying);

    if (looks->notice)
        fprintf(out, "%s\n", looks->notice);
    mp_picture_print(&options, most, out);
    mp_lines_free(&lines);
    return fflush(out) == 0 && !ferror(out);
}

static void
wait_until(uint64_t due)
{
    const struct timespec when = {.tv_sec = (time_t)(due / 1000000000u),
                                  .tv_nsec = (long)(due % 1000000000u)};

    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) != 0)
        ;
}

bool
mp_batch(struct mp_looks *looks, struct mp_controls *controls, unsigned long n, uint32_t most,
         FILE *out)
{
    uint64_t begin = mp_session_now(), end = begin;

    for (unsigned long i = 1;; i++) {
        if (!print_look(looks, controls, most, out))
            return false;
        if (i == n || !looks->process.running)
            return true;
        wait_until(mp_session_due(begin, end, controls->interval));
        fputc('\n', out);
        begin = mp_session_now();
        mp_looks_again(looks);
        end = mp_session_now();
    }
}
