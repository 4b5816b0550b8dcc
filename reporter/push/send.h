/*
 * send.h -- sends the profiles in a queue to the receiver, the oldest first. Repeats profiles that the receiver
 * did not take.
 *
 * A profile that makes the receiver fail repeatedly does not block the others. Messages on stderr report each kind of
 * problem once, and its end.
 */
#ifndef MP_PUSH_SEND_H
#define MP_PUSH_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "http.h"
#include "queue.h"

/* ---------------------------------------------------------------- answers */

enum mp_push_verdict {
    MP_PUSH_TAKEN,
    MP_PUSH_LATER,              /* not taken now, but may be taken later */
    MP_PUSH_NEVER,              /* will never be taken; other profiles may be */
    MP_PUSH_WRONG_PLACE         /* no profile will be taken, because the address is wrong or access is denied */
};

/* Interprets the HTTP status STATUS, which is at least 200, or 0 if there was no answer. TOLD is set if the answer
 * has a time for the next attempt. */
enum mp_push_verdict mp_push_verdict(unsigned status, bool told);

/* Returns the delay after FAILURES failures in a row, at least 1, in ns. It is half a second, doubled with each
 * failure, and at most a minute. Half of it depends on RANDOM, so that clients that failed together do not return
 * together. It is at least TOLD seconds, the receiver's wish, of which at most an hour counts. */
uint64_t mp_push_wait(unsigned failures, uint64_t random, uint64_t told);

struct mp_sender {
    struct mp_queue *queue;
    struct mp_http *http;
    const char *receiver;       /* printable name of the receiver */
    uint64_t sent, refused;     /* numbers of profiles taken and refused */
    unsigned failures;          /* number of failures in a row */
    uint64_t next;              /* time of the next attempt, ns, CLOCK_MONOTONIC; valid after failures only */
    unsigned status;            /* HTTP status of the last failure */
    char passed[MP_QUEUE_NAME]; /* name of the last profile that others may overtake, or "" */
};

enum mp_sending {
    MP_SENDING_ONE,             /* one was taken, or refused for good */
    MP_SENDING_NONE,            /* the queue is empty */
    MP_SENDING_LATER,           /* one was not taken; the next attempt is at `next` */
    MP_SENDING_STOP             /* the receiver will not take any */
};

/* Sends the next profile of the queue. Fills *ERROR if it returns MP_SENDING_STOP. */
enum mp_sending mp_send_one(struct mp_sender *sender, struct mp_error *error);

#endif
