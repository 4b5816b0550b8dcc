/*
 * observe.h -- how a recording goes, seen from outside: a second process that looks into the live file
 * now and then, and costs the program nothing.
 *
 * It begins after a moment, so that a short run is no longer, looks every 10 ms, half as often when the
 * series is full, and less often where that would take more than 0.2 % of one processor; at the beginning it may
 * take 4 ms more, but not more than 1 % of the time until then.
 */
#ifndef MP_OBSERVE_H
#define MP_OBSERVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reporter/read/observed.h"

#define MP_TIMELINE_SIZE ((unsigned long)256 << 10)     /* bytes of a sealed file that time takes at most */

struct mp_observer {
    const char *template;       /* of the data files, absolute, which are those of the run */
    const uint64_t *run_id;     /* that has this id.  NULL, both: only the one recording is observed */
    unsigned long size;         /* bytes that a time line may take; 0: nobody observes */
    uint64_t heap_every;        /* ns between snapshots of a C program's heap that it is asked for; 0: for none */
    bool grows;                 /* of a recording with many cells it may take more: mp_observer_room() */
    struct mp_observed *list;   /* one for each recording that was seen */
    uint32_t n;
};

/* Observe process PID, this one's child or not, until it ends, or, with UNTIL, until *UNTIL is not 0; a
 * signal that sets it must interrupt poll(2).  FD: the live file where it records, which OBSERVER owns from
 * now on; -1: it is looked for.  Where that is not possible it returns at once. */
void mp_observer_watch(struct mp_observer *observer, pid_t pid, int fd,
                       const volatile sig_atomic_t *until);

/* Bytes that the time line of a recording with CELLS may take in the sealed file. */
size_t mp_observer_room(const struct mp_observer *observer, uint64_t cells);

/* Ns of processor that may be spent for cells until ELAPSED ns have gone by. */
uint64_t mp_observer_budget(uint64_t elapsed);

/* What was seen of the recording that began at START; NULL: nothing. */
const struct mp_observed *mp_observer_of(const struct mp_observer *observer, uint64_t start);
void mp_observer_free(struct mp_observer *observer);

#endif
