/* SPDX-License-Identifier: MIT */
/*
 * plot_write.c -- writes the time line as columns of numbers and as JSON.
 *
 * The columns have two blocks, separated by two empty lines, so that gnuplot's `index` can select them: totals and
 * parts. A plot of heap snapshots has three: snapshots, parts and collections. Unknown values are "?".
 */
#include <inttypes.h>

#include "plot.h"
#include "reporter/base/text.h"
#include "reporter/table/json_head.h"

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

/* ---------------------------------------------------------------- JSON */

static void
write_figure(struct mp_buffer *out, const char *key, uint64_t figure)
{
    mp_json_key_number_or_null(out, key, figure, figure != MP_NOT_SEEN);
}

static void
write_point(struct mp_buffer *out, const struct mp_point *point)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_number(out, "time_ns", point->time);
    write_figure(out, "live_bytes", point->live);
    write_figure(out, "live_lisp_bytes", point->live_lisp);
    write_figure(out, "live_blocks", point->blocks);
    write_figure(out, "allocs", point->allocs);
    write_figure(out, "bytes", point->bytes);
    write_figure(out, "resident_bytes", point->resident);
    mp_json_close(out, '}');
}

static void
write_points(struct mp_json_out *to, const struct mp_plot *plot)
{
    mp_json_line(&to->buffer);
    mp_json_key(&to->buffer, "points");
    mp_json_open(&to->buffer, '[');
    for (uint32_t i = 0; i < plot->n_points; i++) {
        write_point(&to->buffer, &plot->points[i]);
        mp_json_piece(to);
    }
    mp_json_close(&to->buffer, ']');
}

static void
write_collection(struct mp_buffer *out, const struct mp_moment *moment)
{
    if (moment->kind != MP_MOMENT_COLLECTION)
        return;
    write_figure(out, "pause_ns", moment->pause);
    write_figure(out, "heap_before_bytes", moment->heap_before);
    write_figure(out, "heap_after_bytes", moment->heap_after);
}

/* Writes the parts of MOMENT and increments *NEXT if MOMENT is plot->moments[*NEXT]. Otherwise its parts are unknown,
 * and null is written. */
static void
write_parts(struct mp_buffer *out, const struct mp_plot *plot, const struct mp_moment *moment,
            uint32_t *next)
{
    mp_json_key(out, "live_bytes");
    if (*next == plot->n_moments || plot->moments[*next] != moment) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < plot->n_parts; i++)
        mp_json_signed(out, plot->bytes[(size_t)i * plot->n_moments + *next]);
    mp_json_close(out, ']');
    ++*next;
}

static void
write_moments(struct mp_json_out *to, const struct mp_plot *plot)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    struct mp_buffer *out = &to->buffer;
    uint32_t next = 0;

    mp_json_line(out);
    mp_json_key(out, "moments");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < timeline->n_moments; i++) {
        const struct mp_moment *moment = &timeline->moments[i];

        if (moment->time < plot->options.from || moment->time > plot->options.to)
            continue;
        mp_json_line(out);
        mp_json_open(out, '{');
        mp_json_key_number(out, "time_ns", moment->time);
        mp_json_key_text(out, "is", mp_moment_names[moment->kind]);
        mp_json_key_text_or_null(out, "name", moment->name);
        mp_json_key_bool(out, "exact", moment->exact);
        write_collection(out, moment);
        write_parts(out, plot, moment, &next);
        mp_json_close(out, '}');
        mp_json_piece(to);
    }
    mp_json_close(out, ']');
}

bool
mp_plot_json(const struct mp_plot *plot, const struct mp_json_subject *subject, FILE *file,
             struct mp_error *error)
{
    const struct mp_timeline *timeline = plot->view->timeline;
    struct mp_json_out to = {.file = file};
    struct mp_buffer *out = &to.buffer;

    mp_json_begin(&to, subject);
    mp_json_line(out);
    mp_json_key(out, "timeline");
    mp_json_open(out, '{');
    mp_json_key_number(out, "from_ns", plot->options.from);
    mp_json_key_number(out, "to_ns", plot->options.to);
    mp_json_key_number(out, "interval_ns", timeline->interval);
    mp_json_key_number(out, "left_out", timeline->left_out);
    mp_json_key_bool(out, "estimated", mp_is_estimated(&plot->view->meta));
    mp_json_key_text(out, "by", mp_plot_names[plot->options.by]);
    mp_json_key_texts(out, "parts", plot->names, plot->n_parts);
    mp_json_key_number(out, "others", plot->n_others);
    write_points(&to, plot);
    write_moments(&to, plot);
    mp_json_close(out, '}');
    return mp_json_finish(&to, error);
}
