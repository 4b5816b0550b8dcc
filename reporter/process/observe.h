/* SPDX-License-Identifier: MIT */
/*
 * observe.h -- samples a recording's live file from another process, without cost to the profiled program.
 *
 * The first sample is taken after a short delay, so that a short run does not take longer. Then samples are 10 ms
 * apart. The distance doubles when the series is full, and is larger where sampling would take more than 0.2 % of one
 * processor. At the beginning, sampling cells may take 4 ms more, and so may sampling the totals, but each of these
 * additions is at most 1 % of the time since the start. Cells are sampled after each twentieth of the time, even if
 * that takes up to 2 % of one processor, so that no longer part of the run is missed.
 */
#ifndef MP_OBSERVE_H
#define MP_OBSERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/base/file_at.h"
#include "reporter/file/observed.h"

#define MP_TIMELINE_SIZE ((unsigned long)256 << 10)     /* default maximum size of the time line in a sealed file,
                                                           bytes */

struct mp_observer {
    const char *template;       /* absolute template of the data files; NULL means only the given recording is
                                   observed */
    const uint64_t *run_id;     /* id that the data files of the run must have; NULL means only the given recording is
                                   observed */
    unsigned long size;         /* maximum size of the time line, bytes; 0 means do not observe */
    uint64_t heap_every;        /* ns between the heap snapshots that a C program is asked for; 0 means none */
    bool grows;                 /* the maximum grows with the number of cells, see mp_observer_room() */
    struct mp_observed *list;   /* one for each observed recording */
    struct mp_file_at *files;   /* the live file of each observed recording */
    uint32_t n;
};

/* Observes process PID, a child or not, until it ends or *UNTIL becomes nonzero. UNTIL may be NULL. A signal that
 * sets *UNTIL must interrupt poll(2). FD is the live file of the recording, which OBSERVER owns from now on; if it is
 * -1, the file is searched. Returns at once if the process cannot be observed. */
void mp_observer_watch(struct mp_observer *observer, pid_t pid, int fd,
                       const volatile sig_atomic_t *until);

/* Returns the maximum size, in bytes, of the sealed time line of a recording with CELLS cells. */
size_t mp_observer_room(const struct mp_observer *observer, uint64_t cells);

/* Returns the processor time, in ns, that may be spent on cells until ELAPSED ns have passed. */
uint64_t mp_observer_budget(uint64_t elapsed);

/* Returns the observations of the recording that began at START, or NULL if it was not observed. */
const struct mp_observed *mp_observer_of(const struct mp_observer *observer, uint64_t start);
void mp_observer_free(struct mp_observer *observer);

#endif
