/* The time line as JSON: totals at many times, and parts at the moments at which they are known. */
#include "json_head.h"
#include "plot.h"

static void
put_figure(struct mp_buffer *out, const char *key, uint64_t figure)
{
    mp_json_key_number_or_null(out, key, figure, figure != MP_NOT_SEEN);
}

static void
put_point(struct mp_buffer *out, const struct mp_point *point)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_number(out, "time_ns", point->time);
    put_figure(out, "live_bytes", point->live);
    put_figure(out, "live_lisp_bytes", point->live_lisp);
    put_figure(out, "live_blocks", point->blocks);
    put_figure(out, "allocs", point->allocs);
    put_figure(out, "bytes", point->bytes);
    put_figure(out, "resident_bytes", point->resident);
    mp_json_close(out, '}');
}

static void
put_points(struct mp_json_out *to, const struct mp_plot *plot)
{
    mp_json_line(&to->buffer);
    mp_json_key(&to->buffer, "points");
    mp_json_open(&to->buffer, '[');
    for (uint32_t i = 0; i < plot->n_points; i++) {
        put_point(&to->buffer, &plot->points[i]);
        mp_json_piece(to);
    }
    mp_json_close(&to->buffer, ']');
}

static void
put_collection(struct mp_buffer *out, const struct mp_moment *moment)
{
    if (moment->kind != MP_MOMENT_COLLECTION)
        return;
    put_figure(out, "pause_ns", moment->pause);
    put_figure(out, "heap_before_bytes", moment->heap_before);
    put_figure(out, "heap_after_bytes", moment->heap_after);
}

/* Writes the parts of MOMENT and increments *NEXT if MOMENT is plot->moments[*NEXT]. Otherwise its parts are unknown,
 * and null is written. */
static void
put_parts(struct mp_buffer *out, const struct mp_plot *plot, const struct mp_moment *moment,
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
put_moments(struct mp_json_out *to, const struct mp_plot *plot)
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
        put_collection(out, moment);
        put_parts(out, plot, moment, &next);
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
    put_points(&to, plot);
    put_moments(&to, plot);
    mp_json_close(out, '}');
    return mp_json_finish(&to, error);
}
