/*
 * push.h -- mprof push: data files once, or a process that runs again and again, to a receiver by HTTP.
 */
#ifndef MP_PUSH_H
#define MP_PUSH_H

#include "http.h"
#include "source.h"

struct mp_push_options {
    struct mp_push_what what;
    struct mp_http_options http;
    bool since;                 /* each time what was allocated since the time before; else since recording began */
    unsigned every;             /* seconds; 0: once */
    unsigned patience;          /* seconds that it is tried to send what is left in the end */
    uint64_t most;              /* bytes that may wait to be sent */
    const char *spool;          /* where; NULL: see mp_queue_open() */
    uint32_t pid;               /* of the process, or */
    const char *const *files; unsigned n_files; /* these; none: only what waits already */
};

/* Say on stderr what goes on, and in the end on stdout what was sent.  False: not all was; if that was not said yet,
 * *ERROR says why, else it has no code. */
bool mp_push(const struct mp_push_options *options, struct mp_error *error);

#endif
