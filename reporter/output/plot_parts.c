/* plot_parts.c -- chooses the points and the parts of a plot, and finds its highest value. */
#include <inttypes.h>
#include <stdlib.h>

#include "plot.h"

struct rank {
    uint32_t part;
    int64_t sum, most;          /* sum and maximum over all moments, in bytes */
};

static int
compare_ranks(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->most != y->most)
        return x->most < y->most ? 1 : -1;
    if (x->sum != y->sum)
        return x->sum < y->sum ? 1 : -1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Returns the ALL parts, sorted by their maximum over N moments. The caller frees the list. */
static struct rank *
rank_parts(const int64_t *bytes, uint32_t all, uint32_t n)
{
    struct rank *ranks = mp_need(calloc((size_t)all + 1, sizeof *ranks));

    for (uint32_t i = 0; i < all; i++) {
        ranks[i].part = i;
        for (uint32_t j = 0; j < n; j++) {
            int64_t part = bytes[(size_t)i * n + j];

            ranks[i].sum = mp_plus_signed(ranks[i].sum, part);
            if (part > ranks[i].most)
                ranks[i].most = part;
        }
    }
    qsort(ranks, all, sizeof *ranks, compare_ranks);
    return ranks;
}

void
mp_plot_take(struct mp_plot *plot, const char *const *names, const int64_t *bytes, uint32_t all)
{
    const size_t n = plot->n_moments;
    struct rank *ranks = rank_parts(bytes, all, plot->n_moments);
    const uint32_t shown = all <= MP_PLOT_PARTS + 1 ? all : MP_PLOT_PARTS;

    plot->n_others = all - shown;
    plot->n_parts = shown + (plot->n_others > 0);
    plot->names = mp_arena_alloc(plot->arena, plot->n_parts * sizeof *plot->names);
    plot->bytes = mp_arena_alloc(plot->arena, plot->n_parts * n * sizeof *plot->bytes);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t to = i < shown ? i : shown;

        if (i < shown)
            plot->names[i] = mp_arena_strdup(plot->arena, names[ranks[i].part]);
        for (size_t j = 0; j < n; j++)
            plot->bytes[to * n + j] = mp_plus_signed(plot->bytes[to * n + j], bytes[ranks[i].part * n + j]);
    }
    if (plot->n_others > 0)
        plot->names[shown] = mp_arena_printf(plot->arena, "%" PRIu32 " others", plot->n_others);
    free(ranks);
}

static uint64_t
stack_height(const struct mp_plot *plot, uint32_t moment)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < plot->n_parts; i++) {
        int64_t bytes = plot->bytes[(size_t)i * plot->n_moments + moment];

        sum = mp_plus(sum, bytes > 0 ? (uint64_t)bytes : 0);
    }
    return sum;
}

static void
raise_to(struct mp_plot *plot, uint64_t height)
{
    if (height != MP_NOT_SEEN && height > plot->highest)
        plot->highest = height;
}

void
mp_plot_find_highest(struct mp_plot *plot)
{
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        raise_to(plot, stack_height(plot, i));
        if (plot->snapshots)
            raise_to(plot, plot->snapshots[i].heap);
    }
    for (uint32_t i = 0; i < plot->n_points; i++)
        raise_to(plot, mp_plot_live(plot, i));
}

void
mp_plot_choose_points(struct mp_plot *plot)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    uint32_t first = 0, end = timeline->n_points;

    while (first < end && timeline->points[first].time < plot->options.from)
        first++;
    while (end > first && timeline->points[end - 1].time > plot->options.to)
        end--;
    plot->points = end > first ? timeline->points + first : NULL;
    plot->n_points = end - first;
}
