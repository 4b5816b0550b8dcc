/*
 * snapshot_series.h -- limits the number of periodic heap snapshots, FILE.NUMBER.heap.
 *
 * When there are too many, or they take too much disk space, every second one is removed, and from then on only
 * every second one is made, as with points of the time line. Only snapshots of the present data file count. One
 * caller at a time.
 */
#ifndef MP_SNAPSHOT_SERIES_H
#define MP_SNAPSHOT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_ROOM 64u      /* maximum number of snapshots */

/* Returns whether the next snapshot beside the data file PATH is to be made. Removes others if necessary. */
bool mp_snapshot_series_wants(const char *path);

/* Notes that the snapshot FILE was made or is being written. */
void mp_snapshot_series_made(const char *file);

#endif
