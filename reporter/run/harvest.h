/* SPDX-License-Identifier: MIT */
/* harvest.h -- seals the data files that a run left and prints their summary, unless --quiet is given. */
#ifndef MP_HARVEST_H
#define MP_HARVEST_H

#include <sys/stat.h>

#include "children.h"
#include "early.h"
#include "launch.h"
#include "reporter/base/file_at.h"
#include "reporter/profile/profile.h"
#include "reporter/table/summary.h"

/* A data file that was sealed while the program still ran. */
struct mp_early {
    struct mp_other other;
    uint64_t start;             /* start of the recording, ns, CLOCK_MONOTONIC */
    struct mp_unrecorded_list unrecorded;       /* unrecorded processes that this process has started */
};

struct mp_harvest {
    const char *template;       /* template of the data file, as the monitor got it */
    const char *name;           /* program's name as it was typed, for the summary */
    const struct mp_launched *launched;
    bool follow;                /* --follow was given; for the summary */
    const char *only;           /* names given with --only. Other programs are not recorded, not even the first. NULL
                                   means that all are */
    const struct mp_observer *observer; /* observations of the first process; NULL if it was not observed */
    void (*each)(void *data, const struct mp_profile *profile, const char *file);
    void *data;                 /* argument of each(), which is called for every process, the first one first, with
                                   names unless the process still runs. each() may be NULL */
    bool leaks;                 /* report lost blocks */
    const char *heap_every;     /* interval of heap snapshots that was asked for, see heap_every.h; NULL means none */
    bool record;                /* a log was asked for */
    const struct mp_unrecorded_list *unrecorded;        /* processes that were not recorded */
    const struct mp_early_list *early;  /* files that were sealed before the end of the program, by start */
    struct mp_children *children;       /* collects the recordings of other processes; NULL if these keep their files */
};

/* Completes, symbolises and seals in place each file of the run, and prints the summary. A file that cannot be sealed
 * stays as it is, with a message on stderr. Returns the profile of the first recorded process, which the caller
 * frees. Returns NULL and fills *ERROR if there is no such recording. */
struct mp_profile *mp_harvest(const struct mp_harvest *harvest, struct mp_error *error);

/* Seals the data file PATH, which has STATUS, while the program still runs, and fills EARLY, with texts in ARENA. Does
 * nothing and returns false if the recording may still change, if it has snapshots, which need files of their own, or
 * on failure. Then mp_harvest() seals the file. Prints nothing. */
bool mp_harvest_early(struct mp_listener *listener, const char *path, const struct stat *status,
                      struct mp_arena *arena, struct mp_early *early);

/* Opens the live file PATH for mp_harvest_seal(). Its recording must have ended without being sealed by mprof run.
 * Returns false and fills *ERROR if it is not a live file, belongs to another user or is in use. The caller closes
 * FILE. */
bool mp_harvest_open(const char *path, struct mp_file_at *file, struct mp_error *error);

/* Replaces FILE with the sealed PROFILE, and seals its heap snapshots. PROFILE must have been read from FILE after
 * FILE was opened, and must have its names. Stores the number of bytes written in *SIZE unless it is NULL. On failure
 * returns false, fills *ERROR and leaves FILE as it was. */
bool mp_harvest_seal(struct mp_profile *profile, const struct mp_file_at *file, uint64_t *size,
                     struct mp_error *error);

#endif
