/* SPDX-License-Identifier: MIT */
#include "window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "moment_names.h"
#include "reporter/base/search.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/timeline.h"

#define SHOWN 1000000u          /* ns; precision of times shown to users */
#define LATER 20u               /* the counters of a moment are also used for times up to 1/LATER of the duration
                                   later, except those of the start, which are 0 */

/* One end of the window: a moment of the time line, or a time that it does not have. */
struct end {
    enum { AT_START, AT_MOMENT, AT_PEAK, AT_END } is;
    uint32_t moment;            /* AT_MOMENT only: index in the time line */
    uint64_t time;              /* ns, or MP_NOT_SEEN if unknown */
    bool exact;
    const char *text;           /* human-readable */
};

struct maker {
    const struct mp_profile *from;
    struct mp_profile *to;
    struct mp_arena *arena;     /* scratch */
    bool temporary;             /* whether temporary blocks are known */
};

/* ---------------------------------------------------------------- names */

static const char *
describe(const struct maker *m, const struct mp_moment *moment)
{
    const double seconds = (double)moment->time / 1e9;

    if (moment->kind == MP_MOMENT_CHECKPOINT)
        return mp_arena_printf(m->to->arena, "checkpoint %s (%.3f s)", moment->name, seconds);
    return mp_arena_printf(m->to->arena, "%.3f s", seconds);
}

static bool
set_moment(const struct maker *m, struct end *end, uint32_t i, const char *text, struct mp_error *error)
{
    const struct mp_moment *moment = &m->from->timeline->moments[i];

    if (!moment->has_changes)
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET,
                       "%s: the counters at this moment were dropped for lack of space", text);
    *end = (struct end){.is = AT_MOMENT, .moment = i, .time = moment->time, .exact = moment->exact,
                        .text = describe(m, moment)};
    return true;
}

/* Sets END to the last moment that has changes and is not later than TIME, which the user wrote as TEXT. Fails if that
 * moment is so much earlier that the counters are not known for TIME. */
static bool
find_time(const struct maker *m, struct end *end, uint64_t time, const char *text, struct mp_error *error)
{
    const struct mp_timeline *line = m->from->timeline;
    const uint64_t last = line->n_moments > 0 ? line->moments[line->n_moments - 1].time : 0;
    uint32_t found = MP_NO_ID, next = 0;

    for (; next < line->n_moments && line->moments[next].time <= time + SHOWN / 2; next++)
        if (line->moments[next].has_changes)
            found = next;
    while (next < line->n_moments && !line->moments[next].has_changes)
        next++;
    if (found == MP_NO_ID)
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: nothing is known of that time", text);
    if (time <= line->moments[found].time + (line->moments[found].kind == MP_MOMENT_START ? SHOWN : last / LATER))
        return set_moment(m, end, found, text, error);
    if (next == line->n_moments)
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: blocks were not counted near that time, but last at "
                       "%.3f s", text, (double)line->moments[found].time / 1e9);
    return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: blocks were not counted near that time, but at %.3f s and "
                   "at %.3f s", text, (double)line->moments[found].time / 1e9, (double)line->moments[next].time / 1e9);
}

/* Fails because there is no checkpoint TEXT, with a list of some that exist. */
static bool
fail_unknown(const struct maker *m, const char *text, struct mp_error *error)
{
    const struct mp_timeline *line = m->from->timeline;
    const char *names = "";
    uint32_t i, n = 0;

    for (i = 0; n < 8 && (i = mp_moment_checkpoint(line, NULL, 0, n + 1)) != MP_NO_ID; n++)
        names = mp_arena_printf(m->arena, "%s%s%s", names, n > 0 ? ", " : "", line->moments[i].name);
    if (*text == '\0')
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "the name is empty");
    if (n == 0)
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: the program set no checkpoints", text);
    return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: there is no such checkpoint, but %s%s", text,
                   names, mp_moment_checkpoint(line, NULL, 0, n + 1) != MP_NO_ID ? " ..." : "");
}

static struct end
end_of_all(const struct mp_profile *profile)
{
    const bool known = profile->meta.duration > 0;

    return (struct end){.is = AT_END, .time = known ? profile->meta.duration : MP_NOT_SEEN,
                        .exact = true, .text = "the end"};
}

static bool
find(const struct maker *m, const char *text, struct end *end, struct mp_error *error)
{
    const struct mp_timeline *line = m->from->timeline;
    uint32_t found = mp_moment_is_reserved(text) ? MP_NO_ID : mp_moment_named(line, text);
    uint64_t time;

    if (found != MP_NO_ID)
        return set_moment(m, end, found, text, error);
    if (strcmp(text, "start") == 0) {
        *end = (struct end){.is = AT_START, .exact = true, .text = "the start"};
    } else if (strcmp(text, "end") == 0) {
        *end = end_of_all(m->from);
    } else if (strcmp(text, "peak") == 0) {
        found = mp_timeline_find(line, MP_MOMENT_PEAK);
        *end = (struct end){.is = AT_PEAK, .exact = true, .text = "the peak",
                            .time = found != MP_NO_ID ? line->moments[found].time : MP_NOT_SEEN};
    } else if (!mp_moment_time(text, &time)) {
        return fail_unknown(m, text, error);
    } else if (!line) {
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET,
                       "%s: the recording has no time line: %s", text, mp_timeline_absence(m->from));
    } else if (m->from->meta.duration > 0 && time >= m->from->meta.duration + SHOWN) {
        return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s: the recording is %.3f s long", text,
                       (double)m->from->meta.duration / 1e9);
    } else if (m->from->meta.duration > 0 && time >= m->from->meta.duration) {
        *end = end_of_all(m->from);
    } else {
        return find_time(m, end, time, text, error);
    }
    return true;
}

/* ---------------------------------------------------------------- cells */

/* Returns the counts until END, sorted by (context, kind). For the peak, these are the live blocks and bytes. */
static struct mp_change *
counted_until(const struct maker *m, const struct end *end, uint32_t *n)
{
    const struct mp_profile *from = m->from;
    struct mp_change *all;

    *n = 0;
    if (end->is == AT_START)
        return NULL;
    if (end->is == AT_MOMENT)
        return mp_timeline_until(from, end->moment, n, m->arena);
    all = mp_arena_alloc(m->arena, from->n_cells * sizeof *all);
    for (uint32_t i = 0; i < from->n_cells; i++) {
        const struct mp_basic_counts *c = &from->cells[i].counts;
        struct mp_change *to = &all[(*n)++];

        *to = (struct mp_change){.context = from->cells[i].context, .kind = from->cells[i].kind};
        if (end->is == AT_PEAK) {
            to->allocs = c->peak_blocks > 0 ? (uint64_t)c->peak_blocks : 0;
            to->bytes = c->peak_bytes > 0 ? (uint64_t)c->peak_bytes : 0;
        } else {
            to->allocs = c->allocs, to->bytes = c->bytes;
            to->frees = c->frees, to->freed = c->freed;
            to->temporary = c->temporary;
        }
    }
    return all;
}

/* Changes counts to live blocks and bytes: allocated, and none freed. A negative number, which occurs if an
 * observer read one thread before another, becomes 0. */
static void
leave_alive(struct mp_change all[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        all[i].allocs = all[i].allocs > all[i].frees ? all[i].allocs - all[i].frees : 0;
        all[i].bytes = all[i].bytes > all[i].freed ? all[i].bytes - all[i].freed : 0;
        all[i].frees = all[i].freed = 0;
    }
}

/* Adds TO - FROM to *MORE, or FROM - TO to *LESS if TO is smaller. A count that decreased counts as the
 * opposite, see live_marks.c. */
static void
set_difference(uint64_t *more, uint64_t *less, uint64_t from, uint64_t to)
{
    if (to >= from)
        *more += to - from;
    else
        *less += from - to;
}

static int
compare(const struct mp_change *x, uint32_t context, uint32_t kind)
{
    return x->context != context ? mp_order(x->context, context) : mp_order(x->kind, kind);
}

/* Sets the sizes of CELL to its sizes in the whole recording. If a cell has one size there, it has the same size
 * in the window. */
static void
set_sizes(const struct mp_profile *from, struct mp_cell *cell)
{
    const struct mp_cell *at = mp_cell_find(from, cell->context, cell->kind);

    cell->size_min = at ? at->size_min : UINT32_MAX;
    cell->size_max = at ? at->size_max : cell->size_max;
}

static void
add_cell(struct maker *m, const struct mp_change *from, const struct mp_change *to)
{
    const struct mp_change none = {0}, *any = from ? from : to;
    struct mp_cell *cell = &m->to->cells[m->to->n_cells];
    struct mp_basic_counts *c = &cell->counts;

    *cell = (struct mp_cell){.context = any->context, .kind = any->kind};
    from = from ? from : &none;
    to = to ? to : &none;
    set_difference(&c->allocs, &c->frees, from->allocs, to->allocs);
    set_difference(&c->frees, &c->allocs, from->frees, to->frees);
    set_difference(&c->bytes, &c->freed, from->bytes, to->bytes);
    set_difference(&c->freed, &c->bytes, from->freed, to->freed);
    if (m->temporary && to->temporary > from->temporary)
        c->temporary = to->temporary - from->temporary;
    if (!c->allocs && !c->frees && !c->bytes && !c->freed)
        return;
    c->kept_blocks = c->allocs - c->frees;      /* signed */
    c->kept = c->bytes - c->freed;
    if (mp_is_lisp(cell))
        mp_cell_rest(cell, m->to->arena)->counts.requested = c->bytes;
    set_sizes(m->from, cell);
    m->to->n_cells++;
}

/* Makes the cells of what was counted until TO but not until FROM. Both lists are sorted. */
static void
add_cells(struct maker *m, const struct mp_change *from, uint32_t n_from, const struct mp_change *to,
          uint32_t n_to)
{
    uint32_t i = 0, j = 0;

    m->to->cells = mp_arena_alloc(m->to->arena, ((size_t)n_from + n_to) * sizeof *m->to->cells);
    m->to->n_cells = 0;
    while (i < n_from || j < n_to) {
        int order = i == n_from ? 1 : j == n_to ? -1 : compare(&from[i], to[j].context, to[j].kind);

        add_cell(m, order <= 0 ? &from[i] : NULL, order >= 0 ? &to[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

/* ---------------------------------------------------------------- the whole */

/* Returns whether temporary blocks until END are known. They are not used if the profile has estimates, because
 * their intervals would be missing. */
static bool
knows_temporary(const struct mp_profile *profile, const struct end *end)
{
    const struct mp_timeline *line = profile->timeline;

    if (mp_is_unknown(profile, MP_FIGURE_TEMPORARY) || mp_is_estimated(&profile->meta) || end->is == AT_PEAK)
        return false;
    if (end->is != AT_MOMENT || line->moments[end->moment].kind == MP_MOMENT_START ||
        line->moments[end->moment].kind == MP_MOMENT_END)
        return true;
    return line->temporary && line->moments[end->moment].exact;
}

static void
make(struct maker *m, const struct end *from, const struct end *to, struct mp_window *window)
{
    const bool net = from->is == AT_PEAK || to->is == AT_PEAK;
    uint32_t n_from, n_to;
    struct mp_change *old = counted_until(m, from, &n_from), *new = counted_until(m, to, &n_to);

    if (net || window->alive) {
        leave_alive(old, n_from);
        leave_alive(new, n_to);
    }
    m->temporary = !window->alive && knows_temporary(m->from, from) && knows_temporary(m->from, to);
    add_cells(m, old, n_from, new, n_to);
    window->temporary = m->temporary;
    window->exact = from->exact && to->exact;
    window->net = net && !window->alive;
    window->from = from->text;
    window->to = to->text;
    m->to->window = window;
}

/* Makes the cells of what was alive at the peak, with the variances of estimates. */
static void
make_peak(struct maker *m, const struct end *peak, struct mp_window *window)
{
    m->to->cells = mp_arena_alloc(m->to->arena, m->from->n_cells * sizeof *m->to->cells);
    m->to->n_cells = 0;
    for (uint32_t i = 0; i < m->from->n_cells; i++) {
        struct mp_cell *cell = &m->to->cells[m->to->n_cells];

        *cell = m->from->cells[i];
        mp_cell_only(cell, MP_SORT_PEAK, m->to->arena);
        if (cell->rest)
            cell->rest->lifetimes = NULL;
        if (mp_basic_any(&cell->counts))
            m->to->n_cells++;
    }
    window->exact = true;
    window->from = window->to = peak->text;
    m->to->window = window;
}

/* Returns whether FROM is known to come after TO. Moments of the time line are compared by index, because their
 * times may be equal or unknown. */
static bool
comes_after(const struct end *from, const struct end *to)
{
    if (from->is == AT_MOMENT && to->is == AT_MOMENT)
        return from->moment > to->moment;
    if (from->is == AT_END || to->is == AT_START)
        return from->is != to->is && (from->is != AT_MOMENT || from->moment > 0);
    return from->time != MP_NOT_SEEN && to->time != MP_NOT_SEEN && from->time > to->time;
}

static bool
find_ends(const struct maker *m, const struct mp_window_ends *ends, struct end *from, struct end *to,
          struct mp_error *error)
{
    if (!find(m, ends->from ? ends->from : "start", from, error) ||
        !find(m, ends->at ? ends->at : ends->to ? ends->to : "end", to, error))
        return false;
    if (!comes_after(from, to))
        return true;
    return mp_fail(error, MP_ERR_MOMENT, MP_NO_OFFSET, "%s comes after %s", from->text, to->text);
}

/* Returns false and fills *ERROR if FROM or TO is the peak and the peak is unknown, as in some files of other
 * tools. */
static bool
is_told(const struct mp_profile *profile, const struct end *from, const struct end *to,
        struct mp_error *error)
{
    return !mp_is_unknown(profile, MP_FIGURE_PEAK_BYTES) || (from->is != AT_PEAK && to->is != AT_PEAK) ||
           mp_fail(error, MP_ERR_UNKNOWN, MP_NO_OFFSET, "the peak, of what another tool wrote");
}

struct mp_profile *
mp_window(const struct mp_profile *profile, const struct mp_window_ends *ends, struct mp_error *error)
{
    struct maker m = {.from = profile, .to = mp_profile_new(), .arena = mp_arena_new()};
    struct mp_window *window = mp_arena_alloc(m.to->arena, sizeof *window);
    struct end from, to;
    bool ok;

    mp_profile_share(m.to, profile);
    m.to->timeline = NULL;              /* this and the next six describe the whole recording */
    m.to->bad_frees = NULL;
    m.to->mappings = NULL;
    m.to->account = NULL;
    m.to->lifetimes = false;
    m.to->allocator = (struct mp_live_allocator){0};
    m.to->private_peak = 0;
    window->alive = ends->at != NULL;
    window->ends = *ends;
    ok = find_ends(&m, ends, &from, &to, error) && is_told(profile, &from, &to, error);
    if (ok && window->alive && to.is == AT_PEAK)
        make_peak(&m, &to, window);
    else if (ok)
        make(&m, &from, &to, window);
    mp_arena_free(m.arena);
    if (ok)
        return m.to;
    mp_profile_free(m.to);
    return NULL;
}

const char *
mp_window_text(const struct mp_window *window, struct mp_arena *arena)
{
    if (window->alive)
        return mp_arena_printf(arena, "at %s", window->to);
    return mp_arena_printf(arena, "between %s and %s", window->from, window->to);
}
