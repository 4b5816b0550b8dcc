/* SPDX-License-Identifier: MIT */
/*
 * launch.h -- starts a program with the monitor preloaded and waits for it.
 *
 * reporter/run/ owns mprof run: it starts programs, finds the data files that they leave, and seals the files at the
 * end. Nothing in it may disturb a profiled program. Commands call it.
 */
#ifndef MP_LAUNCH_H
#define MP_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "listener.h"
#include "reporter/base/error.h"
#include "reporter/process/observe.h"

struct mp_launched;

struct mp_launch {
    const char *path;           /* path of the program */
    char **argv;                /* arguments of the program, ending with NULL */
    const char *library;        /* path of libmprof.so */
    const char *template;       /* absolute template of the data file */
    const char *unwinder;       /* name of the unwinder; NULL means the configured one */
    bool leaks;                 /* write at the end which blocks live and what refers to them */
    unsigned depth;             /* maximum number of frames in a chain; 0 means whole chains */
    uint64_t sample;            /* mean distance of samples, bytes; 0 means every allocation */
    const char *only;           /* names of the programs to record, separated by commas; NULL means all */
    bool fold;                  /* fold recursion in chains */
    bool lifetimes;             /* record how long blocks live */
    bool sentinel;              /* look for blocks that are written beyond their end */
    bool record;                /* log what is allocated and freed in a collected heap */
    bool held;                  /* ask malloc at the end how much memory it has */
    bool stopped;               /* record nothing until mprof start */
    int signal;                 /* signal that makes a snapshot; 0 means none */
    int heap_signal;            /* signal that makes a heap snapshot; 0 leaves this to the environment */
    bool heap_strings;          /* store the beginnings of strings in heap snapshots; false leaves this to the
                                   environment */
    const char *labels;         /* labels of the run as one text, see base/label.h; NULL leaves them to the
                                   environment */
    bool no_arguments;          /* do not store the arguments of programs; false leaves this to the environment */
    const char *heap_every;     /* how often collections make heap snapshots, see heap_every.h; NULL leaves this to
                                   the environment */
    bool follow, no_call_graph;
    struct mp_listener *listener;       /* listens to the processes of the run; NULL if nobody does */
    bool early;                 /* seal files of other processes while the program runs */
    struct mp_observer *observer;       /* observes the program while it runs; NULL if nobody does */
    int (*work)(void *data, const struct mp_launched *launched);        /* see mp_launch_run(); may be NULL */
    void *data;                 /* argument of work() */
};

struct mp_launched {
    pid_t pid;
    int status;                 /* exit status, or the signal that killed the process */
    bool killed;
    uint64_t run_id[2];         /* random id of this run, also in the headers of its data files */
    uint64_t duration;          /* run time, ns */
    char last_name[16];         /* kernel's name of the process at its end, at most 15 bytes. A program may change it.
                                   "" means unknown */
};

/* Runs the program of LAUNCH until it ends and fills RESULT. Passes the options to the monitor in LD_PRELOAD and
 * MPROF_* variables. After the end of the program, work() is called in a child process, the worker, which has also
 * observed the program. Stores the result of work(), which must not be negative, in *STATUS. If work() did not return,
 * because it crashed or had no memory, prints why, stores -1 in *STATUS and also returns true.
 *
 * Meanwhile mprof passes signals on to the program, and after its end to the worker. While the program runs, mprof does
 * not pass on SIGINT and SIGQUIT, because the terminal sends them to the program, too. It never passes on signals that
 * concern mprof itself. Signals stay blocked afterwards, so that none can end mprof before it exits with the program's
 * status.
 *
 * If the program cannot be started, returns false, fills *ERROR and sets *STATUS to 126 or 127 like env(1). */
bool mp_launch_run(const struct mp_launch *launch, struct mp_launched *result, int *status,
                   struct mp_error *error);

#endif
