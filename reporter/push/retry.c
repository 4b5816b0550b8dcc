#include "retry.h"

#define FIRST UINT64_C(500000000)       /* first and maximum delay, ns */
#define MOST  UINT64_C(60000000000)
#define TOLD_MOST UINT64_C(3600)        /* maximum delay at the receiver's wish, seconds */

enum mp_push_verdict
mp_push_verdict(unsigned status, bool told)
{
    if (status >= 200 && status < 300)
        return MP_PUSH_TAKEN;
    switch (status) {
    case 0:                     /* not reached, no answer in time, or an incomplete answer */
    case 408:
    case 425:
    case 429:
        return MP_PUSH_LATER;
    case 413:                   /* too large; if only temporarily, the answer has a time for the next attempt */
        return told ? MP_PUSH_LATER : MP_PUSH_NEVER;
    case 400:
    case 406:
    case 409:
    case 410:
    case 415:
    case 422:
        return MP_PUSH_NEVER;
    case 501:
    case 505:
        return MP_PUSH_WRONG_PLACE;
    default:
        return status >= 500 && status < 600 ? MP_PUSH_LATER : MP_PUSH_WRONG_PLACE;
    }
}

uint64_t
mp_push_wait(unsigned failures, uint64_t random, uint64_t told)
{
    const uint64_t whole = failures < 8 ? FIRST << (failures - 1) : MOST;
    const uint64_t most = whole < MOST ? whole : MOST;
    const uint64_t wait = most / 2 + random % (most / 2 + 1);
    const uint64_t least = (told < TOLD_MOST ? told : TOLD_MOST) * 1000000000;

    return wait > least ? wait : least;
}
