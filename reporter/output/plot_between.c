/*
 * plot_between.c -- estimates the parts between two moments. The total is known at many times, but parts only at
 * moments. In between, each part is interpolated linearly, and all are then scaled so that their sum is the known
 * total.
 */
#include "plot.h"

static double
part_at(const struct mp_plot *plot, uint32_t part, uint32_t moment)
{
    const int64_t bytes = plot->bytes[(size_t)part * plot->n_moments + moment];

    return bytes > 0 ? (double)bytes : 0;
}

static double *
height(const struct mp_plot *plot, uint32_t part, uint32_t step)
{
    return &plot->heights[(size_t)step * plot->n_parts + part];
}

static void
add_moment(struct mp_plot *plot, uint32_t moment)
{
    for (uint32_t i = 0; i < plot->n_parts; i++)
        *height(plot, i, plot->n_steps) = part_at(plot, i, moment);
    plot->steps[plot->n_steps++] = plot->moments[moment]->time;
}

/* Adds a step for POINT, which is between MOMENT and the next one. Parts that are 0 at both stay 0. */
static void
add_point(struct mp_plot *plot, uint32_t moment, const struct mp_point *point)
{
    const uint64_t from = plot->moments[moment]->time, to = plot->moments[moment + 1]->time;
    const double way = (double)(point->time - from) / (double)(to - from);
    double sum = 0;

    for (uint32_t i = 0; i < plot->n_parts; i++) {
        const double before = part_at(plot, i, moment), after = part_at(plot, i, moment + 1);

        *height(plot, i, plot->n_steps) = before + way * (after - before);
        sum += *height(plot, i, plot->n_steps);
    }
    for (uint32_t i = 0; sum > 0 && i < plot->n_parts; i++)
        *height(plot, i, plot->n_steps) *= (double)point->live / sum;
    plot->steps[plot->n_steps++] = point->time;
}

void
mp_plot_follow(struct mp_plot *plot)
{
    const size_t most = plot->n_moments + plot->n_points;
    uint32_t p = 0;

    plot->steps = mp_arena_alloc(plot->arena, (most + 1) * sizeof *plot->steps);
    plot->heights = mp_arena_alloc(plot->arena, (most * plot->n_parts + 1) * sizeof *plot->heights);
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        const bool last = i + 1 == plot->n_moments || plot->snapshots;  /* the points of a heap snapshot's recording
                                                                           count other bytes than the parts */

        add_moment(plot, i);
        while (p < plot->n_points && plot->points[p].time <= plot->moments[i]->time)
            p++;
        for (; !last && p < plot->n_points && plot->points[p].time < plot->moments[i + 1]->time; p++)
            if (plot->points[p].live != MP_NOT_SEEN)
                add_point(plot, i, &plot->points[p]);
    }
}
