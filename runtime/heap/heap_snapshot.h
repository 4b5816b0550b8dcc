/* SPDX-License-Identifier: MIT */
/*
 * heap_snapshot.h -- makes a snapshot of a heap in a file of its own. It chooses the file's name, writes the first
 * facts, and lets a copy of the process or the caller write the rest.
 */
#ifndef MP_HEAP_SNAPSHOT_H
#define MP_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/format.h"
#include "runtime/snapshot/snapshot_stream.h"
#include "runtime/system/options.h"

#define MP_HEAP_PATH_SIZE (MP_PATH_SIZE + 128)   /* bytes that are enough for a snapshot's path */

struct mp_heap_snapshot {
    enum mp_heap_trigger trigger;
    const char *name;           /* the user's name of the snapshot, or NULL */
    const char *file;           /* absolute path, replaced only if the file is empty; NULL or "" means the data file's
                                   name with ".NUMBER.heap" or ".NUMBER.NAME.heap" appended */
    struct mp_live_offer *offer;        /* receives the descriptor of a file without a name, which is used instead;
                                           or NULL */
    bool in_place;              /* no copy is made; the caller writes, and no other thread runs */
    bool wait;                  /* return only after the snapshot has been written */
    bool passing;               /* `file` is soon removed, so it has no number and no link leads to it */

    /* Writes all but the facts that every snapshot has. Called in the copy or in the caller. */
    void (*write)(struct mp_stream *stream, void *data);
    void *data;
};

/* Makes a snapshot and writes its file's name to PATH, of SIZE bytes. Returns 0 or -errno. On an error there is no
 * file. If `wait` is false, the file is removed later if the writer fails. Takes no lock; any number of threads may
 * call it at a time. */
long mp_heap_snapshot_make(const struct mp_heap_snapshot *snapshot, char *path, size_t size);

/* Makes FUNCTION the maker of the snapshots that other processes, mprof_heap_snapshot() and the signal that the
 * environment names ask for. NAME is the snapshot's name, or NULL. If OFFER is NULL, FUNCTION writes the snapshot
 * beside the data file. Otherwise it writes the snapshot to a file without a name, which it puts into OFFER. FUNCTION
 * writes the file's name to PATH, which has SIZE bytes. FUNCTION is called with the lock held. */
typedef long mp_heap_snapshot_maker(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer,
                                    char *path, size_t size);
void mp_heap_snapshot_open(mp_heap_snapshot_maker *function);

/* Returns whether the environment asks for snapshots after collections and it is time for one. */
bool mp_heap_snapshot_is_due(void);

/* Waits until a copy of this process has written the snapshot at PATH. Returns 0, or -errno if the snapshot does
 * not exist afterwards. */
long mp_heap_snapshot_wait(const char *path);

#endif
