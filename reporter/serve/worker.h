/*
 * worker.h -- a second thread, which does what takes long, one piece of work after the other.
 *
 * Whoever adds a piece owns it, and leaves it alone until it is done or the worker has ended.
 */
#ifndef MP_WORKER_H
#define MP_WORKER_H

#include <stdbool.h>

struct mp_work {
    void (*run)(struct mp_work *work);  /* in that thread */
    struct mp_work *next;               /* the worker's own */
};

struct mp_worker;

/* NULL: there is no room for a thread; then mp_worker_add() does the work itself. */
struct mp_worker *mp_worker_start(void);
void mp_worker_add(struct mp_worker *worker, struct mp_work *work);

/* What is under way is done, and what has not begun will never be. */
void mp_worker_end(struct mp_worker *worker);

#endif
