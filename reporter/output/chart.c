/* chart.c -- the chart below the head, in terminal characters. */
#include "head.h"

#include <stdlib.h>
#include <string.h>

#include "reporter/base/format_number.h"

enum { LABEL = 18, AMOUNT = 9, MOST_COLUMNS = 60, FEWEST_COLUMNS = 16, ROWS = 3 };

/* Characters by how much of their area is filled, empty first. */
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█", NULL};
static const char *const ascii[] = {" ", ".", "#", NULL};

struct chart {
    uint64_t columns[MOST_COLUMNS];     /* live bytes */
    unsigned n;
    uint64_t highest, end;      /* highest in bytes, end in ns */
    const char *const *levels;  /* characters by height; levels[0] is empty, levels[n_levels] is full */
    unsigned n_levels;
    FILE *out;
};

static uint64_t
figure(const struct mp_point *point, bool lisp)
{
    return lisp ? point->live_lisp : point->live;
}

static unsigned
column_at(const struct chart *chart, uint64_t time)
{
    double part = (double)time / (double)chart->end;

    return part < 1 ? (unsigned)(part * chart->n) : chart->n - 1;
}

/* Sets each column to the maximum of the points in its time span. Without points, repeats the last known value. */
static void
fill_columns(struct chart *chart, const struct mp_timeline *timeline, bool lisp)
{
    uint64_t last = 0;
    uint32_t i = 0;

    for (unsigned column = 0; column < chart->n; column++) {
        uint64_t most = 0;
        bool any = false;

        for (; i < timeline->n_points && column_at(chart, timeline->points[i].time) <= column; i++) {
            if (figure(&timeline->points[i], lisp) == MP_NOT_SEEN)
                continue;
            last = figure(&timeline->points[i], lisp);
            most = last > most ? last : most;
            any = true;
        }
        chart->columns[column] = any ? most : last;
        if (chart->columns[column] > chart->highest)
            chart->highest = chart->columns[column];
    }
}

/* Returns the character of COLUMN in ROW, where row 0 is the lowest. Heights are rounded to full levels. */
static const char *
character(const struct chart *chart, unsigned column, unsigned row)
{
    const unsigned n = chart->n_levels;
    double height = (double)chart->columns[column] / (double)chart->highest * ROWS * n;
    unsigned level = (unsigned)(height + 0.5);

    if (level == 0 && chart->columns[column] > 0)
        level = 1;
    level = level > row * n ? level - row * n : 0;
    return chart->levels[level < n ? level : n];
}

static void
print_row(const struct chart *chart, unsigned row)
{
    char number[MP_NUMBER_SIZE];
    unsigned n = chart->n;

    while (n > 0 && strcmp(character(chart, n - 1, row), " ") == 0)
        n--;
    fprintf(chart->out, "%-*s%*s |", LABEL, row == ROWS - 1 ? "Over time" : "", AMOUNT,
            row == ROWS - 1 ? mp_number_bytes(chart->highest, number) : row == 0 ? "0" : "");
    for (unsigned i = 0; i < n; i++)
        fputs(character(chart, i, row), chart->out);
    putc('\n', chart->out);
}

void
mp_chart_print(const struct mp_profile *profile, bool lisp, unsigned width, bool utf8, FILE *out)
{
    const struct mp_timeline *timeline = profile->timeline;
    struct chart chart = {.levels = utf8 ? blocks : ascii, .out = out};
    char number[MP_NUMBER_SIZE];

    if (!timeline || timeline->n_points < 2 || width < LABEL + AMOUNT + 2 + FEWEST_COLUMNS)
        return;
    chart.n = width - (LABEL + AMOUNT + 2);
    if (chart.n > MOST_COLUMNS)
        chart.n = MOST_COLUMNS;
    while (chart.levels[chart.n_levels + 1])
        chart.n_levels++;
    chart.end = timeline->points[timeline->n_points - 1].time;
    fill_columns(&chart, timeline, lisp);
    if (chart.highest == 0 || chart.end == 0)
        return;
    for (unsigned row = ROWS; row-- > 0;)
        print_row(&chart, row);
    fprintf(out, "%*s0 s%*s\n", LABEL + AMOUNT + 2, "", (int)chart.n - 3,
            mp_number_duration(chart.end, number));
}
