/*
 * retry.h -- what a receiver's answer means for the profile that was sent, and when to try again.
 */
#ifndef MP_PUSH_RETRY_H
#define MP_PUSH_RETRY_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
