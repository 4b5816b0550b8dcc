/* SPDX-License-Identifier: MIT */
/*
 * processes.h -- facts about the recorded process, or about each process of a merged profile (mprof merge).
 *
 * A merged profile is the sum of others. Its chains begin with *labels*, so that the parts can still be
 * separated. A label is a frame that represents a process, or all processes of one program on one host, or all
 * of one host. Views have no labels: they omit them or turn them into functions, see process_part.h.
 *
 * Each process has its own peak, at its own time. The peak of a merged profile, in meta and in cells, is the sum
 * of its processes' peaks.
 */
#ifndef MP_PROCESSES_H
#define MP_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/format.h"

struct mp_arena;
struct mp_profile;

/* State of the profiled process when the file was read. */
enum mp_ending {
    MP_END_RUNNING,             /* still running */
    MP_END_EXITED,              /* exit(status); the status is -1 if unknown */
    MP_END_SIGNAL,              /* killed by signal `status` (known to mprof run only) */
    MP_END_KILLED,              /* ended without exit(): killed or crashed */
    MP_END_EXEC,                /* replaced itself by another program, which this file does not contain */
    MP_END_STOPPED,             /* recording ended by mprof_stop() or mprof stop */
    MP_END_FULL,                /* recording ended early, see stop_errno */
    MP_END_SNAPSHOT             /* running when this copy was made */
};

/* Processes of a run that were not recorded. */
struct mp_unrecorded {
    const char *program;        /* name, as "sudo" */
    const char *why;            /* clause without a subject, as "is statically linked" */
    uint64_t n;                 /* number of processes, at least 1 */
};

struct mp_unrecorded_list {
    const struct mp_unrecorded *list;
    uint32_t n;
};

struct mp_meta {
    const char *program;        /* path of the executable */
    const char **arguments;     /* argv, n_arguments strings */
    uint32_t n_arguments;
    bool arguments_cut;         /* whether argv was longer than what is stored */
    bool damaged;               /* whether the live file's header was overwritten, so that its contents are unknown */
    const char *monitor;        /* version of the monitor that recorded */
    uint32_t pid, ppid;
    uint32_t machine;           /* ELF e_machine */
    uint64_t start_realtime;    /* ns since 1970 */
    uint64_t duration;          /* ns since the start of recording, or 0 if unknown */
    enum mp_ending ending;
    int32_t status;             /* exit status or signal number, or -1 if unknown */
    uint32_t stop_errno;        /* reason of MP_END_FULL */
    uint32_t unwinder;          /* enum mp_unwinder */
    uint32_t depth;             /* --depth, or 0 if unlimited */
    uint32_t recorders, threads;/* maximum in use at once; total */
    uint64_t missing[MP_MISS_KINDS];
    uint64_t programs_started, processes_forked, nested;
    bool follows;               /* started programs were to be profiled, too; false for a merged profile */
    uint32_t leaks;             /* enum mp_leaks_state and an error number; 0 for a merged profile */
    uint64_t scan_offset, scan_size;    /* live file only: see struct mp_live_header */
    struct mp_unrecorded_list unrecorded;       /* in the file of the first process: those of the whole run */
    uint32_t processes_shut;    /* live file only: see struct mp_live_header */
    bool unwanted;
    uint32_t snapshots;         /* largest number of a heap snapshot beside the file, or 0 if no snapshot was made;
                                   live file only */
    int64_t peak_bytes, peak_blocks;
    uint64_t peak_slack;        /* bytes, or 0 if the peak is exact */
    uint32_t sample_period;     /* mean distance of samples in bytes, or 0 if everything is recorded and nothing
                                   estimated */
    bool objects_sampled;       /* objects of a language are sampled, too; false in the processes of a merged file */
    uint64_t n_samples;         /* number of sampled blocks */
    uint64_t live_file_size;    /* size of the live file in bytes, or 0 if unknown */
    const char *host;           /* host name, or "" if unknown */
    const char *labels;         /* labels of the run as one text, see base/label.h, or "" */
    uint64_t run_id[2];         /* random, equal in all files of one mprof run, or 0, 0 if none or unknown */

    /* A garbage-collected heap beside malloc's. */
    const char *language;       /* the runtime that owns it, as "ECL 21.2.1", or "" without such a heap */
    uint32_t one_thread;        /* tid of the only thread whose objects are recorded; 0 for all threads; or
                                   MP_SOME_THREADS */
    uint64_t collections;
    uint64_t heap_before, heap_now;     /* bytes ever allocated in it, as counted by the runtime: when recording
                                           began, and when it ended */

    /* Files of other tools only, see reporter/import/. */
    const char *source;         /* the tool, and whether its figures are estimates; NULL if mprof recorded the file */
    uint32_t foreign_period;    /* mean distance of its samples in bytes, or 0 if none or unknown */
    uint32_t unknown;           /* figures that the tool did not record, stored as 0; bits 1 << enum mp_figure */
};

/* What a label represents. */
enum mp_label_level {
    MP_LABEL_PROCESS = 0,       /* one process */
    MP_LABEL_PROGRAM,           /* all processes of a program on a host */
    MP_LABEL_HOST,
    MP_LABEL_NONE,              /* the profile has no labels */
    MP_LABEL_LEVELS
};

/* Names of the levels: "process", "program", "host", "none". */
extern const char *const mp_label_levels[MP_LABEL_LEVELS];

/* Sums over all cells of a process. Malloc's blocks and objects are added together. */
struct mp_process_sums {
    uint64_t allocs, bytes;     /* exact */
    uint64_t frees, freed, kept, kept_blocks, temporary;        /* estimates in a sampled recording */
    uint64_t objects, object_bytes;     /* of the collected heap only */
};

struct mp_member {
    struct mp_meta meta;        /* as in its own profile, but without run_id */
    struct mp_process_sums sums;
    const char *file;           /* name of the data file */
    bool time;                  /* whether it had a time line, which a merge omits */
    uint32_t label;             /* index in mp_processes.labels, or MP_NO_ID if there are no labels */
};

struct mp_processes {
    struct mp_member *list;    uint32_t n;     /* sorted by mp_member_compare(); at least one */
    uint32_t *labels;           uint32_t n_labels;      /* frame ids, ascending */
    enum mp_label_level level;
    uint64_t left_out;          /* number of files that could not be merged */
};

/* Returns PROFILE as a process of a merged one. FILE is the file that it was read from. The texts remain
 * PROFILE's. */
struct mp_member mp_member_of(const struct mp_profile *profile, const char *file);

/* Removes the programs' arguments from PROFILE and from all its processes. */
void mp_profile_forget_arguments(struct mp_profile *profile);

/* Compares processes by start time, host, process id and then all other properties. Returns 0 if A and B cannot
 * be distinguished. */
int mp_member_compare(const struct mp_member *a, const struct mp_member *b);

/* Returns whether A and B describe the same process. */
bool mp_member_is_same(const struct mp_member *a, const struct mp_member *b);

/* Returns what the N processes of LIST, which is sorted, have in common, and their sums. New texts are in ARENA;
 * others remain LIST's. */
struct mp_meta mp_processes_meta(const struct mp_member list[], uint32_t n, struct mp_arena *arena);

/* Adds the figures of MORE to TO. */
void mp_meta_add(struct mp_meta *to, const struct mp_meta *more);

/* Return the number of different hosts, or programs. All unknown ones count as one. */
uint32_t mp_processes_hosts(const struct mp_processes *processes);
uint32_t mp_processes_programs(const struct mp_processes *processes);

/* Returns the process with the largest peak. */
const struct mp_member *mp_processes_largest_peak(const struct mp_processes *processes);

/* Returns the text of LABEL: "cc1[1234]", "cc1" or "build7". Adds "@host" if HOSTS, which callers set if there
 * are several hosts. The text is in ARENA. */
const char *mp_label_text(const struct mp_processes *processes, uint32_t label, bool hosts,
                          struct mp_arena *arena);

#endif
