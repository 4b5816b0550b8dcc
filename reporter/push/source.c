#include "source.h"

#include <stdlib.h>

#include "reporter/base/text.h"
#include "reporter/export/export.h"
#include "reporter/load/load.h"
#include "reporter/profile/filter.h"

/* Stores the end and the length of the profile's interval in META. Does nothing for a whole recording if the receiver
 * does not read them there. */
static void
stamp(const struct mp_push_form *form, struct mp_meta *meta, bool part, uint64_t from, uint64_t until)
{
    const uint64_t start = meta->start_realtime;

    if (!part && !form->stamped)
        return;
    meta->start_realtime = start + until;
    meta->duration = !part && form->instant ? 0 : until - from;
}

static bool
write_wrapped(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_meta *meta,
              const struct mp_push_profile *profile, char name[MP_QUEUE_NAME], struct mp_error *error)
{
    char *called = mp_push_name_of(mp_text_basename(meta->program));
    const struct mp_push_about about = {what->name ? what->name : called, what->labels, what->n_labels};
    struct mp_buffer url = {0}, body = {0};
    bool ok;

    mp_push_wrap(what->form, what->url, &about, profile, &url, &body);
    ok = mp_queue_write(queue, (const char *)url.bytes, what->form->type, body.bytes, body.size, name, error);
    mp_buffer_free(&url);
    mp_buffer_free(&body);
    free(called);
    return ok;
}

bool
mp_push_write(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_profile *whole,
              const struct mp_profile *part, uint64_t from, uint64_t until, char name[MP_QUEUE_NAME],
              struct mp_error *error)
{
    struct mp_profile *view = mp_filtered_view(part ? part : whole, &what->view, NULL, NULL, error);
    struct mp_export export = {.profile = whole, .view = view, .all_frames = what->view.all_frames};
    struct mp_push_profile profile = {.from = whole->meta.start_realtime + from,
                                      .until = whole->meta.start_realtime + until};
    char *bytes;
    bool ok;

    if (!view)
        return false;
    stamp(what->form, &view->meta, part != NULL, from, until);
    ok = mp_export_bytes(mp_export_named("pprof"), &export, &bytes, &profile.size, error);
    if (ok) {
        profile.bytes = bytes;
        ok = write_wrapped(what, queue, &whole->meta, &profile, name, error);
        free(bytes);
    }
    mp_profile_free(view);
    return ok;
}

bool
mp_push_write_file(const struct mp_push_what *what, struct mp_queue *queue, const char *path,
                   char name[MP_QUEUE_NAME], struct mp_error *error)
{
    struct mp_profile *whole = mp_load(path, what->executable, error);
    bool ok = whole && mp_push_write(what, queue, whole, NULL, 0, whole->meta.duration, name, error);

    mp_profile_free(whole);
    return ok;
}
