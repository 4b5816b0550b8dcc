/* SPDX-License-Identifier: MIT */
/*
 * worker.h -- a second thread, which does long work, one piece after the other.
 *
 * Whoever adds a piece owns it and must not change it until it is done or the worker has ended.
 */
#ifndef MP_WORKER_H
#define MP_WORKER_H

#include <stdbool.h>

struct mp_work {
    void (*run)(struct mp_work *work);  /* does the work in the worker's thread */
    struct mp_work *next;               /* next piece in the worker's queue */
};

struct mp_worker;

/* Starts the thread. Returns NULL if it cannot be created; then mp_worker_add() does the work itself. */
struct mp_worker *mp_worker_start(void);
void mp_worker_add(struct mp_worker *worker, struct mp_work *work);

/* Ends the thread after the current piece of work. Pieces not yet begun are never done. */
void mp_worker_end(struct mp_worker *worker);

#endif
