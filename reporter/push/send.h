/*
 * send.h -- what waits in a queue goes to its receiver: the oldest first, one after the other, and again if it was not
 * taken.  One with which the receiver fails again and again does not keep others from being sent.  What happens is said
 * on stderr: once for each sort of trouble, and when it is over.
 */
#ifndef MP_PUSH_SEND_H
#define MP_PUSH_SEND_H

#include "http.h"
#include "queue.h"

struct mp_sender {
    struct mp_queue *queue;
    struct mp_http *http;
    const char *receiver;       /* for people */
    uint64_t sent, refused;     /* profiles */
    unsigned failures;          /* in a row */
    uint64_t next;              /* when is the next try, ns of the monotonic clock; only after failures */
    unsigned status;            /* of the last failure */
    char passed[MP_QUEUE_NAME]; /* of the last profile before which others go; "": there is none */
};

enum mp_sending {
    MP_SENDING_ONE,             /* one was taken, or refused for good */
    MP_SENDING_NONE,            /* none waits */
    MP_SENDING_LATER,           /* one was not taken: not before `next` */
    MP_SENDING_STOP             /* none will be taken */
};

/* Send the next one.  STOP: *ERROR says why. */
enum mp_sending mp_send_one(struct mp_sender *sender, struct mp_error *error);

#endif
