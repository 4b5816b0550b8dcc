/*
 * options.h -- what MPROF_* in the environment asks of the monitor.
 *
 * Read from /proc/self/environ, because libc's environ is not there yet at the first allocation; without /proc, from
 * the program's memory.
 * Nothing is taken from the environment of a set-user-id program.
 */
#ifndef MP_OPTIONS_H
#define MP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define MP_PATH_SIZE 4096
#define MP_ONLY_SIZE 1024

struct mp_options {
    char file[MP_PATH_SIZE];    /* template: see template.h */
    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* frames kept in the present recording, 0 = all */
    uint32_t fold;              /* recursion is folded in it: see fold.h */
    uint32_t asked_depth;       /* these two as the environment asks, for recordings of which nothing */
    uint32_t asked_fold;        /* else is said */
    uint32_t sample;            /* mean bytes between samples in the present recording; 0: no samples */
    uint32_t asked_sample;      /* and as the environment asks */
    uint32_t lifetimes;         /* 1: how long blocks live is noted, in recordings of all allocations */
    uint32_t held;              /* 1: at exit malloc is asked what it holds */
    uint32_t sample_seed;       /* of the numbers that choose samples; 0: the kernel's */
    uint32_t follow;            /* programs that are started are profiled too */
    uint32_t started;           /* this program was started by a profiled one */
    char only[MP_ONLY_SIZE];    /* names of programs, with commas between them, that are recorded; "": all */
    uint32_t stopped;           /* nothing is recorded before mprof start or mprof_restart() */
    uint64_t run_id[2];         /* as in the header, with the two below: mprof run says who it is */
    uint64_t run_start_ticks;
    uint32_t run_pid;
    uint32_t filters;           /* seccomp filters of who started it; UINT32_MAX: not known */
    uint32_t leaks;             /* at exit it is written what leads to the blocks that live */
    uint32_t signal;            /* that makes a snapshot, 0: none */
    uint32_t heap_signal;       /* the same, of the heap */
    uint64_t heap_every;        /* ns between snapshots of the heap that are made after collections; 0: none is;
                                   MP_HEAP_EVERY_COLLECTION: after each */
    uint32_t deep;              /* chains of more frames are deep: see chain_deep.h */
    uint32_t heap_strings;      /* 1: snapshots of the heap contain beginnings of strings */
    char log[MP_PATH_SIZE];     /* template of the file that allocations and frees are listed in; "": none */
    uint32_t log_min;           /* bytes: smaller blocks are not */
    char summary[MP_PATH_SIZE]; /* template of the file that a line of totals is appended to at exit; "1": standard
                                   error; "": none is written */
    uint32_t no_arguments;      /* 1: arguments of the program are not stored */
    uint32_t check;             /* 1: compare every chain with libunwind's; 2: see check.h */
    char check_file[MP_PATH_SIZE];  /* where the result of checking goes */
};

extern struct mp_options mp_options;

void mp_options_read(void);

/* Is a program called NAME to be recorded? */
bool mp_options_want(const char *name);

/* Where relative names begin: the working directory. */
void mp_options_directory(void);

/* Expand TEMPLATE into PATH (MP_PATH_SIZE bytes), absolute.  0, or -ENAMETOOLONG. */
int mp_options_expand(const char *template, uint32_t pid, const char *program, char *path);

#endif
