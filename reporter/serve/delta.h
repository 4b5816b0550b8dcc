/*
 * delta.h -- what a process allocates within some seconds, by two looks at its recording.
 *
 * The first reads the counters of all cells, as an observer does, and the second all of the file: what lies
 * between them is a window of its time (profile/window.h).  The process is not asked and does not notice.
 */
#ifndef MP_DELTA_H
#define MP_DELTA_H

#include "reporter/profile/profile.h"
#include "reporter/read/observed.h"
#include "subjects.h"

struct mp_delta {
    struct mp_observed observed;        /* the first look, as a moment */
    uint64_t begin, end;                /* from when till when it looked, ns since recording began */
    char from[32];                      /* that, as a moment is called */
};

/* Look at SUBJECT.  False and *ERROR: it is no process that records; nothing is to be freed. */
bool mp_delta_begin(struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error);

/* Read the data of SUBJECT, the same process, with the time line that the first look belongs to: a window from
 * `from` on is the delta.  NULL and *ERROR: there is no such recording any more. */
struct mp_profile *mp_delta_end(const struct mp_delta *delta, const struct mp_subject *subject,
                                struct mp_error *error);
void mp_delta_free(struct mp_delta *delta);

#endif
