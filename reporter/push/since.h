/*
 * since.h -- what a process allocated from one look at it to the next, and what lived then.
 *
 * Each look reads the counters of all cells, as an observer does, and is the end of one part of the recording and
 * the beginning of the next: so all parts together are the whole, with nothing twice and nothing left out.
 */
#ifndef MP_PUSH_SINCE_H
#define MP_PUSH_SINCE_H

#include "reporter/profile/profile.h"
#include "reporter/profile/timeline.h"

/* All that was counted until a look; all 0: that recording began. */
struct mp_since {
    uint64_t begin, end;        /* of the look, ns since recording began */
    struct mp_change *counted;  uint32_t n, room;       /* by (context, kind), of the live file, each once */
};

void mp_since_free(struct mp_since *since);

/* Look into the live file FD.  False and *ERROR: that is not possible any more; nothing is to be freed. */
bool mp_since_look(struct mp_since *since, int fd, struct mp_error *error);

/* The recording in the live file PATH, of which FROM and TO (NULL: its end) are looks: bytes and allocations are those
 * between them, what is kept is what lived at TO.  Its names are found; EXECUTABLE as in mp_load().  *WHOLE is what it
 * is a part of; both are freed by the caller, the part first.  NULL and *ERROR, and nothing is to be freed. */
struct mp_profile *mp_since_profile(const struct mp_since *from, const struct mp_since *to, const char *path,
                                    const char *executable, struct mp_profile **whole, struct mp_error *error);

#endif
