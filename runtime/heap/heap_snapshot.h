/*
 * heap_snapshot.h -- a snapshot of a heap into a file of its own: its name, what is said first in it, and who writes
 * it, a copy of the process or the caller.
 */
#ifndef MP_HEAP_SNAPSHOT_H
#define MP_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/format.h"
#include "runtime/snapshot/snapshot_stream.h"
#include "runtime/system/options.h"

#define MP_HEAP_PATH_SIZE (MP_PATH_SIZE + 128)   /* bytes of a snapshot's name are enough */

struct mp_heap_snapshot {
    enum mp_heap_trigger trigger;
    const char *name;           /* what the user calls it; NULL: nothing */
    const char *file;           /* where to, absolute; replaced only if it is empty.  NULL or "": the data file's
                                   name with ".NUMBER.heap", or ".NUMBER.NAME.heap", behind it */
    struct mp_live_offer *offer;        /* into a file without a name instead, which is put here; NULL: not so */
    bool in_place;              /* no copy is made: the caller writes, and nothing else goes on */
    bool wait;                  /* until it is written */
    bool passing;               /* `file` is soon removed: it has no number, and nothing leads to it */

    /* Writes all but the facts that every snapshot has.  In a copy, or in the caller. */
    void (*write)(struct mp_stream *stream, void *data);
    void *data;
};

/* Make it; PATH, of SIZE bytes, gets the file's name.  0 or -errno: there is no file then, or, if it was not to be
 * waited for, it goes away when the writer fails.  Takes no lock; any thread, and any number at a time. */
long mp_heap_snapshot_make(const struct mp_heap_snapshot *snapshot, char *path, size_t size);

/* From now on FUNCTION makes the snapshots that other processes, mprof_heap_snapshot() and the signal of the
 * environment ask for: called NAME unless that is NULL, into a file without a name, which is put into OFFER, or, if
 * that is NULL, where the data file says; its name is put into PATH, of SIZE bytes.  It is called with the lock held.
 * */
typedef long mp_heap_snapshot_maker(enum mp_heap_trigger trigger, const char *name, struct mp_live_offer *offer,
                                    char *path, size_t size);
void mp_heap_snapshot_open(mp_heap_snapshot_maker *function);

/* The environment asks for snapshots after collections: is it time for one? */
bool mp_heap_snapshot_is_due(void);

/* Wait until the snapshot at PATH, which a copy of this process writes, is written.  0 or -errno: it is not there. */
long mp_heap_snapshot_wait(const char *path);

#endif
