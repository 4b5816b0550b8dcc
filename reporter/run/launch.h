/*
 * launch.h -- start a program with the monitor preloaded, and wait for it.
 */
#ifndef MP_LAUNCH_H
#define MP_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "observe.h"
#include "reporter/base/error.h"

struct mp_launch {
    const char *path;           /* the program's file */
    char **argv;                /* its arguments, NULL at the end */
    const char *library;        /* libmprof.so */
    const char *template;       /* absolute template of the data file */
    const char *unwinder;       /* NULL: as configured */
    bool leaks;                 /* at its end, which blocks live and what leads to them is written */
    unsigned depth;             /* 0: whole chains */
    unsigned long sample;       /* mean distance of samples, bytes; 0: all is recorded */
    const char *only;           /* names of programs that are recorded, with commas; NULL: all */
    bool fold;                  /* recursion is folded */
    bool lifetimes;             /* how long blocks live is recorded */
    bool held;                  /* at its end malloc is asked what it holds */
    bool stopped;               /* nothing is recorded before mprof start */
    int signal;                 /* that makes a snapshot, 0: none */
    int heap_signal;            /* that makes one of the heap, 0: as the environment says */
    bool heap_strings;          /* these contain beginnings of strings; false: as the environment says */
    bool no_arguments;          /* arguments of programs are not stored; false: as the environment says */
    const char *heap_every;     /* how often collections make them, see heap_every.h; NULL: likewise */
    bool follow, no_call_graph;
    struct mp_observer *observer;       /* who looks at the program while it runs; NULL: nobody */
};

struct mp_launched {
    pid_t pid;
    int status;                 /* exit status, or the signal that killed it */
    bool killed;
    uint64_t run_id[2];         /* in the headers of the data files of this run: random */
    uint64_t duration;          /* ns */
    char last_name[16];         /* of the program that the process was at its end, as the kernel has
                                   it: 15 bytes at most, and a program may change it; "" not known */
};

/* Run it to its end, with what LAUNCH asks of the monitor in LD_PRELOAD and MPROF_* variables.
 * Meanwhile SIGINT and SIGQUIT are left to it (the terminal sends them to both), SIGTERM and SIGHUP
 * are passed on.  False: it could not be started; *ERROR, and env(1)'s *STATUS 126 or 127. */
bool mp_launch_run(const struct mp_launch *launch, struct mp_launched *result, int *status,
                   struct mp_error *error);

#endif
