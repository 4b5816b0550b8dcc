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
start_of(const struct chart *chart, unsigned column)
{
    return (uint64_t)((double)chart->end / chart->n * column);
}

/* Raises COLUMN to LIVE bytes. */
static void
raise_to(struct chart *chart, unsigned column, uint64_t live)
{
    if (live != MP_NOT_SEEN && live > chart->columns[column])
        chart->columns[column] = live;
    if (chart->columns[column] > chart->highest)
        chart->highest = chart->columns[column];
}

/* Sets each column to the maximum in its time span. */
static void
fill_columns(struct chart *chart, const struct mp_timeline *timeline, bool lisp)
{
    uint32_t i = 0;

    for (unsigned column = 0; column < chart->n; column++) {
        const uint64_t end = column + 1 < chart->n ? start_of(chart, column + 1) : chart->end;

        raise_to(chart, column, mp_timeline_live_at(timeline, start_of(chart, column), lisp));
        for (; i < timeline->n_points && timeline->points[i].time <= end; i++)
            raise_to(chart, column, mp_point_live(&timeline->points[i], lisp));
        raise_to(chart, column, mp_timeline_live_at(timeline, end, lisp));
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
