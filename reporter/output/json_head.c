#include "json_head.h"

#include <errno.h>
#include <string.h>

#include "config.h"
#include "reporter/base/text.h"
#include "reporter/profile/sort.h"

/* ---------------------------------------------------------------- small ones */

/* Writes TEXT, which does not come from a reader and may therefore contain invalid characters. */
static void
put_foreign(struct mp_buffer *out, const char *text)
{
    struct mp_arena *arena = mp_arena_new();

    mp_json_text(out, mp_text_clean(arena, text, strlen(text)));
    mp_arena_free(arena);
}

/* ---------------------------------------------------------------- the part that is shown */

static void
put_filters(struct mp_buffer *out, const struct mp_filters *filters)
{
    mp_json_key(out, "filters");
    mp_json_open(out, '[');
    for (unsigned i = 0; filters && i < filters->n; i++) {
        mp_json_open(out, '{');
        mp_json_key_text(out, "by", mp_filter_names[filters->list[i].by]);
        mp_json_key(out, "text");
        put_foreign(out, filters->list[i].text);
        mp_json_close(out, '}');
    }
    mp_json_close(out, ']');
}

static void
put_window(struct mp_buffer *out, const struct mp_window *window, bool sampled)
{
    const bool peak = window && window->alive && window->from == window->to;

    mp_json_key(out, "window");
    if (!window) {
        mp_json_null(out);
        return;
    }
    mp_json_open(out, '{');
    mp_json_key_text(out, "of", window->alive ? "moment" : "growth");
    if (!window->alive) {
        mp_json_key(out, "from");
        put_foreign(out, window->from);
    }
    mp_json_key(out, window->alive ? "at" : "to");
    put_foreign(out, window->to);
    mp_json_key_bool(out, "exact", window->exact);
    mp_json_key_bool(out, "net", window->net);
    mp_json_key_bool(out, "estimated", sampled && !peak);
    mp_json_close(out, '}');
}

static void
put_skipped(struct mp_buffer *out, const struct mp_profile *view)
{
    mp_json_key_texts(out, "skipped", view->skipped, view->n_skipped);
}

static void
put_shown_totals(struct mp_buffer *out, const struct mp_profile *view)
{
    struct mp_totals totals;
    unsigned known = !view->window        ? MP_JSON_COUNTS
                     : view->window->alive ? MP_JSON_COUNTS_ALIVE
                     : view->window->temporary ? MP_JSON_COUNTS
                                           : MP_JSON_COUNTS_BETWEEN;

    mp_profile_totals(view, &totals);
    mp_json_key(out, "totals");
    mp_json_counts(out, &totals.all, known, view->meta.unknown);
}

static void
put_shown(struct mp_buffer *out, const struct mp_json_subject *subject)
{
    const struct mp_said_part *part = &subject->part;
    static const char *const frames[] = {
        [MP_FRAMES_LISP] = "lisp", [MP_FRAMES_C] = "c", [MP_FRAMES_ALL] = "all"};

    mp_json_line(out);
    mp_json_key(out, "shown");
    mp_json_open(out, '{');
    mp_json_key_text(out, "objects", part->lisp ? "lisp" : "all");
    mp_json_key_text(out, "frames", frames[subject->frames]);
    mp_json_key(out, "focus");
    if (part->focus)
        put_foreign(out, part->focus);
    else
        mp_json_null(out);
    put_filters(out, part->filters);
    mp_json_key(out, "undecided");
    mp_json_open(out, '{');
    mp_json_key_number(out, "allocs", part->undecided.allocs);
    mp_json_key_number(out, "bytes", part->undecided.bytes);
    mp_json_close(out, '}');
    put_window(out, part->view->window, mp_is_estimated(&part->profile->meta));
    put_skipped(out, part->view);
    mp_json_key_text(out, "sort", mp_sorts[subject->sort].key);
    put_shown_totals(out, part->view);
    mp_json_close(out, '}');
}

/* ---------------------------------------------------------------- for people */

static void
put_head_row(struct mp_buffer *out, const struct mp_head_row *row)
{
    const bool blocks = row->has == MP_HEAD_BLOCKS || row->has == MP_HEAD_BOTH;
    const bool bytes = row->has == MP_HEAD_BYTES || row->has == MP_HEAD_BOTH;

    mp_json_open(out, '{');
    mp_json_key_text(out, "key", row->key);
    mp_json_key_text(out, "label", row->label);
    if (blocks)
        mp_json_key_number(out, "count", row->blocks);
    if (bytes)
        mp_json_key_number(out, "bytes", row->bytes);
    if (row->has == MP_HEAD_NAMES) {
        mp_json_key_texts(out, "names", row->names, row->n_names);
    }
    if (row->text[0])
        mp_json_key_text(out, "text", row->text);
    mp_json_close(out, '}');
}

void
mp_json_head(struct mp_json_out *to, const struct mp_head *head)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_line(out);
    mp_json_key(out, "head");
    mp_json_open(out, '[');
    for (uint32_t i = 0; i < head->n_rows; i++) {
        mp_json_line(out);
        put_head_row(out, &head->rows[i]);
    }
    mp_json_close(out, ']');
}

/* ---------------------------------------------------------------- the document */

void
mp_json_begin_files(struct mp_json_out *to, const char *command, const char *const *files, size_t n)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_open(out, '{');
    mp_json_schema(out, "mprof-report", MP_JSON_VERSION);
    mp_json_key_text(out, "mprof", PACKAGE_VERSION);
    mp_json_key_text(out, "command", command);
    mp_json_key(out, "files");
    mp_json_open(out, '[');
    for (size_t i = 0; i < n; i++)
        put_foreign(out, files[i]);
    mp_json_close(out, ']');
}

static void
put_profile(struct mp_json_out *out, const struct mp_profile *profile)
{
    const struct mp_meta *meta = &profile->meta;
    struct mp_totals totals;
    uint64_t stack = 0;

    mp_profile_totals(profile, &totals);
    for (uint32_t i = 0; i < profile->n_stacks; i++)
        if (profile->stacks[i].deepest > stack)
            stack = profile->stacks[i].deepest;
    mp_json_recording(out, &(struct mp_json_recording){
        .meta = meta, .totals = &totals, .profile = profile, .contexts = profile->n_contexts - 1,
        .heap = meta->heap_now > meta->heap_before ? meta->heap_now - meta->heap_before : 0,
        .stack = stack,
        .lisp = mp_counts_any(&totals.lisp) || profile->n_kinds > 0, .alike = true});
}

void
mp_json_begin(struct mp_json_out *to, const struct mp_json_subject *subject)
{
    mp_json_begin_files(to, subject->command, &subject->path, 1);
    put_profile(to, subject->part.profile);
    put_shown(&to->buffer, subject);
}

bool
mp_json_finish(struct mp_json_out *to, struct mp_error *error)
{
    struct mp_buffer *out = &to->buffer;

    mp_json_close(out, '}');
    if (to->file ? !mp_json_end(out, to->file) : out->failed)
        return mp_fail(error, MP_ERR_MEMORY, MP_NO_OFFSET, "writing the report");
    return !to->file || !ferror(to->file) ||
           mp_fail(error, MP_ERR_SYSTEM, MP_NO_OFFSET, "writing the report: %s", strerror(errno));
}
