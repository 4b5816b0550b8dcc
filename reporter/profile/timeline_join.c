/* Up to a moment, the counts of a time line are the sum of its changes. The joined time line has one sum for
 * both sources. A change is what the source's own sum exceeds the joined sum by. Counters only grow, so a
 * source's sum that is smaller was read before the other source's, and adds nothing. */
#include "timeline_join.h"

#include <stdlib.h>
#include <string.h>

/* One of the two time lines, while it is read. */
struct source {
    const struct mp_timeline *timeline;
    uint32_t next;              /* index of the next moment */
    struct mp_change *sums;     /* sum of the changes so far, in the order of `keys` */
};

struct joiner {
    struct source sources[2];
    struct mp_change *keys;     /* contexts and kinds of both, sorted, with the sums of the joined time line */
    uint32_t n_keys;
    struct mp_timeline *to;
    uint32_t room;              /* capacity for changes */
    struct mp_arena *arena, *scratch;
};

/* ---------------------------------------------------------------- changes */

static struct mp_change *
copy_keys(const struct joiner *j)
{
    struct mp_change *keys = mp_arena_alloc(j->scratch, j->n_keys * sizeof *keys);

    for (uint32_t i = 0; i < j->n_keys; i++)
        keys[i] = (struct mp_change){.context = j->keys[i].context, .kind = j->keys[i].kind};
    return keys;
}

static void
find_keys(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    uint32_t n = a->n_changes + b->n_changes;

    j->keys = mp_arena_alloc(j->scratch, n * sizeof *j->keys);
    if (a->n_changes > 0)
        memcpy(j->keys, a->changes, a->n_changes * sizeof *j->keys);
    if (b->n_changes > 0)
        memcpy(j->keys + a->n_changes, b->changes, b->n_changes * sizeof *j->keys);
    j->n_keys = mp_changes_merge(j->keys, n);
    j->keys = copy_keys(j);
    j->sources[0].sums = copy_keys(j);
    j->sources[1].sums = copy_keys(j);
}

static void
add(struct mp_change *sum, const struct mp_change *change)
{
    sum->allocs += change->allocs;
    sum->bytes += change->bytes;
    sum->frees += change->frees;
    sum->freed += change->freed;
    sum->temporary += change->temporary;
}

/* Adds the changes of MOMENT to the sums of SOURCE. Both are sorted by key. */
static void
add_changes(const struct joiner *j, struct source *source, const struct mp_moment *moment)
{
    const struct mp_change *change = source->timeline->changes + moment->first_change;
    const struct mp_change *end = change + moment->n_changes;

    for (uint32_t i = 0; i < j->n_keys && change < end; i++)
        if (source->sums[i].context == change->context && source->sums[i].kind == change->kind)
            add(&source->sums[i], change++);
}

static uint64_t
more(uint64_t than, uint64_t value)
{
    return value > than ? value - than : 0;
}

static void
write_changes(struct joiner *j, const struct source *source, struct mp_moment *moment)
{
    struct mp_timeline *to = j->to;

    moment->first_change = to->n_changes;
    for (uint32_t i = 0; i < j->n_keys; i++) {
        struct mp_change *was = &j->keys[i];
        const struct mp_change *is = &source->sums[i];
        const struct mp_change change = {
            .context = is->context, .kind = is->kind, .allocs = more(was->allocs, is->allocs),
            .bytes = more(was->bytes, is->bytes), .frees = more(was->frees, is->frees),
            .freed = more(was->freed, is->freed),
            .temporary = more(was->temporary, is->temporary)};

        if ((change.allocs | change.bytes | change.frees | change.freed | change.temporary) == 0)
            continue;
        add(was, &change);
        to->changes = mp_arena_grow(j->arena, to->changes, to->n_changes, &j->room,
                                    sizeof *to->changes);
        to->changes[to->n_changes++] = change;
    }
    moment->n_changes = to->n_changes - moment->first_change;
}

/* ---------------------------------------------------------------- moments and points */

/* Returns the source of the next moment, or NULL if no moments are left. */
static struct source *
next_source(struct joiner *j)
{
    struct source *a = &j->sources[0], *b = &j->sources[1];

    if (b->next == b->timeline->n_moments)
        return a->next < a->timeline->n_moments ? a : NULL;
    if (a->next == a->timeline->n_moments)
        return b;
    return b->timeline->moments[b->next].time < a->timeline->moments[a->next].time ? b : a;
}

static void
join_moments(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    struct mp_timeline *to = j->to;
    struct source *source;

    to->moments = mp_arena_alloc(j->arena, (a->n_moments + (size_t)b->n_moments) * sizeof *to->moments);
    while ((source = next_source(j))) {
        struct mp_moment moment = source->timeline->moments[source->next++];

        if ((moment.kind == MP_MOMENT_START && to->n_moments > 0) || moment.kind == MP_MOMENT_END)
            continue;
        if (moment.has_changes) {
            add_changes(j, source, &moment);
            write_changes(j, source, &moment);
        } else {
            moment.first_change = to->n_changes;
        }
        to->moments[to->n_moments++] = moment;
    }
}

static void
join_points(struct joiner *j)
{
    const struct mp_timeline *a = j->sources[0].timeline, *b = j->sources[1].timeline;
    struct mp_timeline *to = j->to;
    uint32_t i = 0, k = 0;

    to->points = mp_arena_alloc(j->arena, (a->n_points + (size_t)b->n_points) * sizeof *to->points);
    while (i < a->n_points || k < b->n_points) {
        bool first = k == b->n_points ||
                     (i < a->n_points && a->points[i].time <= b->points[k].time);

        to->points[to->n_points++] = first ? a->points[i++] : b->points[k++];
    }
}

struct mp_timeline *
mp_timeline_join(const struct mp_timeline *a, const struct mp_timeline *b, struct mp_arena *arena)
{
    struct joiner j = {.sources = {{.timeline = a}, {.timeline = b}}, .arena = arena,
                       .scratch = mp_arena_new(),
                       .to = mp_arena_alloc(arena, sizeof *j.to)};

    j.to->interval = b->interval;
    j.to->left_out = a->left_out + b->left_out;
    j.to->temporary = a->temporary || b->temporary;
    find_keys(&j);
    join_moments(&j);
    join_points(&j);
    mp_arena_free(j.scratch);
    return j.to;
}

void
mp_timeline_add_moment(struct mp_timeline *timeline, struct mp_moment moment, struct mp_arena *arena)
{
    struct mp_moment *moments =
        mp_arena_alloc(arena, (timeline->n_moments + (size_t)1) * sizeof *moments);
    uint32_t n = timeline->n_moments, at = n;

    while (at > 0 && (timeline->moments[at - 1].kind == MP_MOMENT_END ||
                      timeline->moments[at - 1].time > moment.time))
        at--;
    moment.first_change = at < n ? timeline->moments[at].first_change : timeline->n_changes;
    moment.n_changes = 0;
    for (uint32_t i = 0; i < n; i++)
        moments[i + (i >= at)] = timeline->moments[i];
    moments[at] = moment;
    timeline->moments = moments;
    timeline->n_moments = n + 1;
}

void
mp_timeline_add_point(struct mp_timeline *timeline, struct mp_point point, struct mp_arena *arena)
{
    struct mp_point *points = mp_arena_alloc(arena, (timeline->n_points + (size_t)1) * sizeof *points);
    uint32_t n = timeline->n_points, at = n;

    while (at > 0 && timeline->points[at - 1].time > point.time)
        at--;
    for (uint32_t i = 0; i < n; i++)
        points[i + (i >= at)] = timeline->points[i];
    points[at] = point;
    timeline->points = points;
    timeline->n_points = n + 1;
}
