/* SPDX-License-Identifier: MIT */
/*
 * listener.h -- handles the messages that the processes of a run send to mprof run (runtime/runner_message.h).
 *
 * A thread receives the messages, so that no process has to wait. It finds out which started programs never began to
 * record, and why. It passes the files of processes to early.h, which seals a file when its process has ended. It keeps
 * the files of processes that could not create a file where mprof run finds it, because their user, root directory or
 * mounts differ from mprof's. All senders may be hostile. So the messages are checked, only regular files are read, and
 * only new files are written, with names that the template allows.
 */
#ifndef MP_LISTENER_H
#define MP_LISTENER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "children.h"
#include "early.h"
#include "reporter/process/observe.h"
#include "reporter/profile/processes.h"
#include "runtime/runner_message.h"
#include "spares.h"

#define MP_MOST_EARLY 1024u

struct mp_listener {
    int ours, theirs;           /* ends of the socket; -1 if closed */
    uint64_t inode;             /* inode number of `theirs` */
    const char *template;       /* absolute template of the data files */
    const uint64_t *run_id;     /* id that data files of the run have */
    pid_t program;              /* process that was started */
    const struct mp_observer *observer; /* has the maximum size of time lines */
    uint32_t mounts[MP_CODE_MOUNTS];    /* mounts whose files of code may be held open while the program runs */
    pthread_t thread;
    bool listens;               /* the thread exists */
    bool program_records;       /* the program itself has begun to record */
    bool seals;                 /* files are sealed early */
    struct mp_early_list sealed; /* files that were sealed early */
    struct mp_children children; /* archive to which their recordings were added */
    struct mp_spares spares;    /* live files that are not needed any more and can be used again */
    struct mp_handed *handed;   /* n_handed files */
    struct mp_started *started; /* n_started programs that did not begin to record yet */
    struct mp_checked_program *checked;         /* n_checked programs */
    uint32_t n_handed, n_started, n_checked;
    pid_t early[MP_MOST_EARLY]; /* the last n_early processes that began to record without being announced; those that
                                   posix_spawn started are announced later; 0 for others */
    uint32_t n_early;
    struct mp_unrecorded_list unrecorded;       /* texts are not printable */
};

/* Creates the socket for a run of the program PATH. If that is impossible, processes send no messages. If SEALS, files
 * of other processes are sealed early, with time lines limited by OBSERVER. */
void mp_listener_open(struct mp_listener *listener, const char *path, const char *template, const uint64_t run_id[2],
                      const struct mp_observer *observer, bool seals);

/* Moves `theirs` to a descriptor with a high number, and returns that number, or -1 if there is no socket. Called in
 * the process that becomes the program. */
int mp_listener_pass(const struct mp_listener *listener);

/* Closes the other end, and begins to listen to process PROGRAM and its descendants. */
void mp_listener_begin(struct mp_listener *listener, pid_t program);

/* Handles the messages that were sent until now, and ends the thread. Writes the files that were handed over. */
void mp_listener_end(struct mp_listener *listener);

#endif
