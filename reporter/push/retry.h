/*
 * retry.h -- what an answer of a receiver means for a profile that was sent, and when the next try is.
 */
#ifndef MP_PUSH_RETRY_H
#define MP_PUSH_RETRY_H

#include <stdbool.h>
#include <stdint.h>

enum mp_push_verdict {
    MP_PUSH_TAKEN,
    MP_PUSH_LATER,              /* the same may be taken another time */
    MP_PUSH_NEVER,              /* this profile never will be; others may */
    MP_PUSH_WRONG_PLACE         /* none will be, there or by this command: wrong address, or not allowed */
};

/* STATUS of HTTP, 200 or more; 0: there was no answer.  TOLD: the answer says when to come again. */
enum mp_push_verdict mp_push_verdict(unsigned status, bool told);

/* How long is waited after FAILURES, 1 or more, in a row, ns: half a second, doubled each time, a minute at most; a
 * half of that is as RANDOM wants it, so that many who failed together do not come again together.  Not less than
 * TOLD seconds, up to an hour, which the receiver asked for. */
uint64_t mp_push_wait(unsigned failures, uint64_t random, uint64_t told);

#endif
