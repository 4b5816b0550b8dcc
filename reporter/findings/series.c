/* SPDX-License-Identifier: MIT */
#include "series.h"

struct mp_series_look
mp_look_of(const struct mp_counts *counts)
{
    return (struct mp_series_look){
        .bytes = counts->bytes > counts->freed ? counts->bytes - counts->freed : 0,
        .blocks = counts->allocs > counts->frees ? counts->allocs - counts->frees : 0};
}

/* Sets SEEN to the moments of LINE that represent the points of SERIES: for each point the last moment that has
 * changes and is not later. Also sets their times. Returns false if there are too few moments with changes. */
static bool
choose(const struct mp_timeline *line, uint32_t seen[static MP_SERIES_LOOKS],
       struct mp_series *series)
{
    const uint64_t end = line->moments[line->n_moments - 1].time;
    uint32_t look = 0, last = 0, same = 0;

    for (uint32_t i = 0; i < line->n_moments; i++) {
        if (!line->moments[i].has_changes)
            continue;
        for (; look < MP_SERIES_LOOKS && line->moments[i].time > end / (MP_SERIES_LOOKS - 1) * look; look++)
            seen[look] = last;
        last = i;
    }
    for (; look < MP_SERIES_LOOKS; look++)
        seen[look] = last;
    for (look = 0; look < MP_SERIES_LOOKS; look++) {
        series->times[look] = line->moments[seen[look]].time;
        same += look > 0 && seen[look] == seen[look - 1];
    }
    return same <= 1;
}

/* Returns the tree node of each context of the view. Contexts without a known node get the root. */
static const uint32_t *
nodes_of_contexts(const struct mp_facts *facts)
{
    const struct mp_tree *tree = facts->tree;
    uint32_t *nodes = mp_arena_alloc(facts->arena, facts->view->n_contexts * sizeof *nodes);

    for (uint32_t node = 0; node < tree->n_nodes; node++)
        for (uint32_t i = tree->nodes[node].first_cell; i < tree->nodes[node + 1].first_cell; i++)
            nodes[facts->view->cells[tree->cells[i]].context] = node;
    return nodes;
}

/* Running sums. They can become negative, because a change may contain more frees than allocations. */
struct now {
    int64_t bytes, blocks;
};

static void
add_changes(const struct mp_facts *facts, const struct mp_places *places, const uint32_t *nodes,
            const struct mp_moment *moment, struct now *now)
{
    for (uint32_t i = 0; i < moment->n_changes; i++) {
        const struct mp_change *change = &facts->view->timeline->changes[moment->first_change + i];
        const struct mp_cell cell = {.context = change->context, .kind = change->kind};
        uint32_t place = places->of_node[nodes[cell.context]];

        if (place == MP_NO_ID || !places->takes(places, nodes[cell.context], &cell))
            continue;
        now[place].bytes = mp_plus_signed(now[place].bytes, (int64_t)(change->bytes - change->freed));
        now[place].blocks = mp_plus_signed(now[place].blocks, (int64_t)(change->allocs - change->frees));
    }
}

static void
put_look(struct mp_series *series, uint32_t n, uint32_t look, const struct now *now)
{
    for (uint32_t i = 0; i < n; i++)
        series->looks[i * (size_t)MP_SERIES_LOOKS + look] = (struct mp_series_look){
            .bytes = now[i].bytes > 0 ? (uint64_t)now[i].bytes : 0,
            .blocks = now[i].blocks > 0 ? (uint64_t)now[i].blocks : 0};
}

/* Sets the last figures of each place from the cells, which are exact. */
static void
put_end(const struct mp_places *places, struct mp_series *series)
{
    for (uint32_t i = 0; i < places->n; i++)
        series->looks[i * (size_t)MP_SERIES_LOOKS + MP_SERIES_LOOKS - 1] =
            mp_look_of(&places->list[i].counts);
}

bool
mp_series_of(const struct mp_facts *facts, const struct mp_places *places, struct mp_series *series)
{
    const struct mp_timeline *line = facts->view->timeline;
    uint32_t seen[MP_SERIES_LOOKS], look = 0;
    const uint32_t *nodes;
    struct now *now;

    if (!line || line->n_moments == 0 || !choose(line, seen, series))
        return false;
    nodes = nodes_of_contexts(facts);
    now = mp_arena_alloc(facts->arena, places->n * sizeof *now);
    series->looks = mp_arena_alloc(facts->arena,
                                   places->n * MP_SERIES_LOOKS * sizeof *series->looks);
    for (uint32_t i = 0; i < line->n_moments && look < MP_SERIES_LOOKS; i++) {
        if (line->moments[i].has_changes)
            add_changes(facts, places, nodes, &line->moments[i], now);
        for (; look < MP_SERIES_LOOKS && i == seen[look]; look++)
            put_look(series, places->n, look, now);
    }
    if (line->moments[line->n_moments - 1].kind == MP_MOMENT_END)
        put_end(places, series);
    return true;
}

const uint64_t *
mp_series_most(const struct mp_facts *facts, const struct mp_places *places)
{
    const struct mp_timeline *line = facts->view->timeline;
    const uint32_t *nodes;
    uint32_t points = 0;
    struct now *now;
    uint64_t *most;

    for (uint32_t i = 0; line && i < line->n_moments; i++)
        points += line->moments[i].has_changes && line->moments[i].kind == MP_MOMENT_SEEN;
    if (points < MP_SERIES_MOMENTS)
        return NULL;
    nodes = nodes_of_contexts(facts);
    now = mp_arena_alloc(facts->arena, places->n * sizeof *now);
    most = mp_arena_alloc(facts->arena, places->n * sizeof *most);
    for (uint32_t i = 0; i < line->n_moments; i++) {
        if (!line->moments[i].has_changes)
            continue;
        add_changes(facts, places, nodes, &line->moments[i], now);
        for (uint32_t place = 0; place < places->n; place++)
            if (now[place].bytes > 0 && (uint64_t)now[place].bytes > most[place])
                most[place] = (uint64_t)now[place].bytes;
    }
    return most;
}

bool
mp_series_of_all(const struct mp_facts *facts, struct mp_series_look looks[static MP_SERIES_LOOKS])
{
    const struct mp_timeline *line = facts->view->timeline;
    const uint64_t end = line && line->n_points > 0 ? line->points[line->n_points - 1].time : 0;

    if (end < MP_SERIES_TIME)
        return false;
    for (uint32_t look = 0; look < MP_SERIES_LOOKS; look++)
        looks[look].bytes = mp_timeline_live_at(line, end / (MP_SERIES_LOOKS - 1) * look, false);
    looks[MP_SERIES_LOOKS - 1] = mp_look_of(&facts->totals.all);
    return looks[0].bytes != MP_NOT_SEEN;
}

bool
mp_series_of_collections(const struct mp_facts *facts, struct mp_series_look looks[static MP_SERIES_LOOKS])
{
    const struct mp_timeline *line = facts->view->timeline;
    uint32_t last = 0, seen = 0, same = 0;
    uint64_t end;

    if (!line || line->n_moments == 0)
        return false;
    end = line->moments[line->n_moments - 1].time;
    for (uint32_t i = 0, look = 0; look < MP_SERIES_LOOKS; look++) {
        for (; i < line->n_moments && line->moments[i].time <= end / (MP_SERIES_LOOKS - 1) * look; i++)
            if (line->moments[i].kind == MP_MOMENT_COLLECTION && line->moments[i].heap_after != MP_NOT_SEEN)
                seen = i;
        same += look > 0 && seen == last;
        last = seen;
        looks[look] = (struct mp_series_look){.bytes = seen > 0 ? line->moments[seen].heap_after : 0};
    }
    looks[MP_SERIES_LOOKS - 1].blocks = facts->objects.all.kept_blocks;
    return same <= 1;
}
