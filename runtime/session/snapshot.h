/*
 * snapshot.h -- copies of the live file, made by the process itself when a signal asks for one
 * (MPROF_SIGNAL): FILE.snapshot.1, FILE.snapshot.2, ...; and snapshots of the heap by another signal
 * (MPROF_HEAP_SIGNAL).
 */
#ifndef MP_SNAPSHOT_H
#define MP_SNAPSHOT_H

/* Handles the signals that the options name; called by a constructor. */
void mp_snapshot_open(void);

/* Handles the signal for snapshots of the heap alone, again where a language's runtime may have replaced the handler.
 * */
void mp_snapshot_open_heap(void);

#endif
