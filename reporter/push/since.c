#include "since.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reporter/base/sorted.h"
#include "reporter/load/load.h"
#include "reporter/profile/window.h"
#include "reporter/read/reader.h"
#include "reporter/run/look.h"
#include "reporter/run/series.h"

#define ROUNDED 1000u           /* maximum rounding error of a number of seconds, ns */

void
mp_since_free(struct mp_since *since)
{
    free(since->counted);
    *since = (struct mp_since){0};
}

/* ---------------------------------------------------------------- samples */

static void
take(void *data, const struct mp_change *change)
{
    struct mp_since *since = data;

    since->counted = mp_grow(since->counted, since->n, &since->room, sizeof *since->counted);
    since->counted[since->n++] = *change;
}

/* Returns the time since the recording in LOOK began, ns. */
static uint64_t
elapsed(const struct mp_look *look)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - look->header.start_monotonic;
}

bool
mp_since_look(struct mp_since *since, int fd, struct mp_error *error)
{
    struct mp_look look;
    struct mp_point point;
    bool ok;

    *since = (struct mp_since){0};
    fd = dup(fd);
    if (fd < 0 || !mp_look_open(&look, fd, 0))
        return mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the recording cannot be looked at");
    ok = mp_look_totals(&look, &point);
    since->begin = elapsed(&look);
    ok = ok && mp_look_cells_read(&look.cells, look.fd, &point);
    since->end = elapsed(&look);
    if (ok)
        mp_look_cells_changes(&look.cells, take, since);
    mp_look_close(&look);
    since->n = mp_changes_merge(since->counted, since->n);
    return ok || mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "the recording cannot be looked at");
}

/* ---------------------------------------------------------------- a time line of samples */

static int
compare(const struct mp_change *x, const struct mp_change *y)
{
    return x->context != y->context ? mp_order(x->context, y->context) : mp_order(x->kind, y->kind);
}

/* Adds the differences between FROM and TO, modulo 2^64, as changes. */
static void
add_changes(struct mp_observed *observed, const struct mp_since *from, const struct mp_since *to)
{
    uint32_t j = 0;

    for (uint32_t i = 0; i < to->n; i++) {
        struct mp_change change = to->counted[i];

        while (j < from->n && compare(&from->counted[j], &change) < 0)
            j++;
        if (j < from->n && compare(&from->counted[j], &change) == 0) {
            change.allocs -= from->counted[j].allocs;
            change.bytes -= from->counted[j].bytes;
            change.frees -= from->counted[j].frees;
            change.freed -= from->counted[j].freed;
        }
        if (change.allocs || change.bytes || change.frees || change.freed)
            mp_series_add_change(observed, &change);
    }
}

static void
add_look(struct mp_observed *observed, const struct mp_since *from, const struct mp_since *to)
{
    const struct mp_point point = {.time = to->end, .live = MP_NOT_SEEN, .live_lisp = MP_NOT_SEEN,
                                   .blocks = MP_NOT_SEEN, .allocs = MP_NOT_SEEN, .bytes = MP_NOT_SEEN,
                                   .resident = MP_NOT_SEEN};

    add_changes(observed, from, to);
    mp_series_add_moment(observed, to->begin, to->end, UINT32_MAX);
    mp_series_add_point(observed, &point);
    observed->looked = to->end;
}

/* Returns the point in time just after SINCE in the syntax of mp_window(), allocated in ARENA. */
static const char *
moment_text(const struct mp_since *since, struct mp_arena *arena)
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

    return since->end == 0 || (moment != MP_NO_ID && line->moments[moment].time >= since->begin);
}

/* ---------------------------------------------------------------- a part */

/* Replaces the kept memory in the cells of PART with that of ALIVE, and adds the cells that only ALIVE has. Both are
 * sorted by context and kind. */
static void
join(struct mp_profile *part, const struct mp_profile *alive)
{
    const struct mp_cell *a = part->cells, *b = alive->cells;
    const struct mp_cell *a_end = a + part->n_cells, *b_end = b + alive->n_cells;
    struct mp_window *window;
    struct mp_cell *to = mp_arena_alloc(part->arena, ((size_t)part->n_cells + alive->n_cells) * sizeof *to);

    part->cells = to;
    while (a < a_end || b < b_end) {
        const uint64_t left = a < a_end ? (uint64_t)a->context << 32 | a->kind : UINT64_MAX;
        const uint64_t right = b < b_end ? (uint64_t)b->context << 32 | b->kind : UINT64_MAX;

        *to = left <= right ? *a : *b;
        if (right < left)
            to->counts = (struct mp_counts){0};
        to->counts.kept_blocks = right <= left ? b->counts.kept_blocks : 0;
        to->counts.kept = right <= left ? b->counts.kept : 0;
        to++;
        a += left <= right;
        b += right <= left;
    }
    part->n_cells = (uint32_t)(to - part->cells);
    window = mp_arena_alloc(part->arena, sizeof *window);
    *window = *part->window;
    window->lived = true;
    part->window = window;
}

static struct mp_profile *
make_part(const struct mp_since *from, const struct mp_since *to, const struct mp_profile *whole,
          struct mp_error *error)
{
    const char *end = to ? moment_text(to, whole->arena) : "end";
    const char *start = from->end > 0 ? moment_text(from, whole->arena) : "start";
    const struct mp_window_ends between = {.from = start, .to = end};
    const struct mp_window_ends at = {.at = end};
    struct mp_profile *part = mp_window(whole, &between, error), *alive = part ? mp_window(whole, &at, error) : NULL;

    if (alive) {
        join(part, alive);
        mp_profile_free(alive);
        return part;
    }
    mp_profile_free(part);
    return NULL;
}

static struct mp_profile *
read_with_looks(const struct mp_since *from, const struct mp_since *to, const char *path,
                struct mp_error *error)
{
    const struct mp_since none = {0};
    struct mp_observed observed;
    struct mp_profile *whole;

    mp_series_begin(&observed, 0, 0);
    if (from->end > 0)
        add_look(&observed, &none, from);
    if (to)
        add_look(&observed, from, to);
    whole = mp_read_observed(path, observed.n_moments > 0 ? &observed : NULL, error);
    mp_series_free(&observed);
    return whole;
}

struct mp_profile *
mp_since_profile(const struct mp_since *from, const struct mp_since *to, const char *path, const char *executable,
                 struct mp_profile **whole, struct mp_error *error)
{
    struct mp_profile *part = NULL;

    *whole = read_with_looks(from, to, path, error);
    if (!*whole)
        return NULL;
    if (!is_there(from, (*whole)->timeline) || (to && !is_there(to, (*whole)->timeline)))
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the recording is another one than before");
    else if (mp_load_names(*whole, executable, error))
        part = make_part(from, to, *whole, error);
    if (part)
        return part;
    mp_profile_free(*whole);
    *whole = NULL;
    return NULL;
}
