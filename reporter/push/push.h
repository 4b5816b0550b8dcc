/*
 * push.h -- mprof push: sends data files once, or a process repeatedly, to a receiver by HTTP.
 *
 * reporter/push/ owns the queue of profiles to send, the forms of receivers, and what was sent of a recording. The
 * profiles are written by reporter/export/. Only the command push calls it, through this header.
 */
#ifndef MP_PUSH_H
#define MP_PUSH_H

#include "form.h"
#include "http.h"
#include "reporter/profile/view.h"

/* The form and name of the profiles, and what they show. */
struct mp_push_what {
    const char *url;
    const struct mp_push_form *form;
    const char *name;           /* name of the application; NULL for the program's name */
    const struct mp_label *labels; unsigned n_labels;
    struct mp_view_options view;
    const char *executable;     /* as in mp_load() */
};

struct mp_push_options {
    struct mp_push_what what;
    struct mp_http_options http;
    bool since;                 /* send what was allocated since the previous time, else since recording began */
    unsigned every;             /* seconds between profiles; 0 to send once */
    unsigned patience;          /* maximum seconds for sending the rest at the end */
    uint64_t most;              /* maximum size of the queue, bytes */
    const char *spool;          /* folder of the queues; NULL for the default of mp_queue_open() */
    uint32_t pid;               /* process to send; 0 for files */
    const char *const *files; unsigned n_files; /* files to send; if empty, only the queue is sent */
};

/* Sends what OPTIONS describe. Prints messages to stderr, and at the end the result to stdout. Returns false if not
 * everything was sent. *ERROR then has the reason, or no code if the reason was printed. */
bool mp_push(const struct mp_push_options *options, struct mp_error *error);

#endif
