/* Writes a series of snapshots as JSON, with all its rows. */
#include "config.h"
#include "heap_series.h"
#include "reporter/output/json_head.h"

static void
put_fact(struct mp_buffer *out, const char *key, uint64_t fact)
{
    mp_json_key_number_or_null(out, key, fact, fact > 0);
}

static void
put_taken(struct mp_buffer *out, const struct mp_heap_taken *taken)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text(out, "file", taken->file);
    mp_json_key_text_or_null(out, "name", taken->name);
    mp_json_key_text_or_null(out, "trigger", mp_heap_trigger_words(taken->facts[MP_FACT_TRIGGER]));
    put_fact(out, "number", taken->number);
    mp_json_key_number(out, "since_start_ns", taken->time);
    put_fact(out, "heap_bytes", taken->facts[MP_FACT_HEAP]);
    put_fact(out, "free_bytes", taken->facts[MP_FACT_FREE]);
    put_fact(out, "live_bytes", taken->facts[MP_FACT_LIVE]);
    put_fact(out, "allocated_bytes", taken->facts[MP_FACT_ALLOCATED]);
    put_fact(out, "collections", taken->facts[MP_FACT_COLLECTIONS]);
    mp_json_key_number(out, "objects", taken->objects);
    mp_json_key_number(out, "bytes", taken->bytes);
    mp_json_close(out, '}');
}

static void
put_band(struct mp_buffer *out, const struct mp_heap_band *band, uint32_t n)
{
    mp_json_line(out);
    mp_json_open(out, '{');
    mp_json_key_text(out, "name", band->name);
    mp_json_key_numbers(out, "objects", band->objects, n);
    mp_json_key_numbers(out, "shallow", band->bytes, n);
    mp_json_close(out, '}');
}

bool
mp_heap_series_json(const struct mp_heap_series *series, const char *by, FILE *file, struct mp_error *error)
{
    struct mp_json_out to = {.file = file};
    struct mp_buffer *out = &to.buffer;

    mp_json_open(out, '{');
    mp_json_schema(out, "mprof-heap-series", "1.0");
    mp_json_key_text(out, "mprof", PACKAGE_VERSION);
    mp_json_key_text_or_null(out, "program", series->program);
    mp_json_key_text_or_null(out, "language", series->language);
    put_fact(out, "pid", series->taken[0].facts[MP_FACT_PID]);
    mp_json_line(out);
    mp_json_key(out, "snapshots");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < series->n; i++)
        put_taken(out, &series->taken[i]);
    mp_json_close(out, ']');
    mp_json_line(out);
    mp_json_key_text(out, "by", by);
    mp_json_key(out, "rows");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < series->n_bands; i++) {
        put_band(out, &series->bands[i], series->n);
        mp_json_piece(&to);
    }
    mp_json_close(out, ']');
    return mp_json_finish(&to, error);
}
