/* SPDX-License-Identifier: MIT */
/*
 * live_marks.c -- builds the time line from the program's checkpoints and from collections.
 *
 * A record of saved counters (struct mp_live_former) contains the figures that a cell had during a range of
 * checkpoints without change. Two successive records enclose one change, and one more change follows the last
 * record. A cell without a record has not changed since the first checkpoint.
 *
 * Marks were copied before cells, and saved counters after cells. The copies are consistent for the checkpoints
 * that the header had counted before these copies were made, image.checkpoints. The cells used here are from the first
 * copy.
 *
 * First the changes between checkpoints are collected. Then cells are summed (live_cells.c). In a sampled recording the
 * changes then become estimates. Last, the time line is built.
 */
#include "live_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "reporter/base/arena.h"
#include "reporter/base/search.h"
#include "reporter/base/text.h"
#include "reporter/profile/cells.h"
#include "reporter/profile/collections.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/samples.h"
#include "reporter/profile/timeline.h"

/* ---------------------------------------------------------------- estimates */

struct mp_live_change {
    uint32_t checkpoint;        /* number of the first checkpoint after the change */
    uint32_t size;              /* in bytes, of each sampled block; UINT32_MAX for blocks of several sizes, all of
                                   which are so large that each is recorded; 0 in a recording without sampling */
    struct mp_change change;
};

/* The state of a cell of the profile at some checkpoint. */
struct so_far {
    uint64_t left, left_frees;  /* samples allocated or freed after the checkpoint: blocks plus bytes, because blocks
                                   that belong to objects count only as bytes */
    double allocs, bytes, frees, freed;
    struct mp_change given;     /* sum of the estimated changes so far */
};

/* Returns an array with the state of each cell at the start, when all samples are left. The caller frees it. */
static struct so_far *
begin(const struct mp_profile *profile)
{
    struct so_far *all = mp_need(calloc((size_t)profile->n_cells + 1, sizeof *all));
    uint32_t cell = 0;

    for (uint32_t i = 0; i < profile->n_samples; i++) {
        const struct mp_cell *sample = &profile->samples[i];

        while (profile->cells[cell].context != sample->context ||
               profile->cells[cell].kind != sample->kind)
            cell++;                     /* both lists are sorted, and each sample has a cell */
        all[cell].left += sample->counts.allocs + sample->counts.bytes;
        all[cell].left_frees += sample->counts.frees + sample->counts.freed;
    }
    return all;
}

static void
take(uint64_t *left, uint64_t by)
{
    *left -= by < *left ? by : *left;
}

static void
add(struct so_far *to, const struct mp_live_change *from, uint32_t period)
{
    const struct mp_change *by = &from->change;
    const double weight = from->size == UINT32_MAX ? 1 : mp_sample_weight(from->size, period);

    to->allocs += weight * (double)by->allocs;
    to->bytes += weight * (double)by->bytes;
    to->frees += weight * (double)by->frees;
    to->freed += weight * (double)by->freed;
    take(&to->left, by->allocs + by->bytes);
    take(&to->left_frees, by->frees + by->freed);
}

/* Returns EXACT rounded, but at most END, the final estimate. If LEFT is 0, no samples follow, and returns END. */
static uint64_t
rounded(double exact, uint64_t left, uint64_t end)
{
    return left == 0 || exact >= (double)end ? end : (uint64_t)llround(exact);
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the change of the estimates since the last call for CELL, and updates cell->given. */
static struct mp_change
step(struct so_far *cell, const struct mp_basic_counts *end)
{
    const struct mp_change old = cell->given;
    struct mp_change *new = &cell->given;

    new->frees = larger(old.frees, rounded(cell->frees, cell->left_frees, end->frees));
    new->freed = larger(old.freed, rounded(cell->freed, cell->left_frees, end->freed));
    new->allocs = larger(larger(old.allocs, new->frees), rounded(cell->allocs, cell->left, end->allocs));
    new->bytes = larger(larger(old.bytes, new->freed), rounded(cell->bytes, cell->left, end->bytes));
    return (struct mp_change){.allocs = new->allocs - old.allocs, .bytes = new->bytes - old.bytes,
                              .frees = new->frees - old.frees, .freed = new->freed - old.freed};
}

static bool
same_place(const struct mp_live_change *x, const struct mp_live_change *y)
{
    return x->checkpoint == y->checkpoint && x->change.context == y->change.context &&
           x->change.kind == y->change.kind;
}

/* Replaces counts of samples by estimates in CHANGES, which has *N elements sorted by checkpoint, context, kind and
 * size. Afterwards there is one element for each checkpoint, context and kind, and *N is their number. The
 * estimates sum up to the cells of PROFILE. At no time is more freed than allocated. If no samples change after a
 * checkpoint, the estimate at that checkpoint equals the final one. */
static void
estimate_changes(const struct mp_profile *profile, struct mp_live_change changes[], size_t *n)
{
    struct so_far *all = begin(profile);
    size_t to = 0;

    for (size_t i = 0; i < *n; i++) {
        const struct mp_live_change *at = &changes[i];
        const struct mp_cell *cell = mp_cell_find(profile, at->change.context, at->change.kind);
        struct mp_change by = at->change;

        if (!cell)
            continue;
        if (mp_is_sampled(&profile->meta, cell)) {
            add(&all[cell - profile->cells], at, profile->meta.sample_period);
            if (i + 1 < *n && same_place(at, &changes[i + 1]))
                continue;
            by = step(&all[cell - profile->cells], &cell->counts);
            by.context = at->change.context;
            by.kind = at->change.kind;
        }
        changes[to++] = (struct mp_live_change){.checkpoint = at->checkpoint, .change = by};
    }
    free(all);
    *n = to;
}

/* ---------------------------------------------------------------- marks */

/* The counters of a cell at one point in time. */
struct figures {
    uint64_t allocs, bytes, frees, freed, temporary;
};

/* A record of saved counters. Entries are sorted by cell, then by checkpoint. */
struct entry {
    uint32_t cell, former;      /* record indices */
    uint16_t number;
};

struct mp_live_marking {
    struct mp_live_reading *reading;
    uint32_t checkpoints;       /* number of checkpoints to read */
    struct entry *entries;              size_t n_entries;
    struct mp_live_change *changes;     size_t n_changes;
    struct figures sum;         /* of all changes before they are estimated, to detect overflow */
};

static const struct mp_live_former *
former_at(const struct mp_live_reading *reading, size_t index)
{
    return (const struct mp_live_former *)(void *)reading->image.tables[MP_EXT_FORMER].records + index;
}

static const struct mp_live_mark *
mark_at(const struct mp_live_reading *reading, size_t index)
{
    return (const struct mp_live_mark *)(void *)reading->image.tables[MP_EXT_MARKS].records + index;
}

/* ---------------------------------------------------------------- records */

static int
compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->cell != y->cell)
        return mp_order(x->cell, y->cell);
    return x->number != y->number ? mp_order(x->number, y->number) : mp_order(x->former, y->former);
}

/* Collects and sorts the saved counters. In a running process, skips counters of cells created after cells were
 * copied. */
static bool
sort_records(struct mp_live_marking *m, struct mp_error *error)
{
    const struct mp_live_reading *reading = m->reading;
    const size_t count = reading->image.tables[MP_EXT_FORMER].count;

    for (size_t i = 0; i < count; i++) {
        const struct mp_live_former *former = former_at(reading, i);
        size_t cell;

        if (former->cell == 0 || former->number > m->checkpoints)
            continue;
        cell = mp_image_find(&reading->image, MP_EXT_CELLS, former->cell);
        if (cell == MP_NO_RECORD && reading->image.alive)
            continue;
        if (cell == MP_NO_RECORD || former->number == 0)
            return mp_live_damaged(reading, MP_EXT_FORMER, i, 0,
                                   "former counters of a cell or checkpoint that is not there", error);
        m->entries[m->n_entries++] =
            (struct entry){.cell = (uint32_t)cell, .former = (uint32_t)i, .number = former->number};
    }
    if (m->n_entries > 0)
        qsort(m->entries, m->n_entries, sizeof *m->entries, compare_entries);
    return true;
}

/* ---------------------------------------------------------------- changes */

/* Adds the difference between FROM and TO to *MORE, or to *LESS if it is negative. A counter decreases only if
 * objects are moved to another kind. That counts as their end in the old cell, not as a negative allocation. */
static void
set_change(uint64_t *more, uint64_t *less, uint64_t from, uint64_t to)
{
    if (to >= from)
        *more += to - from;
    else
        *less += from - to;
}

static bool
add_sum(uint64_t *sum, uint64_t more)
{
    return !__builtin_add_overflow(*sum, more, sum) && *sum <= INT64_MAX;
}

static bool
add_sums(struct figures *sum, const struct mp_change *change)
{
    return add_sum(&sum->allocs, change->allocs) && add_sum(&sum->bytes, change->bytes) &&
           add_sum(&sum->frees, change->frees) && add_sum(&sum->freed, change->freed) &&
           add_sum(&sum->temporary, change->temporary);
}

static bool
is_sane(const struct figures *figures)
{
    return figures->bytes <= INT64_MAX && figures->freed <= INT64_MAX;
}

/* Returns the value of `size` in the changes of CELL. It separates samples of one context and kind. */
static uint32_t
size_of_samples(const struct mp_live_marking *m, const struct mp_live_figures *cell)
{
    if (m->reading->image.header.sample_period == 0 ||
        (cell->key.kind >= MP_KIND_LISP && !m->reading->profile->meta.objects_sampled))
        return 0;
    return cell->key.uniform ? cell->size : UINT32_MAX;
}

/* Adds the change of cell RECORD from the figures FROM to TO, which occurred before CHECKPOINT. OF are the cell's
 * present figures. */
static bool
add_change(struct mp_live_marking *m, uint32_t record, const struct mp_live_figures *of,
           uint32_t checkpoint, const struct figures *from, const struct figures *to,
           struct mp_error *error)
{
    const uint32_t kind = of->key.kind;
    struct mp_live_change *change = &m->changes[m->n_changes];
    struct mp_change *by = &change->change;

    if (checkpoint > m->checkpoints)
        return true;                    /* changes after the last checkpoint are not listed; the cells have them */
    *change = (struct mp_live_change){.checkpoint = checkpoint, .size = size_of_samples(m, of),
                                      .change.kind = mp_live_cell_kind(kind)};
    if (mp_live_cell_kind(kind) == kind) {
        set_change(&by->allocs, &by->frees, from->allocs, to->allocs);
        set_change(&by->frees, &by->allocs, from->frees, to->frees);
    }
    set_change(&by->bytes, &by->freed, from->bytes, to->bytes);
    set_change(&by->freed, &by->bytes, from->freed, to->freed);
    if (kind < MP_KIND_LISP && to->temporary > from->temporary)
        by->temporary = to->temporary - from->temporary;
    if (!by->allocs && !by->frees && !by->bytes && !by->freed)
        return true;
    if (!is_sane(from) || !is_sane(to) || !add_sums(&m->sum, by))
        return mp_live_damaged(m->reading, MP_EXT_CELLS, record, 0, "counters beyond all bounds", error);
    m->n_changes++;
    return mp_live_cell_context(m->reading, record, &by->context, error);
}

/* Adds all changes of cell RECORD between checkpoints. *ENTRY is the cell's first entry, if it has any, and is
 * advanced to the next cell's. */
static bool
add_cell(struct mp_live_marking *m, uint32_t record, size_t *entry, struct mp_error *error)
{
    struct figures last = {0}, now;
    struct mp_live_figures present;
    uint32_t checkpoint = 1;

    if (!mp_live_figures(m->reading, record, &present, error))
        return false;
    for (; *entry < m->n_entries && m->entries[*entry].cell == record; ++*entry) {
        const struct mp_live_former *former = former_at(m->reading, m->entries[*entry].former);

        now = (struct figures){former->allocs, former->bytes, former->frees, former->freed,
                               former->temporary};
        if (!add_change(m, record, &present, checkpoint, &last, &now, error))
            return false;
        last = now;
        checkpoint = former->number + 1u;
    }
    now = (struct figures){present.allocs, present.bytes, present.frees, present.freed, present.temporary};
    return add_change(m, record, &present, checkpoint, &last, &now, error);
}

static int
compare_changes(const void *a, const void *b)
{
    const struct mp_live_change *x = a, *y = b;

    if (x->checkpoint != y->checkpoint)
        return mp_order(x->checkpoint, y->checkpoint);
    if (x->change.context != y->change.context)
        return mp_order(x->change.context, y->change.context);
    return x->change.kind != y->change.kind ? mp_order(x->change.kind, y->change.kind) : mp_order(x->size, y->size);
}

static void
merge_changes(struct mp_live_marking *m)
{
    size_t n = 0;

    if (m->n_changes > 0)
        qsort(m->changes, m->n_changes, sizeof *m->changes, compare_changes);
    for (size_t i = 0; i < m->n_changes; i++) {
        if (n > 0 && compare_changes(&m->changes[n - 1], &m->changes[i]) == 0)
            mp_change_add(&m->changes[n - 1].change, &m->changes[i].change);
        else
            m->changes[n++] = m->changes[i];
    }
    m->n_changes = n;
}

static bool
find_changes(struct mp_live_marking *m, struct mp_error *error)
{
    const size_t n_cells = m->reading->image.tables[MP_EXT_CELLS].count;
    size_t entry = 0;

    for (size_t i = 0; i < n_cells; i++) {
        if (mp_live_key(m->reading, i).context == 0)
            while (entry < m->n_entries && m->entries[entry].cell == i)
                entry++;                /* the cell was saved but never used, because its thread ended */
        else if (!add_cell(m, (uint32_t)i, &entry, error))
            return false;
    }
    merge_changes(m);
    return true;
}

/* ---------------------------------------------------------------- collections */

/* Reads the garbage collections from MARKS, N indices of records sorted by time. */
static void
read_collections(struct mp_live_reading *reading, const uint32_t *marks, uint32_t n)
{
    const struct mp_live_header *header = &reading->image.header;
    struct mp_arena *arena = reading->profile->arena;
    uint64_t allocated = 0, monotonic = 0;      /* figures of the collection before; a mark with lower figures is
                                                   skipped, because it occurs only in damaged files and cannot be
                                                   sealed */
    struct mp_collections *all = mp_arena_alloc(arena, sizeof *all);

    *all = (struct mp_collections){.list = mp_arena_alloc(arena, (n + 1) * sizeof *all->list),
                                   .divisor = header->collector_divisor,
                                   .incremental = header->collector_flags & MP_COLLECTOR_INCREMENTAL};
    for (uint32_t i = 0; i < n; i++) {
        const struct mp_live_mark *mark = mark_at(reading, marks[i]);

        if (mark->kind != MP_MARK_COLLECTION || mark->number == 0 || mark->heap_size == 0 ||
            mark->allocated < allocated || mark->monotonic < monotonic)
            continue;
        allocated = mark->allocated;
        monotonic = mark->monotonic;
        all->list[all->n++] = (struct mp_collection){
            .time = mark->monotonic > header->start_monotonic ? mark->monotonic - header->start_monotonic : 0,
            .number = mark->number, .pause = mark->pause, .before = mark->heap_before, .after = mark->heap_after,
            .heap_size = mark->heap_size, .allocated = mark->allocated};
    }
    if (all->n > 0)
        reading->profile->collections = all;
}

/* ---------------------------------------------------------------- the time line */

static uint64_t
since_start(const struct mp_live_reading *reading, uint64_t monotonic)
{
    const uint64_t start = reading->image.header.start_monotonic;

    return monotonic > start ? monotonic - start : 0;
}

/* Appends a moment at TIME in ns, or at the previous moment's time if that is later. */
static struct mp_moment *
add_moment(struct mp_timeline *line, enum mp_moment_kind kind, uint64_t time)
{
    struct mp_moment *moment = &line->moments[line->n_moments++];

    if (line->n_moments > 1 && moment[-1].time > time)
        time = moment[-1].time;
    if (time > INT64_MAX)
        time = INT64_MAX;               /* only in damaged files */
    *moment = (struct mp_moment){.kind = kind, .time = time, .name = "", .exact = true,
                                 .first_change = line->n_changes,
                                 .heap_before = MP_NOT_SEEN, .heap_after = MP_NOT_SEEN};
    return moment;
}

/* Appends the changes before checkpoint NUMBER, which are the next in the list, to MOMENT. */
static void
take_changes(const struct mp_live_marking *m, struct mp_timeline *line, struct mp_moment *moment,
             uint32_t number)
{
    moment->has_changes = true;
    while (line->n_changes < m->n_changes && m->changes[line->n_changes].checkpoint == number) {
        line->changes[line->n_changes] = m->changes[line->n_changes].change;
        line->n_changes++;
    }
    moment->n_changes = line->n_changes - moment->first_change;
}

/* Appends a point with the totals at MOMENT, which must be the last one. */
static void
add_point(struct mp_timeline *line, const struct mp_moment *moment)
{
    struct mp_point *point = &line->points[line->n_points++];

    *point = line->n_points > 1 ? point[-1] : (struct mp_point){.resident = MP_NOT_SEEN};
    point->time = moment->time;
    for (uint32_t i = 0; i < moment->n_changes; i++) {
        const struct mp_change *change = &line->changes[moment->first_change + i];
        const uint64_t live = change->bytes - change->freed;

        point->live += live;
        point->live_lisp += change->kind >= MP_KIND_LISP ? live : 0;
        point->blocks += change->allocs - change->frees;
        point->allocs += change->allocs;
        point->bytes += change->bytes;
    }
}

/* Sets negative totals to 0. In a damaged file more may be freed than allocated, and the encoder must not see that. */
static void
bound_points(struct mp_timeline *line)
{
    for (uint32_t i = 0; i < line->n_points; i++) {
        struct mp_point *point = &line->points[i];
        uint64_t *const figures[] = {&point->live, &point->live_lisp, &point->blocks};

        for (size_t j = 0; j < sizeof figures / sizeof *figures; j++)
            if (*figures[j] > INT64_MAX)
                *figures[j] = 0;
    }
}

static bool
add_checkpoint(const struct mp_live_marking *m, struct mp_timeline *line, size_t index, struct mp_error *error)
{
    const struct mp_live_header *header = &m->reading->image.header;
    const struct mp_live_mark *mark = mark_at(m->reading, index);
    struct mp_live_string name;
    struct mp_moment *moment;

    if (!mp_live_string(m->reading, mark->name, &name) || mark->number == 0)
        return mp_live_damaged(m->reading, MP_EXT_MARKS, index, offsetof(struct mp_live_mark, name),
                               "a mark without a name", error);
    moment = add_moment(line, MP_MOMENT_CHECKPOINT, since_start(m->reading, mark->monotonic));
    moment->name = name.text;
    if (header->former_lost == 0 || mark->number < header->former_lost) {
        take_changes(m, line, moment, mark->number);
        add_point(line, moment);
    } else {
        line->left_out++;
    }
    return true;
}

static void
add_collection(const struct mp_live_marking *m, struct mp_timeline *line, const struct mp_live_mark *mark)
{
    struct mp_moment *moment =
        add_moment(line, MP_MOMENT_COLLECTION, since_start(m->reading, mark->monotonic));

    moment->pause = mark->pause;
    moment->heap_before = mark->heap_before;
    moment->heap_after = mark->heap_after;
    moment->name = mark->number <= 1
                       ? "full" : mp_arena_printf(m->reading->profile->arena, "full (%" PRIu32 " together)",
                                                  mark->number);
}

static bool
add_mark(const struct mp_live_marking *m, struct mp_timeline *line, size_t index, struct mp_error *error)
{
    const struct mp_live_mark *mark = mark_at(m->reading, index);

    if (mark->kind == MP_MARK_CHECKPOINT)
        return add_checkpoint(m, line, index, error);
    if (mark->kind == MP_MARK_COLLECTION)
        add_collection(m, line, mark);
    else
        add_moment(line, MP_MOMENT_SNAPSHOT, since_start(m->reading, mark->monotonic));
    return true;
}

/* Returns whether the mark in record INDEX is used. */
static bool
is_valid(const struct mp_live_reading *reading, size_t index, uint32_t checkpoints)
{
    const struct mp_live_mark *mark = mark_at(reading, index);

    switch (mark->kind) {
    case MP_MARK_CHECKPOINT:
        return mark->number <= checkpoints;
    case MP_MARK_COLLECTION:
        return mp_image_id(&reading->image, MP_EXT_MARKS, index) >= reading->image.header.first_collection;
    default:
        return mark->kind == MP_MARK_SNAPSHOT;
    }
}

/* Compares checkpoints by number, other marks by time. */
static int
compare_marks(const void *a, const void *b, void *data)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct mp_live_mark *x = mark_at(data, i), *y = mark_at(data, j);

    if (x->kind == MP_MARK_CHECKPOINT && y->kind == MP_MARK_CHECKPOINT)
        return mp_order(x->number, y->number);
    return x->monotonic != y->monotonic ? mp_order(x->monotonic, y->monotonic) : mp_order(i, j);
}

/* Returns the records of the marks that are used, sorted by time, and their number in *N. The profile owns the
 * list. */
static uint32_t *
sort_marks(const struct mp_live_reading *reading, uint32_t checkpoints, uint32_t *n)
{
    const size_t count = reading->image.tables[MP_EXT_MARKS].count;
    uint32_t *list = mp_arena_alloc(reading->profile->arena, count * sizeof *list);

    *n = 0;
    for (size_t i = 0; i < count; i++)
        if (is_valid(reading, i, checkpoints))
            list[(*n)++] = (uint32_t)i;
    if (*n > 0)
        qsort_r(list, *n, sizeof *list, compare_marks, (void *)reading);
    return list;
}

static bool
make_timeline(const struct mp_live_marking *m, struct mp_error *error)
{
    struct mp_profile *profile = m->reading->profile;
    struct mp_timeline *line = mp_arena_alloc(profile->arena, sizeof *line);
    uint32_t n_marks;
    const uint32_t *marks = sort_marks(m->reading, m->checkpoints, &n_marks);

    read_collections(m->reading, marks, n_marks);
    if (n_marks == 0 && m->reading->image.header.checkpoints_left_out == 0)
        return true;
    line->moments = mp_arena_alloc(profile->arena, ((size_t)n_marks + 2) * sizeof *line->moments);
    line->points = mp_arena_alloc(profile->arena, ((size_t)n_marks + 2) * sizeof *line->points);
    line->changes = mp_arena_alloc(profile->arena, (m->n_changes + 1) * sizeof *line->changes);
    line->left_out = m->reading->image.header.checkpoints_left_out;
    line->temporary = m->reading->image.header.sample_period == 0;
    add_moment(line, MP_MOMENT_START, 0)->has_changes = true;
    add_point(line, &line->moments[0]);
    for (uint32_t i = 0; i < n_marks; i++)
        if (!add_mark(m, line, marks[i], error))
            return false;
    bound_points(line);
    profile->timeline = line;
    return true;
}

/* Returns the number of checkpoints that have a mark, without gaps. Counts only checkpoints that the header contained
 * before anything else was copied. */
static uint32_t
count_checkpoints(const struct mp_live_reading *reading)
{
    uint32_t n = 0;

    for (size_t i = 0; i < reading->image.tables[MP_EXT_MARKS].count; i++) {
        const struct mp_live_mark *mark = mark_at(reading, i);

        if (mark->kind == MP_MARK_CHECKPOINT && mark->number == n + 1)
            n++;
    }
    return n < reading->image.checkpoints ? n : reading->image.checkpoints;
}

bool
mp_live_marks(struct mp_live_reading *reading, struct mp_error *error)
{
    const struct mp_image *image = &reading->image;
    const size_t n_former = image->tables[MP_EXT_FORMER].count;
    struct mp_live_marking *m = mp_arena_alloc(reading->profile->arena, sizeof *m);

    if (image->tables[MP_EXT_MARKS].count == 0 && image->header.checkpoints_left_out == 0)
        return true;
    *m = (struct mp_live_marking){.reading = reading, .checkpoints = count_checkpoints(reading)};
    reading->marking = m;
    m->entries = mp_arena_alloc(reading->scratch, n_former * sizeof *m->entries);
    m->changes = mp_arena_alloc(reading->scratch, (n_former + image->tables[MP_EXT_CELLS].count) * sizeof *m->changes);
    return sort_records(m, error) && find_changes(m, error);
}

bool
mp_live_marks_end(struct mp_live_reading *reading, struct mp_error *error)
{
    struct mp_live_marking *m = reading->marking;

    if (m && reading->image.header.sample_period > 0)
        estimate_changes(reading->profile, m->changes, &m->n_changes);
    return !m || make_timeline(m, error);
}
