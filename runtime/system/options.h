/* SPDX-License-Identifier: MIT */
/*
 * options.h -- the monitor's options, variables MPROF_* of the environment.
 *
 * The options are read from libc's environ, or from the initial stack at the first allocation, when environ is not set
 * yet. In a set-user-id program the environment is ignored.
 */
#ifndef MP_OPTIONS_H
#define MP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"
#include "runtime/runner_message.h"

#define MP_PATH_SIZE 4096
#define MP_ONLY_SIZE 1024

enum mp_follow {
    MP_FOLLOW_NONE,
    MP_FOLLOW_EXEC,             /* programs that the process itself executes */
    MP_FOLLOW_ALL               /* also programs that other processes execute */
};

struct mp_options {
    char file[MP_PATH_SIZE];    /* template of the data file's name, see template.h */
    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* maximum frames of a chain in the present recording; 0 if unlimited */
    uint32_t fold;              /* 1 if recursion is folded in the present recording (fold.h) */
    uint32_t asked_depth;       /* `depth` that the environment asks for, the default of new recordings */
    uint32_t asked_fold;        /* `fold` that the environment asks for */
    uint32_t sample;            /* mean bytes between samples in the present recording; 0 if it is not sampled */
    uint32_t asked_sample;      /* `sample` that the environment asks for */
    uint32_t lifetimes;         /* 1 to record lifetimes of blocks, in recordings that are not sampled */
    uint32_t sentinel;          /* 1 to detect writes beyond the end of a block (sentinel.h) */
    uint32_t before_realloc;    /* 1 if a block is examined before realloc, for `lifetimes` or `sentinel` */
    uint32_t record;            /* 1 to log allocations and frees in a collected heap (record/events.h) */
    uint32_t held;              /* 1 to ask malloc at exit how much memory it holds */
    uint32_t sample_seed;       /* seed of the random numbers that choose samples; 0: the kernel gives one */
    uint32_t follow;            /* enum mp_follow: which further programs are to be profiled, too */
    uint32_t started;           /* 1 if a profiled program started this one, or became it by exec */
    uint32_t foreign;           /* 1 if the environment is that of another process, so this one is not recorded */
    uint32_t pid;               /* of the process that read the options; a child of vfork has another one */
    char only[MP_ONLY_SIZE];    /* names of the programs to record, separated by commas; "" for all */
    uint32_t stopped;           /* 1 to record nothing before mprof start or mprof_restart() */
    uint64_t run_id[2];         /* identification of mprof run, as in struct mp_live_header; continued in the next
                                   two fields */
    uint64_t run_start_ticks;
    uint32_t run_pid;
    uint32_t code_mounts[MP_CODE_MOUNTS];   /* ids of the mounts whose files are handed over (handed.h) */
    uint32_t runner;            /* descriptor of the socket to that mprof run (runner.h) */
    uint64_t runner_inode;      /* inode of that socket; 0 if there is none */
    uint32_t filters;           /* number of seccomp filters of the mprof run that started the program; UINT32_MAX
                                   if unknown */
    uint32_t leaks;             /* 1 to write a snapshot of the heap at exit, with which mprof leaks finds lost
                                   blocks */
    uint32_t signal;            /* signal that requests a snapshot of the data file; 0 if none */
    uint32_t heap_signal;       /* signal that requests a snapshot of the heap; 0 if none */
    uint64_t heap_every;        /* ns between snapshots of the heap after collections; 0 for none,
                                   MP_HEAP_EVERY_COLLECTION for one after each */
    uint32_t deep;              /* number of frames from which on a chain is deep (chain_deep.h) */
    uint32_t heap_strings;      /* 1 if snapshots of the heap contain the beginnings of strings */
    char log[MP_PATH_SIZE];     /* template of the name of the file that logs allocations and frees; "" if none */
    uint32_t log_min;           /* minimum bytes of a block that is logged */
    char summary[MP_PATH_SIZE]; /* template of the name of the file to which a line of totals is appended at exit;
                                   "1" for standard error; "" for none */
    char labels[MP_LABELS_SIZE];        /* labels of the run, see reporter/base/label.h; "" for none */
    uint32_t no_arguments;      /* 1 if the program's arguments are not stored */
    uint32_t check;             /* 1 to compare every chain with libunwind's; chain_check.h describes 2 */
    char check_file[MP_PATH_SIZE];  /* file for the results of checking */
};

extern struct mp_options mp_options;

/* Reads the options. Does nothing if they have been read. */
void mp_options_read(void);

/* Returns whether a program called NAME is to be recorded. */
bool mp_options_want(const char *name);

/* Stores the working directory, to which relative names refer from now on. */
void mp_options_directory(void);

/* Writes the absolute expansion of TEMPLATE to PATH (MP_PATH_SIZE bytes). Returns 0 or -ENAMETOOLONG. */
int mp_options_expand(const char *template, uint32_t pid, const char *program, char *path);

#endif
