/* SPDX-License-Identifier: MIT */
/* plot_text.c -- the plot as a chart in terminal characters. */
#include "plot.h"

#include <string.h>

#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "reporter/base/term.h"
#include "reporter/table/chart.h"

enum { ROWS = 15, PARTS = 4 };

/* Returns the bytes of all parts at STEP. */
static double
sum_at(const struct mp_plot *plot, uint32_t step)
{
    double sum = plot->rest[step];

    for (uint32_t i = 0; i < plot->n_parts; i++)
        sum += plot->heights[(size_t)step * plot->n_parts + i];
    return sum;
}

/* Raises the columns of CHART between the steps BEFORE and BEFORE + 1, between which areas are straight. */
static void
raise_between(struct mp_chart *chart, const struct mp_plot *plot, uint32_t before)
{
    const uint64_t from = plot->steps[before], to = plot->steps[before + 1];
    const double first = sum_at(plot, before), last = sum_at(plot, before + 1);

    for (unsigned column = 0; column < chart->n; column++) {
        const uint64_t begin = mp_chart_time(chart, column), end = mp_chart_time(chart, column + 1);
        const uint64_t left = begin > from ? begin : from, right = end < to ? end : to;
        const double rise = to > from ? (last - first) / (double)(to - from) : 0;

        if (left > right)
            continue;
        mp_chart_raise(chart, column, (uint64_t)(first + rise * (double)(left - from)));
        mp_chart_raise(chart, column, (uint64_t)(first + rise * (double)(right - from)));
    }
}

/* Raises the columns to the totals at the points. There are more points than steps, but points have no parts. */
static void
raise_to_points(struct mp_chart *chart, const struct mp_plot *plot)
{
    unsigned column = 0;

    for (uint32_t i = 0; i < plot->n_points; i++) {
        while (column + 1 < chart->n && mp_chart_time(chart, column + 1) <= plot->points[i].time)
            column++;
        if (plot->points[i].time >= chart->from && plot->points[i].time <= chart->to)
            mp_chart_raise(chart, column, mp_plot_live(plot, i));
    }
}

/* Returns the moment with the most bytes in known parts. */
static uint32_t
highest_moment(const struct mp_plot *plot)
{
    uint32_t highest = 0;
    int64_t most = -1;

    for (uint32_t moment = 0; moment < plot->n_moments; moment++) {
        int64_t sum = 0;

        for (uint32_t part = 0; part < plot->n_parts; part++)
            sum += plot->bytes[(size_t)part * plot->n_moments + moment];
        if (sum > most) {
            most = sum;
            highest = moment;
        }
    }
    return highest;
}

/* Prints which parts are largest where the plot is highest. */
static void
print_parts(const struct mp_plot *plot, uint64_t highest, unsigned width, FILE *out)
{
    const uint32_t moment = highest_moment(plot);
    const struct mp_fit fit = mp_fit_begin();
    char number[MP_NUMBER_SIZE];

    if (plot->n_moments == 0)
        return;
    fprintf(out, "At %s, by %s:\n", mp_number_duration(plot->moments[moment]->time, number),
            mp_plot_names[plot->options.by]);
    for (uint32_t part = 0; part < plot->n_parts && part < PARTS; part++) {
        const int64_t bytes = plot->bytes[(size_t)part * plot->n_moments + moment];

        if (bytes <= 0)
            continue;
        fprintf(out, "%9s  ", mp_number_bytes_like((uint64_t)bytes, highest, number));
        mp_fit_print(plot->names[part], strlen(plot->names[part]), width - 11, mp_term_ellipsis(), out);
        putc('\n', out);
    }
    mp_fit_end(&fit);
}

bool
mp_plot_text(const struct mp_plot *plot, unsigned width, bool utf8, FILE *out)
{
    struct mp_chart chart = {.rows = ROWS};

    if (!mp_chart_begin(&chart, width, width, plot->options.from, plot->options.to))
        return false;
    for (uint32_t i = 0; i + 1 < plot->n_steps; i++)
        raise_between(&chart, plot, i);
    if (!plot->options.part)
        raise_to_points(&chart, plot);
    mp_chart_draw(&chart, utf8, out);
    print_parts(plot, chart.highest, width, out);
    return true;
}
