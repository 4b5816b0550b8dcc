/* SPDX-License-Identifier: MIT */
#include "chart.h"

#include <string.h>

#include "reporter/base/format_number.h"

enum { FEWEST_COLUMNS = 16, AMOUNT = 9 };

/* Characters by how much of their area is filled, empty first. */
static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█", NULL};
static const char *const ascii[] = {" ", ".", "#", NULL};

bool
mp_chart_begin(struct mp_chart *chart, unsigned width, unsigned most, uint64_t from, uint64_t to)
{
    const unsigned margin = chart->label + AMOUNT + 2;

    chart->from = from;
    chart->to = to;
    if (width < margin + FEWEST_COLUMNS || from >= to)
        return false;
    chart->n = width - margin < most ? width - margin : most;
    if (chart->n > MP_CHART_COLUMNS)
        chart->n = MP_CHART_COLUMNS;
    return true;
}

uint64_t
mp_chart_time(const struct mp_chart *chart, unsigned column)
{
    return column == chart->n ? chart->to
                              : chart->from + (uint64_t)((double)(chart->to - chart->from) / chart->n * column);
}

void
mp_chart_raise(struct mp_chart *chart, unsigned column, uint64_t bytes)
{
    if (bytes != MP_NOT_SEEN && bytes > chart->columns[column])
        chart->columns[column] = bytes;
    if (chart->columns[column] > chart->highest)
        chart->highest = chart->columns[column];
}

/* Returns the character of COLUMN in ROW, where row 0 is the lowest. Heights are rounded to full levels, of which a row
 * has N. */
static const char *
character(const struct mp_chart *chart, const char *const *levels, unsigned n, unsigned column, unsigned row)
{
    double height = (double)chart->columns[column] / (double)chart->highest * chart->rows * n;
    unsigned level = (unsigned)(height + 0.5);

    if (level == 0 && chart->columns[column] > 0)
        level = 1;
    level = level > row * n ? level - row * n : 0;
    return levels[level < n ? level : n];
}

/* Returns the amount at the left of ROW, which is counted from the bottom: 0 in row 0, the value of the top row and of
 * each fifth row below it, otherwise an empty text. Uses NUMBER as a buffer. */
static const char *
amount(const struct mp_chart *chart, unsigned row, char number[static MP_NUMBER_SIZE])
{
    if (row == 0)
        return "0";
    if ((chart->rows - 1 - row) % 5 != 0)
        return "";
    return mp_number_bytes_like((uint64_t)((double)chart->highest / chart->rows * (row + 1)), chart->highest, number);
}

static void
print_row(const struct mp_chart *chart, const char *const *levels, unsigned n_levels, unsigned row, FILE *out)
{
    char number[MP_NUMBER_SIZE];
    unsigned n = chart->n;

    while (n > 0 && strcmp(character(chart, levels, n_levels, n - 1, row), " ") == 0)
        n--;
    fprintf(out, "%-*s%*s |", (int)chart->label, row == chart->rows - 1 && chart->label > 0 ? "Over time" : "", AMOUNT,
            amount(chart, row, number));
    for (unsigned i = 0; i < n; i++)
        fputs(character(chart, levels, n_levels, i, row), out);
    putc('\n', out);
}

void
mp_chart_draw(const struct mp_chart *chart, bool utf8, FILE *out)
{
    const char *const *levels = utf8 ? blocks : ascii;
    char number[2][MP_NUMBER_SIZE];
    const char *from = chart->from > 0 ? mp_number_duration(chart->from, number[0]) : "0 s";
    unsigned n = 0;

    if (chart->highest == 0)
        return;
    while (levels[n + 1])
        n++;
    for (unsigned row = chart->rows; row-- > 0;)
        print_row(chart, levels, n, row, out);
    fprintf(out, "%*s%s%*s\n", (int)chart->label + AMOUNT + 2, "", from, (int)(chart->n - strlen(from)),
            mp_number_duration(chart->to, number[1]));
}

void
mp_chart_print(const struct mp_profile *profile, bool lisp, unsigned width, bool utf8, FILE *out)
{
    const struct mp_timeline *timeline = profile->timeline;
    struct mp_chart chart = {.rows = 3, .label = 18};
    uint32_t i = 0;

    if (!timeline || timeline->n_points < 2 ||
        !mp_chart_begin(&chart, width, 60, 0, timeline->points[timeline->n_points - 1].time))
        return;
    for (unsigned column = 0; column < chart.n; column++) {     /* the maximum in its time span */
        const uint64_t end = mp_chart_time(&chart, column + 1);

        mp_chart_raise(&chart, column, mp_timeline_live_at(timeline, mp_chart_time(&chart, column), lisp));
        for (; i < timeline->n_points && timeline->points[i].time <= end; i++)
            mp_chart_raise(&chart, column, mp_point_live(&timeline->points[i], lisp));
        mp_chart_raise(&chart, column, mp_timeline_live_at(timeline, end, lisp));
    }
    mp_chart_draw(&chart, utf8, out);
}
