/*
 * plot_data.c -- writes the time line as columns. There are two blocks, separated by two empty lines, so that
 * gnuplot's `index` can select them: totals and parts. A plot of heap snapshots has three: snapshots, parts and
 * collections. Unknown values are "?".
 */
#include <inttypes.h>

#include "plot.h"
#include "reporter/base/text.h"

static void
put_time(uint64_t ns, FILE *out)
{
    fprintf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void
put_figure(uint64_t figure, FILE *out)
{
    if (figure == MP_NOT_SEEN)
        fputs(" ?", out);
    else
        fprintf(out, " %" PRIu64, figure);
}

/* Writes NAME as one quoted word, which gnuplot can use as the title of a column. */
static void
put_name(const char *name, FILE *out)
{
    fputs(" \"", out);
    for (; *name; name++)
        putc(*name == '"' || *name == '\\' ? '\'' : *name, out);
    putc('"', out);
}

static void
put_totals(const struct mp_plot *plot, FILE *out)
{
    fputs("seconds live live_lisp blocks allocs bytes resident\n", out);
    for (uint32_t i = 0; i < plot->n_points; i++) {
        const struct mp_point *point = &plot->points[i];

        put_time(point->time, out);
        put_figure(point->live, out);
        put_figure(point->live_lisp, out);
        put_figure(point->blocks, out);
        put_figure(point->allocs, out);
        put_figure(point->bytes, out);
        put_figure(point->resident, out);
        putc('\n', out);
    }
}

static void
put_snapshots(const struct mp_plot *plot, FILE *out)
{
    fputs("seconds shallow objects heap free live allocated collections\n", out);
    for (uint32_t i = 0; i < plot->n_moments; i++) {
        const struct mp_plot_snapshot *at = &plot->snapshots[i];

        put_time(plot->moments[i]->time, out);
        put_figure(at->bytes, out);
        put_figure(at->objects, out);
        put_figure(at->heap, out);
        put_figure(at->free, out);
        put_figure(at->live, out);
        put_figure(at->allocated, out);
        put_figure(at->collections, out);
        putc('\n', out);
    }
}

/* Writes the collections that the recording contains, with the time when each ended. */
static void
put_collections(const struct mp_plot *plot, FILE *out)
{
    const struct mp_timeline *timeline = plot->view->timeline;

    fputs("\n\nseconds pause_ns heap_before heap_after kind\n", out);
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (moment->kind != MP_MOMENT_COLLECTION || moment->time < plot->options.from ||
            moment->time > plot->options.to)
            continue;
        put_time(moment->time, out);
        put_figure(moment->pause, out);
        put_figure(moment->heap_before, out);
        put_figure(moment->heap_after, out);
        put_name(moment->name, out);
        putc('\n', out);
    }
}

static void
put_parts(const struct mp_plot *plot, FILE *out)
{
    fputs("seconds moment name", out);
    for (uint32_t i = 0; i < plot->n_parts; i++)
        put_name(plot->names[i], out);
    putc('\n', out);
    for (uint32_t j = 0; j < plot->n_moments; j++) {
        const struct mp_moment *moment = plot->moments[j];

        put_time(moment->time, out);
        fprintf(out, " %s", mp_moment_names[moment->kind]);
        put_name(moment->name, out);
        for (uint32_t i = 0; i < plot->n_parts; i++)
            fprintf(out, " %" PRId64, plot->bytes[(size_t)i * plot->n_moments + j]);
        putc('\n', out);
    }
}

void
mp_plot_data(const struct mp_plot *plot, FILE *out)
{
    fprintf(out, "# mprof: %s over time; of ", plot->snapshots ? "objects in the heap" : "live bytes");
    mp_text_print(out, plot->view->meta.program);
    fprintf(out, "; index 0: %s, index 1: by %s%s\n", plot->snapshots ? "snapshots" : "totals",
            mp_plot_names[plot->options.by], plot->snapshots ? ", index 2: collections" : "");
    if (plot->snapshots)
        put_snapshots(plot, out);
    else
        put_totals(plot, out);
    fputs("\n\n", out);
    put_parts(plot, out);
    if (plot->snapshots)
        put_collections(plot, out);
}
