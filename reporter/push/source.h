/*
 * source.h -- what is sent of a recording: a profile in pprof's format, in the receiver's form, in the queue.
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
    const char *name;           /* of the application; NULL: that of the program */
    const struct mp_push_label *labels; unsigned n_labels;
    struct mp_view_options view;
    const char *executable;     /* as in mp_load() */
};

/* WHOLE, or PART of it, from FROM until UNTIL, ns since recording began, goes to QUEUE as *NAME, hidden.  PART is
 * NULL: all of it.  False and *ERROR. */
bool mp_push_write(const struct mp_push_what *what, struct mp_queue *queue, const struct mp_profile *whole,
                   const struct mp_profile *part, uint64_t from, uint64_t until, char name[MP_QUEUE_NAME],
                   struct mp_error *error);

/* The same of all that is in the data file PATH. */
bool mp_push_write_file(const struct mp_push_what *what, struct mp_queue *queue, const char *path,
                        char name[MP_QUEUE_NAME], struct mp_error *error);

#endif
