#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/progress.h"
#include "reporter/read/reader.h"
#include "reporter/symbols/symbols.h"

/* Start time in CLOCK_MONOTONIC; progress is shown after half a second. */
static struct timespec progress_start;
static bool progress_shown;

static void
progress(const char *what, uint32_t done, uint32_t total)
{
    struct timespec now;
    int64_t ms;

    clock_gettime(CLOCK_MONOTONIC, &now);
    ms = (now.tv_sec - progress_start.tv_sec) * 1000 +
         (now.tv_nsec - progress_start.tv_nsec) / 1000000;
    if (ms < 500)
        return;
    fprintf(stderr, "\r\033[Kmprof: %s %" PRIu32 "/%" PRIu32, what, done, total);
    fflush(stderr);
    progress_shown = true;
}

bool
mp_load_names(struct mp_profile *profile, const char *executable, struct mp_error *error)
{
    const struct mp_symbol_options options = {
        .inlines = true,
        .types = true,
        .cache = true,
        .executable = executable,
        .progress = isatty(STDERR_FILENO) && !mp_quiet() ? progress : NULL,
    };
    bool ok;

    clock_gettime(CLOCK_MONOTONIC, &progress_start);
    progress_shown = false;
    ok = mp_symbolise(profile, &options, error);
    if (progress_shown)
        fputs("\r\033[K", stderr);
    return ok;
}

struct mp_profile *
mp_load(const char *path, const char *executable, struct mp_error *error)
{
    struct mp_profile *profile = mp_read(path, error);

    if (profile && !mp_load_names(profile, executable, error)) {
        mp_profile_free(profile);
        return NULL;
    }
    return profile;
}
