/*
 * processes.h -- what a profile says of the process that was recorded, or, if it was merged of several
 * (mprof merge), of each of them.
 *
 * A merged profile is the sum of others.  So that parts can still be told apart, its chains begin with
 * *labels*: frames that stand for a process, or for all processes of one program on one host, or of one host.
 * Who shows chains leaves them out or makes functions of them, see process_part.h: a view has none.
 *
 * A peak is of one process: they had theirs at different times.  What a merged profile calls its peak, in
 * meta as in cells, is the sum of what each process had at its own.
 */
#ifndef MP_PROCESSES_H
#define MP_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

struct mp_arena;
struct mp_profile;

/* How the profiled process stood when the file was read. */
enum mp_ending {
    MP_END_RUNNING,             /* still running */
    MP_END_EXITED,              /* exit(status), or status not known (-1) */
    MP_END_SIGNAL,              /* killed by signal `status` (known only through mprof run) */
    MP_END_KILLED,              /* gone without exit(): killed, or crashed */
    MP_END_EXEC,                /* replaced itself by another program, which is not in this file */
    MP_END_STOPPED,             /* mprof_stop(), mprof stop */
    MP_END_FULL,                /* recording stopped early: see stop_errno */
    MP_END_SNAPSHOT             /* it was running when this copy was made */
};

struct mp_meta {
    const char *program;        /* path of the executable */
    const char **arguments;     /* argv; n_arguments of them */
    uint32_t n_arguments;
    bool arguments_cut;         /* argv was longer than what is stored */
    bool damaged;               /* a live file whose header was overwritten: what it said is not known */
    const char *monitor;        /* version that recorded */
    uint32_t pid, ppid;
    uint32_t machine;           /* ELF e_machine */
    uint64_t start_realtime;    /* ns since 1970 */
    uint64_t duration;          /* ns, from the start of recording; 0 not known */
    enum mp_ending ending;
    int32_t status;             /* exit status or signal number; -1 not known */
    uint32_t stop_errno;        /* MP_END_FULL: why */
    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* --depth, 0 = unlimited */
    uint32_t recorders, threads;/* how many at once at most; how many in all */
    uint64_t missing[MP_MISS_KINDS];
    uint64_t programs_started, processes_forked, nested;
    uint32_t processes_shut, not_recorded;      /* live form: see struct mp_live_header */
    bool unwanted;
    uint32_t snapshots;         /* of a live file: the largest number of a snapshot of the heap beside it; 0: none */
    int64_t peak_bytes, peak_blocks;
    uint64_t peak_slack;        /* bytes; 0: the peak is exact */
    uint32_t sample_period;     /* mean distance of samples, bytes; 0: all is recorded, and nothing estimated */
    uint64_t n_samples;         /* blocks that were met */
    uint64_t live_file_size;    /* bytes of the live form; 0 not known */
    const char *host;           /* the machine's name; "" not known */
    uint64_t run_id[2];         /* random, the same in all files of one mprof run; 0, 0: none, or not known */

    /* A garbage-collected heap beside malloc's. */
    const char *language;       /* the runtime that owns it, "ECL 21.2.1"; "": none */
    uint32_t one_thread;        /* tid of the only thread whose objects are recorded, 0: all; or
                                   MP_SOME_THREADS */
    uint64_t collections;
    uint64_t heap_before, heap_now;     /* bytes ever allocated in it, as the runtime counts */

    /* Of what another tool wrote, see reporter/import/. */
    const char *source;         /* what that was, and whether its figures are estimates; NULL: mprof did */
    uint32_t foreign_period;    /* mean distance of its samples, bytes; 0: none, or not known */
    uint32_t unknown;           /* figures that it has not, which are 0: bits, 1 << enum mp_figure */
};

/* What a label tells. */
enum mp_label_level {
    MP_LABEL_PROCESS = 0,       /* each process has a label of its own */
    MP_LABEL_PROGRAM,           /* a program on a host */
    MP_LABEL_HOST,
    MP_LABEL_NONE,              /* there are no labels */
    MP_LABEL_LEVELS
};

/* "process", "program", "host", "none". */
extern const char *const mp_label_levels[MP_LABEL_LEVELS];

/* Sums over all cells of a process, of malloc's blocks and of objects together. */
struct mp_process_sums {
    uint64_t allocs, bytes;     /* exact */
    uint64_t frees, freed, kept, kept_blocks, temporary;        /* of a sampled recording estimates */
    uint64_t objects, object_bytes;     /* of a collected heap */
};

struct mp_member {
    struct mp_meta meta;        /* as in its own profile; run_id is not kept */
    struct mp_process_sums sums;
    const char *file;           /* the data file, as it was called */
    bool time;                  /* it had a time line, which is left out */
    uint32_t label;             /* in mp_processes.labels; MP_NO_ID: there are no labels */
};

struct mp_processes {
    struct mp_member *list;    uint32_t n;     /* sorted by mp_member_compare(), at least one */
    uint32_t *labels;           uint32_t n_labels;      /* frames of the profile, ascending */
    enum mp_label_level level;
    uint64_t left_out;          /* files that could not be merged */
};

/* What is PROFILE as a process of a merged one?  FILE: where it was read from.  Texts are PROFILE's. */
struct mp_member mp_member_of(const struct mp_profile *profile, const char *file);

/* Removes the arguments of programs from PROFILE and all its processes. */
void mp_profile_forget_arguments(struct mp_profile *profile);

/* In which order processes stand: by start, host and process id, and all else that they have; 0: nothing
 * tells them apart. */
int mp_member_compare(const struct mp_member *a, const struct mp_member *b);

/* Do A and B tell of the same process? */
bool mp_member_is_same(const struct mp_member *a, const struct mp_member *b);

/* Have A and B the same label, if labels are of LEVEL? */
bool mp_member_shares_label(const struct mp_member *a, const struct mp_member *b,
                             enum mp_label_level level);

/* What is said of all the N processes in LIST, sorted, together: what they have in common, or sums.  In ARENA,
 * but for texts of the list. */
struct mp_meta mp_processes_meta(const struct mp_member list[], uint32_t n, struct mp_arena *arena);

/* The same of sums only: add what MORE has of what can be added. */
void mp_meta_add(struct mp_meta *to, const struct mp_meta *more);

/* How many different hosts, or programs, there are among PROCESSES; those not known count as one. */
uint32_t mp_processes_hosts(const struct mp_processes *processes);
uint32_t mp_processes_programs(const struct mp_processes *processes);

/* The process that had the largest peak of all. */
const struct mp_member *mp_processes_largest_peak(const struct mp_processes *processes);

/* How LABEL is called: "cc1[1234]", "cc1", "build7", with "@host" if HOSTS, as where there are several.  In ARENA. */
const char *mp_label_text(const struct mp_processes *processes, uint32_t label, bool hosts,
                          struct mp_arena *arena);

#endif
