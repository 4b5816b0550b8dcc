/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "reporter/base/arena.h"

struct mp_worker {
    pthread_t thread;
    pthread_mutex_t lock;       /* guards all following fields */
    pthread_cond_t news;
    struct mp_work *first, **last;
    bool ends;
};

/* Waits for the next piece of work. Returns NULL when the worker ends. */
static struct mp_work *
next_work(struct mp_worker *worker)
{
    struct mp_work *work = NULL;

    pthread_mutex_lock(&worker->lock);
    while (!worker->first && !worker->ends)
        pthread_cond_wait(&worker->news, &worker->lock);
    if (!worker->ends) {
        work = worker->first;
        worker->first = work->next;
        if (!worker->first)
            worker->last = &worker->first;
    }
    pthread_mutex_unlock(&worker->lock);
    return work;
}

static void *
do_all(void *data)
{
    struct mp_work *work;

    while ((work = next_work(data)) != NULL)
        work->run(work);
    return NULL;
}

/* Blocks all signals in the new thread, so that the listening thread receives them. */
struct mp_worker *
mp_worker_start(void)
{
    struct mp_worker *worker = mp_need(calloc(1, sizeof *worker));
    sigset_t all, before;
    int problem;

    pthread_mutex_init(&worker->lock, NULL);
    pthread_cond_init(&worker->news, NULL);
    worker->last = &worker->first;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    problem = pthread_create(&worker->thread, NULL, do_all, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (problem == 0)
        return worker;
    free(worker);
    return NULL;
}

void
mp_worker_add(struct mp_worker *worker, struct mp_work *work)
{
    work->next = NULL;
    if (!worker) {
        work->run(work);
        return;
    }
    pthread_mutex_lock(&worker->lock);
    *worker->last = work;
    worker->last = &work->next;
    pthread_cond_signal(&worker->news);
    pthread_mutex_unlock(&worker->lock);
}

void
mp_worker_end(struct mp_worker *worker)
{
    if (!worker)
        return;
    pthread_mutex_lock(&worker->lock);
    worker->ends = true;
    pthread_cond_signal(&worker->news);
    pthread_mutex_unlock(&worker->lock);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->news);
    pthread_mutex_destroy(&worker->lock);
    free(worker);
}
