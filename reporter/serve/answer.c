/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/xml.h"
#include "reporter/export/export.h"
#include "reporter/html/html.h"
#include "reporter/process/process.h"
#include "reporter/profile/ending.h"
#include "reporter/profile/profile.h"
#include "reporter/symbols/symbols.h"
#include "reporter/unite/several.h"
#include "reporter/view/filter.h"

/* ---------------------------------------------------------------- metrics */

#define LEAST UINT64_C(1000000000)      /* minimum interval for a rate, ns */

/* Allocated bytes of a recording at some point in time. */
struct mp_metrics_seen {
    uint32_t pid;
    uint64_t start;             /* start of the recording, ns since 1970 */
    uint64_t time, bytes;       /* ns since the start; bytes allocated until then */
};

enum figure {
    LIVE, LIVE_BLOCKS, PEAK, PEAK_BLOCKS, BYTES, ALLOCS, FREED, FREES, RATE, RUNNING, SAMPLED, MISSING,
    FIGURES
};

static const struct {
    const char *name, *type, *help;
} figures[FIGURES] = {
    [LIVE] = {"mprof_live_bytes", "gauge", "Bytes allocated and not freed."},
    [LIVE_BLOCKS] = {"mprof_live_blocks", "gauge", "Blocks and objects allocated and not freed."},
    [PEAK] = {"mprof_peak_bytes", "gauge", "Most bytes that lived at once since recording began."},
    [PEAK_BLOCKS] = {"mprof_peak_blocks", "gauge", "Blocks and objects that lived then."},
    [BYTES] = {"mprof_allocated_bytes_total", "counter", "Bytes allocated since recording began."},
    [ALLOCS] = {"mprof_allocations_total", "counter", "Allocations since recording began."},
    [FREED] = {"mprof_freed_bytes_total", "counter", "Bytes freed since recording began."},
    [FREES] = {"mprof_frees_total", "counter", "Blocks and objects freed since recording began."},
    [RATE] = {"mprof_allocated_bytes_per_second", "gauge",
              "Bytes allocated a second since these metrics were asked for before, a second ago or longer; "
              "at first since recording began."},
    [RUNNING] = {"mprof_running", "gauge", "1 while the process is recorded."},
    [SAMPLED] = {"mprof_sample_period_bytes", "gauge",
                 "Mean distance of samples, from which what lives and is freed is estimated; 0 if it is exact."},
    [MISSING] = {"mprof_missing_total", "counter",
                 "Events that could not be recorded, and are in no other figure."},
};

struct row {
    const struct mp_subject *subject;
    const char *program, *host, *labels;
    char build_id[MP_BUILD_ID_TEXT];
    uint32_t pid;               /* 0 if unknown */
    uint64_t start;             /* ns since 1970, or 0 if unknown */
    bool known[FIGURES];
    double rate;
    uint64_t values[FIGURES];
};

/* ---------------------------------------------------------------- rates */

static struct mp_metrics_seen *
find_seen(const struct mp_metrics *metrics, const struct mp_meta *meta)
{
    for (size_t i = 0; i < metrics->n; i++)
        if (metrics->list[i].pid == meta->pid && metrics->list[i].start == meta->start_realtime)
            return &metrics->list[i];
    return NULL;
}

/* Returns the allocation rate of a current recording, in bytes per second, since the previous call. Fills SEEN for
 * the next call. */
static double
rate_of(const struct mp_metrics *metrics, const struct mp_meta *meta, uint64_t bytes,
        struct mp_metrics_seen *seen)
{
    const struct mp_metrics_seen *before = find_seen(metrics, meta);
    struct mp_metrics_seen from = {0};

    *seen = (struct mp_metrics_seen){meta->pid, meta->start_realtime, meta->duration, bytes};
    if (before && before->time <= meta->duration && before->bytes <= bytes)
        from = *before;
    if (before && meta->duration - from.time < LEAST)
        *seen = from;           /* keeps the earlier figures, so that frequent calls by two clients do not shorten the
                                   interval */
    return meta->duration > from.time
               ? (double)(bytes - from.bytes) * 1e9 / (double)(meta->duration - from.time) : 0;
}

/* ---------------------------------------------------------------- one subject */

static void
set(struct row *row, enum figure figure, bool known, uint64_t value)
{
    row->known[figure] = known;
    row->values[figure] = value;
}

static uint64_t
all_missing(const struct mp_meta *meta)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < MP_MISS_KINDS; i++)
        sum = mp_plus(sum, meta->missing[i]);
    return sum;
}

static void
fill(struct row *row, const struct mp_profile *profile)
{
    const struct mp_process_sums sums = mp_member_of(profile, "").sums;
    const struct mp_meta *meta = &profile->meta;
    bool peak = !mp_profile_is_sum(profile);
    bool kept = !mp_is_unknown(profile, MP_FIGURE_KEPT);

    set(row, LIVE, kept, sums.kept);
    set(row, LIVE_BLOCKS, kept, sums.kept_blocks);
    set(row, PEAK, peak && !mp_is_unknown(profile, MP_FIGURE_PEAK_BYTES),
        meta->peak_bytes > 0 ? (uint64_t)meta->peak_bytes : 0);
    set(row, PEAK_BLOCKS, peak && !mp_is_unknown(profile, MP_FIGURE_PEAK_BLOCKS),
        meta->peak_blocks > 0 ? (uint64_t)meta->peak_blocks : 0);
    set(row, BYTES, !mp_is_unknown(profile, MP_FIGURE_BYTES), sums.bytes);
    set(row, ALLOCS, !mp_is_unknown(profile, MP_FIGURE_ALLOCS), sums.allocs);
    set(row, FREED, !mp_is_unknown(profile, MP_FIGURE_FREED), sums.freed);
    set(row, FREES, !mp_is_unknown(profile, MP_FIGURE_FREES), sums.frees);
    set(row, RUNNING, true, meta->ending == MP_END_RUNNING);
    set(row, SAMPLED, true, meta->sample_period);
    set(row, MISSING, true, all_missing(meta));
}

/* Reads the figures of SUBJECT into ROW, and SEEN for the next rate. Returns false if it cannot be read. */
static bool
read_row(const struct mp_metrics *metrics, const struct mp_subject *subject, struct mp_arena *arena,
         struct row *row, struct mp_metrics_seen *seen)
{
    struct mp_error error;
    char *file = mp_subject_file(subject, &error);
    struct mp_profile *profile = file ? mp_several_read(file, NULL, &error) : NULL;

    free(file);
    if (!profile)
        return false;
    *row = (struct row){.subject = subject, .pid = profile->meta.pid, .start = profile->meta.start_realtime,
                        .program = mp_arena_strdup(arena, mp_text_basename(profile->meta.program)),
                        .host = mp_arena_strdup(arena, profile->meta.host),
                        .labels = mp_arena_strdup(arena, profile->meta.labels)};
    mp_profile_build_id(profile, profile->meta.program, row->build_id);
    fill(row, profile);
    *seen = (struct mp_metrics_seen){0};
    row->known[RATE] = row->values[RUNNING] && row->known[BYTES];
    if (row->known[RATE])
        row->rate = rate_of(metrics, &profile->meta, row->values[BYTES], seen);
    mp_profile_free(profile);
    return true;
}

/* ---------------------------------------------------------------- text */

static void
put_text(FILE *out, const char *text, struct mp_arena *arena)
{
    text = mp_text_clean(arena, text, strlen(text));
    for (; *text; text++) {
        if (*text == '\\' || *text == '"')
            putc('\\', out);
        putc(*text, out);
    }
}

static void
put_head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Writes a label of a metric, after COMMA. */
static void
put_label(FILE *out, const char *comma, const char *name, const char *value, struct mp_arena *arena)
{
    fprintf(out, "%s%s=\"", comma, name);
    put_text(out, value, arena);
    fputc('"', out);
}

static void
put_metric(FILE *out, const char *metric, const struct row *row, struct mp_arena *arena)
{
    fputs(metric, out);
    put_label(out, "{", "id", row->subject->id, arena);
    put_label(out, ",", "program", row->program, arena);
}

/* Writes what the processes are, as labels of a metric that is always 1, and when they started. */
static void
put_processes(FILE *out, const struct row rows[], size_t n, struct mp_arena *arena)
{
    put_head(out, "mprof_process_info", "gauge", "1; host, process id, build-id and labels of the process.");
    for (size_t i = 0; i < n; i++) {
        put_metric(out, "mprof_process_info", &rows[i], arena);
        put_label(out, ",", "host", rows[i].host, arena);
        put_label(out, ",", "pid", rows[i].pid ? mp_arena_printf(arena, "%" PRIu32, rows[i].pid) : "", arena);
        put_label(out, ",", "build_id", rows[i].build_id, arena);
        put_label(out, ",", "labels", rows[i].labels, arena);
        fputs("} 1\n", out);
    }
    put_head(out, "mprof_start_time_seconds", "gauge", "Start of the recording in seconds since 1970.");
    for (size_t i = 0; i < n; i++) {
        if (rows[i].start == 0)
            continue;
        put_metric(out, "mprof_start_time_seconds", &rows[i], arena);
        fprintf(out, "} %.3f\n", (double)rows[i].start / 1e9);
    }
}

static void
put_figure(FILE *out, enum figure figure, const struct row rows[], size_t n, struct mp_arena *arena)
{
    put_head(out, figures[figure].name, figures[figure].type, figures[figure].help);
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].known[figure])
            continue;
        put_metric(out, figures[figure].name, &rows[i], arena);
        if (figure == RATE)
            fprintf(out, "} %.3f\n", rows[i].rate);
        else
            fprintf(out, "} %" PRIu64 "\n", rows[i].values[figure]);
    }
}

/* Reads all SUBJECTS and writes their figures to OUT. */
static void
write_metrics(struct mp_metrics *metrics, const struct mp_subjects *subjects, FILE *out)
{
    struct mp_arena *arena = mp_arena_new();
    struct row *rows = mp_arena_alloc(arena, (subjects->n + 1) * sizeof *rows);
    struct mp_metrics_seen *seen = mp_need(calloc(subjects->n + 1, sizeof *seen));
    size_t n = 0;

    for (size_t i = 0; i < subjects->n; i++)
        if (read_row(metrics, &subjects->list[i], arena, &rows[n], &seen[n]))
            n++;
    put_processes(out, rows, n, arena);
    for (enum figure i = 0; i < FIGURES; i++)
        put_figure(out, i, rows, n, arena);
    put_head(out, "mprof_unreadable", "gauge",
             "Recordings that could not be read.");
    fprintf(out, "mprof_unreadable %zu\n", subjects->n - n);
    mp_metrics_free(metrics);
    *metrics = (struct mp_metrics){seen, n};
    mp_arena_free(arena);
}

void
mp_metrics_free(struct mp_metrics *metrics)
{
    free(metrics->list);
    *metrics = (struct mp_metrics){0};
}

/* ---------------------------------------------------------------- deltas */

bool
mp_delta_begin(struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error)
{
    struct mp_process process;
    bool ok;

    *delta = (struct mp_delta){0};
    if (subject->pid == 0)
        return mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET,
                       "seconds are for processes that run: %s is a data file", subject->id);
    if (!mp_process_open(subject->pid, &process, error))
        return false;
    delta->start = process.header->start_monotonic;
    ok = mp_since_look(&delta->first, process.file.fd, error);
    mp_process_close(&process);
    return ok;
}

/* Reads the profile of SUBJECT, the process whose first sample is in DELTA, and adds that sample to the time line. The
 * window that begins at the sample is the delta. Returns NULL and fills *ERROR if the recording has ended. */
static struct mp_profile *
end_delta(const struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error)
{
    struct mp_profile *profile = NULL;
    struct mp_process process;
    char path[MP_PROCESS_PATH];

    if (!mp_process_open(subject->pid, &process, error))
        return NULL;
    if (process.header->start_monotonic == delta->start)
        profile = mp_since_read(&delta->first, mp_process_path(&process, path), error);
    else
        mp_fail(error, MP_ERR_PROGRAM, MP_NO_OFFSET, "the recording has ended since");
    mp_process_close(&process);
    return profile;
}

void
mp_delta_free(struct mp_delta *delta)
{
    mp_since_free(&delta->first);
}

/* ---------------------------------------------------------------- replies */

#define HTML "text/html; charset=utf-8"
#define TEXT "text/plain; charset=utf-8"

static FILE *
begin_reply(struct mp_reply *reply, const char *type)
{
    *reply = (struct mp_reply){.status = 200, .type = type};
    return mp_text_open(&reply->body);
}

void
mp_answer_line(unsigned status, const char *text, struct mp_reply *reply)
{
    FILE *out = begin_reply(reply, TEXT);

    reply->status = status;
    mp_text_printf(out, "mprof: %s\n", text);
    mp_text_close(&reply->body);
}

const struct mp_subject *
mp_answer_subject(struct mp_served *answers, const struct mp_http_question *question, struct mp_reply *reply)
{
    const struct mp_subject *subject;

    mp_subjects_refresh(&answers->subjects);
    subject = mp_subjects_find(&answers->subjects, question->id);
    if (!subject)
        mp_answer_line(404, *question->id || answers->subjects.n == 0
                                ? "there is no such recording; / lists those there are"
                                : "there are several recordings; / lists them: ?pid=ID, please", reply);
    return subject;
}

/* ---------------------------------------------------------------- the list */

/* Writes ID encoded for use in a path. */
static void
put_encoded(FILE *out, const char *id)
{
    for (; *id; id++)
        if (isalnum((unsigned char)*id) || strchr("-_.~", *id))
            putc(*id, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*id);
}

static void
put_link(FILE *out, const char *id, const char *rest, const char *text)
{
    fputs("<td><a href=\"/", out);
    put_encoded(out, id);
    fprintf(out, "/%s\">%s</a>", rest, text);
}

static void
put_subject(FILE *out, const struct mp_subject *subject)
{
    fputs("<tr><td>", out);
    mp_xml_put(out, subject->id);
    fputs("<td>", out);
    mp_xml_put(out, subject->path);
    put_link(out, subject->id, "", "report");
    put_link(out, subject->id, "debug/pprof/heap", "heap");
    put_link(out, subject->id, "debug/pprof/allocs", "allocs");
    putc('\n', out);
}

static void
answer_list(struct mp_served *answers, struct mp_reply *reply)
{
    const struct mp_subjects *subjects = &answers->subjects;
    FILE *out = begin_reply(reply, HTML);

    mp_subjects_refresh(&answers->subjects);
    fputs("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>mprof serve</title>\n"
          "<h1>Recordings</h1>\n", out);
    if (subjects->n == 0)
        fputs("<p>Nothing is recorded now.\n", out);
    else
        fputs("<table>\n<tr><th>id<th>program or data file<th>page<th colspan=2>pprof\n", out);
    for (size_t i = 0; i < subjects->n; i++)
        put_subject(out, &subjects->list[i]);
    if (subjects->n > 0)
        fputs("</table>\n", out);
    fputs("<p><a href=\"/metrics\">metrics</a> of all, for Prometheus\n</html>\n", out);
    mp_text_close(&reply->body);
}

/* ---------------------------------------------------------------- one subject */

static struct mp_profile *
read_subject(const struct mp_subject *subject, const char *file,
             const struct mp_delta *delta, struct mp_error *error)
{
    const struct mp_symbol_options how = {.cache = true};
    struct mp_profile *profile = delta ? end_delta(delta, subject, error) : mp_several_read(file, NULL, error);

    if (profile && !mp_symbolise(profile, &how, error)) {
        mp_profile_free(profile);
        profile = NULL;
    }
    return profile;
}

static bool
write_report(const struct mp_served *answers, const struct mp_profile *profile, const char *file,
             struct mp_reply *reply, struct mp_error *error)
{
    const struct mp_html_options options = {.view = answers->view, .file = file};
    FILE *out = begin_reply(reply, HTML);
    bool ok = mp_html_write(profile, &options, out, error);

    mp_text_close(&reply->body);
    return ok;
}

static bool
write_profile(const struct mp_served *answers, const struct mp_profile *profile,
              const struct mp_http_question *question, const struct mp_delta *delta, struct mp_reply *reply,
              struct mp_error *error)
{
    struct mp_view_options options = answers->view;
    struct mp_profile *view;
    struct mp_export export = {.profile = profile, .all_frames = options.all_frames,
                               .kept_first = question->page == MP_PAGE_HEAP};
    bool ok;

    if (delta)
        options.window.from = mp_since_moment(&delta->first, profile->arena);
    view = mp_filtered_view(profile, &options, NULL, NULL, error);
    if (!view)
        return false;
    if (delta && view->meta.duration > delta->first.end) {
        view->meta.start_realtime += delta->first.end;
        view->meta.duration -= delta->first.end;
    } else if (!delta) {
        view->meta.duration = 0;        /* as in Go's heap profiles, because Parca takes a profile with a duration for
                                           a delta */
    }
    export.view = view;
    *reply = (struct mp_reply){.status = 200, .type = "application/octet-stream"};
    ok = mp_export_bytes(mp_export_named("pprof"), &export, &reply->body.text, &reply->body.size,
                         error);
    mp_profile_free(view);
    return ok;
}

static void
answer_of_one(struct mp_served *answers, const struct mp_http_question *question, const struct mp_delta *delta,
              struct mp_reply *reply)
{
    const struct mp_subject *subject = mp_answer_subject(answers, question, reply);
    struct mp_error error = {0};
    struct mp_profile *profile;
    char *file;
    bool ok;

    if (!subject)
        return;
    file = mp_subject_file(subject, &error);
    profile = file ? read_subject(subject, file, delta, &error) : NULL;
    if (!profile)
        ok = false;
    else if (question->page == MP_PAGE_REPORT)
        ok = write_report(answers, profile, file, reply, &error);
    else
        ok = write_profile(answers, profile, question, delta, reply, &error);
    if (!ok) {
        free(reply->body.text);
        mp_answer_line(503, error.text, reply);
    }
    mp_profile_free(profile);
    free(file);
}

void
mp_answer(struct mp_served *answers, const struct mp_http_question *question, const struct mp_delta *delta,
          struct mp_reply *reply)
{
    FILE *out;

    *reply = (struct mp_reply){0};
    switch (question->page) {
    case MP_PAGE_LIST:
        answer_list(answers, reply);
        return;
    case MP_PAGE_METRICS:
        out = begin_reply(reply, "text/plain; version=0.0.4; charset=utf-8");
        mp_subjects_refresh(&answers->subjects);
        write_metrics(&answers->metrics, &answers->subjects, out);
        mp_text_close(&reply->body);
        return;
    default:
        answer_of_one(answers, question, delta, reply);
    }
}
