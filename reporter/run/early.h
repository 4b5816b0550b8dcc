/* SPDX-License-Identifier: MIT */
/*
 * early.h -- seals the data files of processes that ended while the program still runs.
 *
 * A thread waits for the end of each process that it is told of. So a run of many short processes leaves little to do
 * after the end of the program. A file is only sealed here if nothing can change it any more. Others, for example those
 * of a process whose forked children still run, are left for the end. A live file is replaced by its sealed form in one
 * step, so a kill of mprof run loses neither.
 */
#ifndef MP_EARLY_H
#define MP_EARLY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct mp_early;
struct mp_listener;

struct mp_early_list {
    struct mp_listener *listener; /* that of the run */
    int events;                 /* waits for processes and for `last` */
    int last;                   /* tells the thread to end */
    pthread_t thread;
    bool begun, seals;          /* a thread was wanted; there is one */
    uint32_t waiting;           /* number of processes whose files are not sealed yet; atomic */
    struct mp_arena *arena;     /* has the list and its texts */
    struct mp_early *list;      /* the n sealed files; sorted after mp_early_end() */
    uint32_t n, room;
};

/* Lets the file FD of LISTENER's run, which is to be found at PATH, be sealed when process PID has ended. If that is
 * impossible, leaves it for the end. Begins the thread if it is the first. EARLY must be zeroed before. */
void mp_early_add(struct mp_early_list *early, struct mp_listener *listener, pid_t pid, int fd, const char *path);

/* Seals what has ended until now, and ends the thread. */
void mp_early_end(struct mp_early_list *early);

#endif
