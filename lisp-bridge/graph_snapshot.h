/* SPDX-License-Identifier: MIT */
/*
 * graph_snapshot.h -- snapshots of ECL's heap with all references, each written into its own file (heap_format.h).
 *
 * A forked copy of the process finds all live objects from the roots and writes them. The program pauses only for the
 * fork. Nothing is allocated in its heap, and none of its locks is taken. If another thread was changing data, the
 * snapshot shows the state at the fork. A snapshot can also be made within a collection, while libgc has stopped all
 * threads, by a copy or by the process itself. Then registers and dead objects are known too.
 */
#ifndef MP_LISP_GRAPH_H
#define MP_LISP_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_live_offer;

struct mp_lisp_graph_wish {
    uint32_t trigger;           /* enum mp_heap_trigger */
    const char *name, *file;    /* as in struct mp_heap_snapshot */
    bool collect;               /* start a collection and copy the process during it, after marking */
    bool in_place;              /* start a collection and write without a copy while all threads are stopped */
    bool wait;                  /* wait until the snapshot is written */
    bool passing;               /* as in struct mp_heap_snapshot */
    struct mp_live_offer *offer;        /* as in struct mp_heap_snapshot */
    bool strings;               /* include the beginnings of strings even if the environment does not ask for them */
};

/* Makes a snapshot and stores its file's name in PATH. Returns 0 or -errno: -ENOTSUP if this ECL is not supported,
 * -EBUSY if other snapshots are being made, -ECANCELED if no collection took place or the writer was killed, -E2BIG
 * if a table is too small. */
long mp_lisp_graph_make(const struct mp_lisp_graph_wish *wish, char *path, size_t size);

/* Implements heap_left of struct mprof_lisp (lisp.h). */
void mp_lisp_graph_left(void);

/* Enables snapshots that other processes request, snapshots at the signal that the environment names, and snapshots
 * after collections, with at least the configured number of seconds in between. */
void mp_lisp_graph_open(void);

/* Called at libgc's event after marking, while the world is stopped. */
void mp_lisp_graph_marked(void);

/* Implements own_places of struct mprof_lisp (lisp.h). */
void mp_graph_own_places(void *symbols, void (*add)(void *data, uintptr_t start, uintptr_t end), void *data);

#endif
