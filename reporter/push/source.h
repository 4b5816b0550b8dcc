/*
 * source.h -- converts a recording to a profile in pprof's format and the receiver's form, and adds it to the queue.
 */
#ifndef MP_PUSH_SOURCE_H
#define MP_PUSH_SOURCE_H

#include "form.h"
#include "queue.h"
#include "reporter/profile/profile.h"
#include "reporter/profile/view.h"

struct mp_push_what {
    const char *url;
    const struct mp_push_form *form;
    const char *name;           /* name of the application; NULL for the program's name */
    const struct mp_label *labels; unsigned n_labels;
    struct mp_view_options view;
    const char *executable;     /* as in mp_load() */
};

/* Writes PART of WHOLE as a hidden profile to QUEUE and stores its name in NAME. It covers the time from FROM until
 * UNTIL, ns since recording began. PART is NULL to write all of WHOLE. On failure returns false and fills *ERROR. */
bool mp_push_write(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_profile *whole,
                   const struct mp_profile *part, uint64_t from, uint64_t until, char name[MP_QUEUE_NAME],
                   struct mp_error *error);

/* Does the same with the whole data file PATH. */
bool mp_push_write_file(const struct mp_push_what *what, struct mp_queue *queue, const char *path,
                        char name[MP_QUEUE_NAME], struct mp_error *error);

#endif
