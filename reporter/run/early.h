/* SPDX-License-Identifier: MIT */
/*
 * early.h -- seals the data files of processes that ended while the program still runs.
 *
 * A thread waits for the end of each process that was passed to mp_early_add(). So a run of many short processes leaves
 * little to do after the end of the program. A file is only sealed here if nothing can change it any more. Other files,
 * for example that of a process whose forked children still run, are sealed after the end of the program. A live file
 * is replaced by its sealed form in one step, so no recording is lost if mprof run is killed.
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
    struct mp_listener *listener; /* listener of the run */
    int events;                 /* epoll descriptor for the ends of processes and for `last` */
    int last;                   /* eventfd that makes the thread end */
    pthread_t thread;
    bool begun, seals;          /* the thread was to begin; the thread exists */
    uint32_t waiting;           /* number of processes whose files are not sealed yet; atomic */
    struct mp_arena *arena;     /* has the list and its texts */
    struct mp_early *list;      /* the n sealed files; sorted after mp_early_end() */
    uint32_t n, room;
};

/* Makes the thread seal the file FD of LISTENER's run, which is to be found at PATH, when process PID has ended. If
 * that is impossible, mp_harvest() seals the file. The first call begins the thread. EARLY must be zeroed before. */
void mp_early_add(struct mp_early_list *early, struct mp_listener *listener, pid_t pid, int fd, const char *path);

/* Waits until the thread has sealed the files of processes that have ended, and ends the thread. */
void mp_early_end(struct mp_early_list *early);

#endif
