#include "answer.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reporter/base/text.h"
#include "reporter/base/xml.h"
#include "reporter/export/export.h"
#include "reporter/html/html.h"
#include "reporter/profile/filter.h"
#include "reporter/read/reader.h"
#include "reporter/symbols/symbols.h"

#define HTML "text/html; charset=utf-8"
#define TEXT "text/plain; charset=utf-8"

/* ---------------------------------------------------------------- replies */

static FILE *
begin_reply(struct mp_reply *reply, const char *type)
{
    *reply = (struct mp_reply){.status = 200, .type = type};
    return mp_need(open_memstream(&reply->bytes, &reply->size));
}

static void
end_reply(FILE *out)
{
    if (fclose(out) != 0)
        mp_no_memory();
}

void
mp_answer_line(unsigned status, const char *text, struct mp_reply *reply)
{
    FILE *out = begin_reply(reply, TEXT);

    reply->status = status;
    fprintf(out, "mprof: %s\n", text);
    end_reply(out);
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
put_subject(FILE *out, const struct mp_subject *subject, struct mp_arena *arena)
{
    fputs("<tr><td>", out);
    mp_xml_put(out, mp_text_clean(arena, subject->id, strlen(subject->id)));
    fputs("<td>", out);
    mp_xml_put(out, mp_text_clean(arena, subject->path, strlen(subject->path)));
    put_link(out, subject->id, "", "report");
    put_link(out, subject->id, "debug/pprof/heap", "heap");
    put_link(out, subject->id, "debug/pprof/allocs", "allocs");
    putc('\n', out);
}

static void
answer_list(struct mp_served *answers, struct mp_reply *reply)
{
    const struct mp_subjects *subjects = &answers->subjects;
    struct mp_arena *arena = mp_arena_new();
    FILE *out = begin_reply(reply, HTML);

    mp_subjects_refresh(&answers->subjects);
    fputs("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>mprof serve</title>\n"
          "<h1>Recordings</h1>\n", out);
    if (subjects->n == 0)
        fputs("<p>Nothing is recorded now.\n", out);
    else
        fputs("<table>\n<tr><th>id<th>program or data file<th>page<th colspan=2>pprof\n", out);
    for (size_t i = 0; i < subjects->n; i++)
        put_subject(out, &subjects->list[i], arena);
    if (subjects->n > 0)
        fputs("</table>\n", out);
    fputs("<p><a href=\"/metrics\">metrics</a> of all, for Prometheus\n</html>\n", out);
    end_reply(out);
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- one subject */

static struct mp_profile *
read_subject(const struct mp_served *answers, const struct mp_subject *subject, const char *file,
             const struct mp_delta *delta, struct mp_error *error)
{
    const struct mp_symbol_options how = {
        .inlines = true, .types = true, .cache = true, .executable = answers->executable};
    struct mp_profile *profile = delta ? mp_delta_end(delta, subject, error) : mp_read(file, error);

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

    end_reply(out);
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
        options.window.from = delta->from;
    view = mp_filtered_view(profile, &options, NULL, NULL, error);
    if (!view)
        return false;
    if (delta && view->meta.duration > delta->end) {
        view->meta.start_realtime += delta->end;
        view->meta.duration -= delta->end;
    } else if (!delta) {
        view->meta.duration = 0;        /* as in Go's heap profiles, because Parca takes a profile with a duration for
                                           a delta */
    }
    export.view = view;
    *reply = (struct mp_reply){.status = 200, .type = "application/octet-stream"};
    ok = mp_export_bytes(mp_export_named("pprof"), &export, &reply->bytes, &reply->size, error);
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
    profile = file ? read_subject(answers, subject, file, delta, &error) : NULL;
    if (!profile)
        ok = false;
    else if (question->page == MP_PAGE_REPORT)
        ok = write_report(answers, profile, file, reply, &error);
    else
        ok = write_profile(answers, profile, question, delta, reply, &error);
    if (!ok) {
        free(reply->bytes);
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
        mp_metrics_write(&answers->metrics, &answers->subjects, out);
        end_reply(out);
        return;
    default:
        answer_of_one(answers, question, delta, reply);
    }
}
