/* SPDX-License-Identifier: MIT */
#include "since.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "live_sample.h"
#include "observations.h"
#include "reporter/base/search.h"
#include "reporter/file/reader.h"

#define ROUNDED 1000u           /* maximum rounding error of a number of seconds, ns */

void
mp_since_free(struct mp_since *since)
{
    free(since->counted);
    *since = (struct mp_since){0};
}

static void
take(void *data, const struct mp_change *change)
{
    struct mp_since *since = data;

    since->counted = mp_grow(since->counted, since->n, &since->room, sizeof *since->counted);
    since->counted[since->n++] = *change;
}

bool
mp_since_look(struct mp_since *since, int fd, struct mp_error *error)
{
    struct mp_look look;
    struct mp_point point;
    bool ok;

    *since = (struct mp_since){0};
    fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || !mp_look_open(&look, fd, 0))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the recording cannot be looked at");
    ok = mp_look_totals(&look, &point);
    since->begin = mp_look_elapsed(&look);
    ok = ok && mp_look_cells_read(&look.cells, look.fd, &point);
    since->end = mp_look_elapsed(&look);
    if (ok)
        mp_look_cells_changes(&look.cells, take, since);
    mp_look_close(&look);
    since->n = mp_changes_merge(since->counted, since->n);
    return ok || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the recording cannot be looked at");
}

/* ---------------------------------------------------------------- a time line of samples */

const char *
mp_since_moment(const struct mp_since *since, struct mp_arena *arena)
{
    const uint64_t after = since->end + ROUNDED;

    return mp_arena_printf(arena, "%" PRIu64 ".%09" PRIu64 "s", after / 1000000000, after % 1000000000);
}

/* Returns whether LINE contains the sample SINCE, or a checkpoint that replaced it because it was set at the same
 * time. */
static bool
is_there(const struct mp_since *since, const struct mp_timeline *line)
{
    uint32_t moment = line ? mp_timeline_at(line, since->end + ROUNDED, true) : MP_NO_ID;

    return moment != MP_NO_ID && line->moments[moment].time >= since->begin;
}

struct mp_profile *
mp_since_read(const struct mp_since *since, const char *path, struct mp_error *error)
{
    const struct mp_point point = {.time = since->end, .live = MP_NOT_SEEN, .live_lisp = MP_NOT_SEEN,
                                   .blocks = MP_NOT_SEEN, .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN,
                                   .resident = MP_NOT_SEEN};
    struct mp_observed observed;
    struct mp_profile *whole;

    mp_series_begin(&observed, 0, 0);
    for (uint32_t i = 0; i < since->n; i++)
        mp_series_add_change(&observed, &since->counted[i]);
    mp_series_add_moment(&observed, since->begin, since->end, UINT32_MAX);
    mp_series_add_point(&observed, &point);
    observed.looked = since->end;
    whole = mp_read_observed(path, &observed, error);
    mp_series_free(&observed);
    if (!whole || is_there(since, whole->timeline))
        return whole;
    mp_profile_free(whole);
    mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the recording is another one than before");
    return NULL;
}
