#include "delta.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "reporter/read/reader.h"
#include "reporter/run/look.h"
#include "reporter/run/process.h"
#include "reporter/run/series.h"

/* Returns the time since the recording in LOOK began, ns. */
static uint64_t
elapsed(const struct mp_look *look)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - look->header.start_monotonic;
}

static void
take(void *data, const struct mp_change *change)
{
    mp_series_add_change(data, change);
}

/* Reads all cells and stores their counts in DELTA as changes since the start. Returns false if they cannot be
 * read. */
static bool
read_cells(struct mp_delta *delta, struct mp_look *look)
{
    struct mp_point point;

    if (!mp_look_totals(look, &point))
        return false;
    mp_series_begin(&delta->observed, look->header.start_monotonic, 0);
    delta->begin = elapsed(look);
    if (!mp_look_cells_read(&look->cells, look->fd, &point)) {
        mp_delta_free(delta);
        return false;
    }
    delta->end = elapsed(look);
    mp_look_cells_changes(&look->cells, take, &delta->observed);
    mp_series_add_moment(&delta->observed, delta->begin, delta->end, UINT32_MAX);
    mp_series_add_point(&delta->observed, &point);
    delta->observed.looked = delta->end;        /* deltas do not show the peak, so any time from here on will do */
    return true;
}

bool
mp_delta_begin(struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error)
{
    struct mp_process process;
    struct mp_look look;
    uint64_t after;
    bool ok;
    int fd;

    *delta = (struct mp_delta){0};
    if (subject->pid == 0)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                       "seconds are for processes that run: %s is a data file", subject->id);
    if (!mp_process_open(subject->pid, &process, error))
        return false;
    fd = mp_process_reopen(&process);
    mp_process_close(&process);
    ok = fd >= 0 && mp_look_open(&look, fd, 0);
    if (ok) {
        ok = read_cells(delta, &look);
        mp_look_close(&look);
    }
    if (!ok)
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the recording of process %" PRIu32
                       " cannot be looked at", subject->pid);
    after = delta->end + 1000;          /* a number of seconds is rounded */
    snprintf(delta->from, sizeof delta->from, "%" PRIu64 ".%09" PRIu64 "s", after / 1000000000,
             after % 1000000000);
    return true;
}

/* Returns whether LINE contains the first sample of DELTA, or a checkpoint that replaced it because it was set at the
 * same time. */
static bool
is_there(const struct mp_delta *delta, const struct mp_timeline *line)
{
    uint32_t moment = line ? mp_timeline_at(line, delta->end + 1000, true) : MP_NO_ID;

    return moment != MP_NO_ID && line->moments[moment].time >= delta->begin;
}

struct mp_profile *
mp_delta_end(const struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error)
{
    struct mp_profile *profile = NULL;
    struct mp_process process;
    bool same;

    if (!mp_process_open(subject->pid, &process, error))
        return NULL;
    same = process.header->start_monotonic == delta->observed.start;
    if (same)
        profile = mp_read_observed(process.file.path, &delta->observed, error);
    mp_process_close(&process);
    if (same && (!profile || is_there(delta, profile->timeline)))
        return profile;
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the recording has ended since");
    mp_profile_free(profile);
    return NULL;
}

void
mp_delta_free(struct mp_delta *delta)
{
    mp_series_free(&delta->observed);
}
