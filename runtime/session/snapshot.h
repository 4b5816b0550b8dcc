/*
 * snapshot.h -- copies of the live file, made by the process itself when a signal asks for one
 * (MPROF_SIGNAL): FILE.snapshot.1, FILE.snapshot.2, ...
 */
#ifndef MP_SNAPSHOT_H
#define MP_SNAPSHOT_H

/* Handle the signal that the options name; from a constructor. */
void mp_snapshot_open(void);

#endif
