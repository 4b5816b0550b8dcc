/*
 * delta.h -- what a process allocates within some seconds.
 *
 * The first sample reads the counters of all cells, as an observer does. At the end the whole file is read. The
 * difference is a window of its time line (profile/window.h). The process receives no request.
 */
#ifndef MP_DELTA_H
#define MP_DELTA_H

#include "reporter/profile/profile.h"
#include "reporter/read/observed.h"
#include "subjects.h"

struct mp_delta {
    struct mp_observed observed;        /* first sample as a moment of a time line */
    uint64_t begin, end;                /* interval in which the first sample was taken, ns since recording began */
    char from[32];                      /* name of the point in time where the window begins, for example "1.5s" */
};

/* Takes the first sample of SUBJECT. Returns false and fills *ERROR if it is not a process that is being recorded;
 * then DELTA need not be freed. */
bool mp_delta_begin(struct mp_delta *delta, const struct mp_subject *subject, struct mp_error *error);

/* Reads the profile of SUBJECT, the same process, with the first sample in its time line. The window that begins at
 * `from` is the delta. Returns NULL and fills *ERROR if the recording has ended. */
struct mp_profile *mp_delta_end(const struct mp_delta *delta, const struct mp_subject *subject,
                                struct mp_error *error);
void mp_delta_free(struct mp_delta *delta);

#endif
