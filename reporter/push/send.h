/*
 * send.h -- sends the profiles in a queue to the receiver, the oldest first. Repeats profiles that the receiver
 * did not take.
 *
 * A profile that makes the receiver fail repeatedly does not block the others. Messages on stderr report each kind of
 * problem once, and its end.
 */
#ifndef MP_PUSH_SEND_H
#define MP_PUSH_SEND_H

#include "http.h"
#include "queue.h"

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
