/* SPDX-License-Identifier: MIT */
/* plot_svg.c -- draws the time line as SVG without scripts: areas, a line, marks, axes and a legend. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "reporter/base/fit.h"
#include "reporter/base/format_number.h"
#include "reporter/base/text.h"
#include "reporter/base/xml.h"

/* Dimensions in pixels. */
#define WIDTH     1000u
#define LEFT      78u           /* left edge of the plot; numbers are left of this edge */
#define RIGHT     740u
#define TOP       116u          /* title and names of marks are above it */
#define BOTTOM    470u
#define HEIGHT    520u
#define LEGEND    764u
#define LEGEND_ROW 22u
#define CHARACTER 6.7           /* width of a character in pixels, a little more than 0.6 of the font size 11 */
#define MARK_ROWS 3u            /* rows for the names of marks */
#define MARK_ROW  14u

#define MOST_COLLECTIONS 500u   /* maximum number of collections marked */

/* Names of the lines above the areas of heap snapshots. */
#define HEAP_TAKES    "heap, as the system gave it"
#define LIVE_RECORDED "live, as recorded"

#define NOT_COUNTED "parts were not counted"

struct page {
    const struct mp_plot *plot;
    const struct mp_profile *profile;
    const char *part;           /* part that is shown, in words; "" if everything */
    double step;                /* distance of two lines of the vertical axis, in bytes */
    double top;                 /* bytes at the upper end of the axis */
    double mark_end[MARK_ROWS]; /* by row: x coordinate where the next name may begin */
    FILE *out;
};

/* ---------------------------------------------------------------- places */

static double
x_of(const struct page *p, uint64_t time)
{
    const struct mp_plot_options *range = &p->plot->options;
    double whole = (double)(range->to - range->from);

    return LEFT + (whole > 0 ? (double)(time - range->from) / whole : 0) * (RIGHT - LEFT);
}

static double
y_of(const struct page *p, double bytes)
{
    return BOTTOM - bytes / p->top * (BOTTOM - TOP);
}

/* Returns the smallest number of the form 1, 2 or 5 times a power of ten that is at least VALUE. */
static double
nice(double value)
{
    double power = value > 1 ? pow(10, floor(log10(value))) : 1;
    const double steps[] = {1, 2, 5, 10};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (value <= power * steps[i] * (1 + 1e-9))
            return power * steps[i];
    return power * 10;
}

/* ---------------------------------------------------------------- texts */

static void
put_text(const struct page *p, double x, double y, const char *class, const char *text)
{
    fprintf(p->out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    mp_xml_put(p->out, text);
    fputs("</text>\n", p->out);
}

/* Writes TEXT in at most WIDTH pixels; if it is wider, its middle is cut. */
static void
put_fitted(const struct page *p, double x, double y, const char *class, const char *text, double width)
{
    struct mp_text_stream fitted;

    mp_fit_print(text, strlen(text), (unsigned)(width / CHARACTER), "\u2026", mp_text_open(&fitted));
    put_text(p, x, y, class, mp_text_close_in(&fitted, p->plot->arena));
}

static double
text_width(const char *text)
{
    return mp_fit_width(text, strlen(text)) * CHARACTER;
}

static const char style[] =
    "<style>\n"
    "svg{color-scheme:light dark;--back:#fff;--text:#111;--faint:#555;--grid:#ddd;--mark:#b0006d;\n"
    "--c0:#e69f00;--c1:#56b4e9;--c2:#009e73;--c3:#f0e442;--c4:#0072b2;--c5:#d55e00;--c6:#cc79a7;"
    "--c7:#b8b8b8;--rest:#e4e4e4}\n"
    "@media (prefers-color-scheme:dark){svg{--back:#161616;--text:#f2f2f2;--faint:#b5b5b5;"
    "--grid:#3a3a3a;--mark:#ff8ad0;\n"
    "--c0:#b87f00;--c1:#3d86b0;--c2:#007a59;--c3:#a39a1e;--c4:#2f7fc4;--c5:#b04f00;--c6:#a35f85;"
    "--c7:#666;--rest:#333}}\n"
    "text{font:11px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;fill:var(--text)}\n"
    ".t{font-size:16px;font-weight:bold}\n"
    ".n{fill:var(--faint)}\n"
    ".e{text-anchor:end}\n"
    ".m{text-anchor:middle}\n"
    ".b{fill:var(--back)}\n"
    ".g{stroke:var(--grid);fill:none}\n"
    ".a{stroke:var(--text);fill:none}\n"
    ".l{stroke:var(--text);stroke-width:1.5;fill:none;stroke-linejoin:round}\n"
    ".v{stroke:var(--faint);stroke-width:1.2;stroke-dasharray:2 2;stroke-linecap:round;fill:none}\n"
    ".u{fill:var(--rest)}\n"
    ".p{stroke:var(--mark);stroke-dasharray:4 3;fill:none}\n"
    ".k{stroke:var(--mark);fill:none}\n"
    ".o{stroke:var(--text);stroke-width:2.5;fill:none}\n"
    ".s{stroke:var(--back);stroke-width:.7}\n";

static void
put_style(const struct page *p)
{
    fputs(style, p->out);
    for (unsigned i = 0; i <= MP_PLOT_PARTS; i++)
        fprintf(p->out, ".k%u{fill:var(--c%u)}\n", i, i);
    fputs("</style>\n", p->out);
}

/* Returns the text below the title. The caller frees it. */
static char *
subtitle(const struct page *p)
{
    const struct mp_meta *meta = &p->profile->meta;
    const struct mp_plot_options *range = &p->plot->options;
    char duration[MP_NUMBER_SIZE], peak[MP_NUMBER_SIZE], *text;
    int length;

    mp_number_duration(range->to - range->from, duration);
    if (p->plot->snapshots)
        length = asprintf(&text, "%s shown; %u snapshots of its heap, with what nothing reaches; between two of them "
                          "nothing was counted", duration, p->plot->n_moments);
    else
        length = asprintf(&text, "%s shown; peak of the process %s%s%s%s", duration,
                          mp_number_bytes((uint64_t)meta->peak_bytes, peak),
                          mp_is_estimated(meta) ? "; estimates, from samples" : "",
                          p->part[0] ? "; only what was allocated " : "", p->part);
    if (length < 0)
        mp_no_memory();
    return text;
}

static void
put_title(const struct page *p)
{
    const char *program = mp_text_basename(p->profile->meta.program);
    const char *what = p->plot->snapshots ? "objects in the heap" : "live bytes";
    char *text;

    fputs("<title>", p->out);
    mp_xml_put(p->out, program);
    fprintf(p->out, ": %s over time</title>\n", what);
    if (asprintf(&text, "%s: %s by %s", program, what, mp_plot_names[p->plot->options.by]) < 0)
        mp_no_memory();
    put_fitted(p, 14, 26, "t", text, (WIDTH - 28) * 0.68);
    free(text);
    text = subtitle(p);
    put_fitted(p, 14, 46, "n", text, WIDTH - 28);
    free(text);
}

/* ---------------------------------------------------------------- axes */

/* Writes a label in a unit that suits STEP: 0.5 ms, 250 ms, 1.5 s, 3 min. */
static void
put_time_label(const struct page *p, double x, double seconds, double step)
{
    char text[64];

    if (step >= 60)
        snprintf(text, sizeof text, "%g min", round(seconds / 0.6) / 100);
    else if (step >= 0.1)
        snprintf(text, sizeof text, "%g s", round(seconds * 10) / 10);
    else if (step >= 1e-3)
        snprintf(text, sizeof text, "%g ms", round(seconds * 1e3));
    else
        snprintf(text, sizeof text, "%g ms", round(seconds * 1e6) / 1e3);
    put_text(p, x, BOTTOM + 18, "m", text);
}

/* Returns the distance of two labels in seconds: 1, 2 or 5 times a power of ten, in minutes for long times. */
static double
time_step(double seconds)
{
    const double least = seconds / 7;

    if (least > 20)
        return 60 * nice(least / 60);
    return nice(least * 1e6) / 1e6;
}

static void
put_time_axis(const struct page *p)
{
    const struct mp_plot_options *range = &p->plot->options;
    const double from = (double)range->from / 1e9, to = (double)range->to / 1e9;
    const double step = time_step(to - from > 0 ? to - from : 1);

    /* A damaged file may have times so late that STEP is lost in rounding. */
    for (double at = fabs(ceil(from / step - 1e-9)) * step; at <= to + step * 1e-9 && at + step > at; at += step) {
        double x = x_of(p, (uint64_t)llround(at * 1e9));

        if (x > RIGHT + 0.5)
            break;
        fprintf(p->out, "<path class=\"a\" d=\"M%.1f %uv5\"/>\n", x, BOTTOM);
        put_time_label(p, x, at, step);
    }
    put_text(p, (LEFT + RIGHT) / 2.0, BOTTOM + 38, "m n", "time since recording began");
}

static void
put_bytes_axis(const struct page *p)
{
    char number[MP_NUMBER_SIZE];

    for (double at = 0; at <= p->top * (1 + 1e-9); at += p->step) {
        double y = y_of(p, at);

        if (at > 0)
            fprintf(p->out, "<path class=\"g\" d=\"M%u %.1fH%u\"/>\n", LEFT, y, RIGHT);
        put_text(p, LEFT - 8, y + 4, "e", mp_number_bytes((uint64_t)llround(at), number));
    }
}

static void
put_frame(const struct page *p)
{
    fprintf(p->out, "<path class=\"a\" d=\"M%u %uV%uH%u\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
}

/* ---------------------------------------------------------------- areas */

/* Returns whether there are times at which parts were not counted. */
static bool
has_rest(const struct page *p)
{
    return p->plot->n_steps > p->plot->n_moments;
}

/* Writes the rest of the path of an area that lies on top of BELOW, which has a height for each step. At step I the
 * area is HEIGHTS[I * EACH] bytes high. Adds these heights to BELOW. */
static void
put_path(const struct page *p, const double *heights, uint32_t each, double *below)
{
    const struct mp_plot *plot = p->plot;

    for (uint32_t i = 0; i < plot->n_steps; i++)
        fprintf(p->out, "%.1f %.1f ", x_of(p, plot->steps[i]), y_of(p, below[i] + heights[(size_t)i * each]));
    for (uint32_t i = plot->n_steps; i-- > 0;) {
        fprintf(p->out, "%.1f %.1f ", x_of(p, plot->steps[i]), y_of(p, below[i]));
        below[i] += heights[(size_t)i * each];
    }
    fputs("Z\"><title>", p->out);
}

/* Draws PART above the previous ones. BELOW contains their height by step and is increased by PART. */
static void
put_area(const struct page *p, uint32_t part, double *below)
{
    const struct mp_plot *plot = p->plot;
    char number[MP_NUMBER_SIZE];
    double most = 0;

    fprintf(p->out, "<path class=\"s k%u\" d=\"M", part < MP_PLOT_PARTS ? part : MP_PLOT_PARTS);
    put_path(p, plot->heights + part, plot->n_parts, below);
    for (uint32_t i = 0; i < plot->n_moments; i++)
        most = fmax(most, (double)plot->bytes[(size_t)part * plot->n_moments + i]);
    mp_xml_put(p->out, plot->names[part]);
    fprintf(p->out, ": %s at most, where it was counted</title></path>\n",
            mp_number_bytes((uint64_t)most, number));
}

static void
put_areas(const struct page *p)
{
    double *below = mp_arena_alloc(p->plot->arena, (p->plot->n_steps + 1) * sizeof *below);

    for (uint32_t i = 0; i < p->plot->n_parts && p->plot->n_moments > 1; i++)
        put_area(p, i, below);
    if (p->plot->n_moments < 2 || !has_rest(p))
        return;
    fputs("<path class=\"u\" d=\"M", p->out);
    put_path(p, p->plot->rest, 1, below);
    fputs(NOT_COUNTED "</title></path>\n", p->out);
}

/* Marks the moments at which parts were counted, if they were not counted between some of them. */
static void
put_moments(const struct page *p)
{
    for (uint32_t i = 0; i < p->plot->n_moments && has_rest(p); i++)
        fprintf(p->out, "<path class=\"o\" d=\"M%.1f %uv4\"/>\n", x_of(p, p->plot->moments[i]->time),
                BOTTOM);
}

/* Draws the live bytes. Those of objects are known only where all counters were read. The line is interrupted where
 * these times are far apart. */
static void
put_line(const struct page *p)
{
    const struct mp_plot *plot = p->plot;
    const bool objects = plot->snapshots && *plot->view->meta.language;
    const uint64_t gap = objects ? (plot->options.to - plot->options.from) / 40 : UINT64_MAX;
    const char *go = "M";
    uint64_t last = 0;

    if (plot->n_points < 2)
        return;
    fprintf(p->out, "<path class=\"%s\" d=\"", plot->snapshots ? "v" : "l");
    for (uint32_t i = 0; i < plot->n_points; i++) {
        const uint64_t live = mp_plot_live(plot, i), time = plot->points[i].time;

        if (live == MP_NOT_SEEN)
            continue;
        go = *go == 'M' || time - last > gap ? "M" : "L";
        fprintf(p->out, "%s%.1f %.1f%s", go, x_of(p, time), y_of(p, (double)live), *go == 'M' ? "h0" : "");
        go = "L";
        last = time;
    }
    fprintf(p->out, "\"><title>%s</title></path>\n", plot->snapshots ? LIVE_RECORDED : "all that lived");
}

static bool
has_heap(const struct mp_plot *plot)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < plot->n_moments && plot->snapshots; i++)
        n += plot->snapshots[i].heap != MP_NOT_SEEN;
    return n > 0;
}

/* Draws the memory that the heap obtained from the system, where snapshots contain it. */
static void
put_heap(const struct page *p)
{
    const struct mp_plot *plot = p->plot;
    const char *go = "M";

    if (!has_heap(plot))
        return;
    fputs("<path class=\"l\" d=\"", p->out);
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        if (plot->snapshots[i].heap == MP_NOT_SEEN)
            continue;
        fprintf(p->out, "%s%.1f %.1f", go, x_of(p, plot->moments[i]->time),
                y_of(p, (double)plot->snapshots[i].heap));
        go = " ";
    }
    fputs("\"><title>" HEAP_TAKES "</title></path>\n", p->out);
}

static void
put_snapshots(const struct page *p)
{
    char bytes[MP_NUMBER_SIZE], objects[MP_NUMBER_SIZE];

    for (uint32_t i = 0; i < p->plot->n_moments && p->plot->snapshots; i++) {
        const struct mp_plot_snapshot *at = &p->plot->snapshots[i];
        const struct mp_moment *moment = p->plot->moments[i];

        fprintf(p->out, "<path class=\"o\" d=\"M%.1f %uv4\"><title>snapshot ", x_of(p, moment->time), BOTTOM);
        mp_xml_put(p->out, moment->name);
        fprintf(p->out, ", after %.3f s: %s in %s objects", (double)moment->time / 1e9,
                mp_number_bytes(at->bytes, bytes), mp_number_grouped(at->objects, objects));
        if (*at->trigger)
            fprintf(p->out, "; asked for by %s", at->trigger);
        fputs("</title></path>\n", p->out);
    }
}

/* ---------------------------------------------------------------- marks */

/* Writes TEXT above X, in the first row with enough space. If no row has, the name is only in the tooltip. */
static void
put_mark_name(struct page *p, double x, const char *text)
{
    double width = text_width(text), from = x - width / 2;

    if (from < LEFT - 60)
        from = LEFT - 60;
    if (from + width > WIDTH - 10)
        from = WIDTH - 10 - width;
    for (unsigned row = 0; row < MARK_ROWS; row++) {
        if (from < p->mark_end[row])
            continue;
        put_text(p, from, TOP - 8 - MARK_ROW * (double)row, "", text);
        p->mark_end[row] = from + width + CHARACTER;
        return;
    }
}

#define LONGEST_MARK 24u        /* in characters */

static void
put_mark(struct page *p, const struct mp_moment *moment)
{
    const bool peak = moment->kind == MP_MOMENT_PEAK;
    const double x = x_of(p, moment->time);
    const char *name = peak ? "peak" : moment->name;
    struct mp_text_stream text;

    mp_fit_print(name, strlen(name), LONGEST_MARK, "\u2026", mp_text_open(&text));
    fprintf(p->out, "<path class=\"%s\" d=\"M%.1f %uV%u\"><title>%s ", peak ? "p" : "k", x, TOP - 4,
            BOTTOM, peak ? "" : "checkpoint");
    mp_xml_put(p->out, name);
    fprintf(p->out, ", after %.3f s</title></path>\n", (double)moment->time / 1e9);
    put_mark_name(p, x, mp_text_close_in(&text, p->plot->arena));
}

/* Draws a triangle on the time axis. */
static void
put_collection(const struct page *p, const struct mp_moment *moment)
{
    char bytes[2][MP_NUMBER_SIZE];

    fprintf(p->out, "<path class=\"k\" d=\"M%.1f %ul-3 6h6z\"><title>collection ",
            x_of(p, moment->time), BOTTOM);
    mp_xml_put(p->out, moment->name);
    fprintf(p->out, ", after %.3f s", (double)moment->time / 1e9);
    if (moment->heap_before != MP_NOT_SEEN && moment->heap_after != MP_NOT_SEEN)
        fprintf(p->out, ": %s, %s afterwards", mp_number_bytes(moment->heap_before, bytes[0]),
                mp_number_bytes(moment->heap_after, bytes[1]));
    fputs("</title></path>\n", p->out);
}

static bool
is_within(const struct page *p, const struct mp_moment *moment)
{
    return moment->time >= p->plot->options.from && moment->time <= p->plot->options.to;
}

static void
put_marks(struct page *p)
{
    const struct mp_timeline *timeline = p->plot->view->timeline;
    uint32_t collections = 0;

    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (!is_within(p, moment))
            continue;
        if (moment->kind == MP_MOMENT_PEAK || moment->kind == MP_MOMENT_CHECKPOINT)
            put_mark(p, moment);
        else if (moment->kind == MP_MOMENT_COLLECTION && collections++ < MOST_COLLECTIONS)
            put_collection(p, moment);
    }
}

/* ---------------------------------------------------------------- legend */

static void
put_legend_path(const struct page *p, unsigned *row, const char *class, const char *path,
                const char *text)
{
    double y = TOP + LEGEND_ROW * (double)(*row)++;

    fprintf(p->out, "<path class=\"%s\" transform=\"translate(%u %.1f)\" d=\"%s\"/>\n", class, LEGEND,
            y, path);
    put_fitted(p, LEGEND + 22, y + 4, "", text, WIDTH - LEGEND - 30);
}

static bool
has_kind(const struct page *p, enum mp_moment_kind kind)
{
    const struct mp_timeline *timeline = p->plot->view->timeline;

    for (uint32_t i = 0; i < timeline->n_moments; i++)
        if (timeline->moments[i].kind == kind && is_within(p, &timeline->moments[i]))
            return true;
    return false;
}

/* Draws the legend, in the order of the areas from top to bottom. */
static void
put_legend(const struct page *p)
{
    const struct mp_plot *plot = p->plot;
    unsigned row = 0;

    for (uint32_t i = plot->n_parts; i-- > 0;) {
        double y = TOP + LEGEND_ROW * (double)row++;

        fprintf(p->out, "<g><title>");
        mp_xml_put(p->out, plot->names[i]);
        fprintf(p->out, "</title><rect class=\"k%u\" x=\"%u\" y=\"%.1f\" width=\"14\" height=\"14\"/>\n",
                i < MP_PLOT_PARTS ? i : MP_PLOT_PARTS, LEGEND, y - 7);
        put_fitted(p, LEGEND + 22, y + 4, "", plot->names[i], WIDTH - LEGEND - 30);
        fputs("</g>\n", p->out);
    }
    row += row > 0;
    if (has_heap(plot))
        put_legend_path(p, &row, "l", "M0 0h14", HEAP_TAKES);
    if (plot->n_points > 1)
        put_legend_path(p, &row, plot->snapshots ? "v" : "l", "M0 0h14",
                        plot->snapshots ? LIVE_RECORDED : "all that lived");
    if (plot->snapshots)
        put_legend_path(p, &row, "o", "M7 -2v4", "snapshot");
    if (has_rest(p)) {
        put_legend_path(p, &row, "o", "M7 -2v4", "parts were counted");
        put_legend_path(p, &row, "u", "M0 -7h14v14H0z", NOT_COUNTED);
    }
    if (has_kind(p, MP_MOMENT_PEAK))
        put_legend_path(p, &row, "p", "M7 -8v16", "peak");
    if (has_kind(p, MP_MOMENT_CHECKPOINT))
        put_legend_path(p, &row, "k", "M7 -8v16", "checkpoint");
    if (has_kind(p, MP_MOMENT_COLLECTION))
        put_legend_path(p, &row, "k", "M7 -3l-3 6h6z", "collection");
}

/* ---------------------------------------------------------------- the whole */

void
mp_plot_svg(const struct mp_plot *plot, const char *part, FILE *out)
{
    struct mp_fit fit = mp_fit_begin();
    struct page page = {.plot = plot, .profile = plot->view, .part = part, .out = out};

    page.step = nice(plot->highest > 0 ? (double)plot->highest / 6 : 1);
    page.top = page.step * ceil((double)plot->highest / page.step);
    if (page.top <= 0)
        page.top = page.step;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" role=\"img\">\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_style(&page);
    fprintf(out, "<rect class=\"b\" width=\"%u\" height=\"%u\"/>\n", WIDTH, HEIGHT);
    put_title(&page);
    put_bytes_axis(&page);
    put_areas(&page);
    put_moments(&page);
    put_line(&page);
    put_heap(&page);
    put_snapshots(&page);
    put_frame(&page);
    put_time_axis(&page);
    put_marks(&page);
    put_legend(&page);
    fputs("</svg>\n", out);
    mp_fit_end(&fit);
}
