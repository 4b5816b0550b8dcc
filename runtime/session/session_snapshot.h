/* SPDX-License-Identifier: MIT */
/*
 * session_snapshot.h -- makes snapshots when a signal arrives. For the signal of MPROF_SIGNAL, the process itself
 * copies the live file to FILE.snapshot.1, FILE.snapshot.2 and so on. For the signal of MPROF_HEAP_SIGNAL, it begins
 * a snapshot of the heap.
 */
#ifndef MP_SESSION_SNAPSHOT_H
#define MP_SESSION_SNAPSHOT_H

/* Installs handlers of the signals that the options name. Called by a constructor. */
void mp_snapshot_open(void);

/* Installs only the handler of the signal for snapshots of the heap. Called again when a language's runtime may have
 * replaced the handler. */
void mp_snapshot_open_heap(void);

#endif
