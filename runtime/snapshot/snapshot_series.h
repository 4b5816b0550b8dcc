/*
 * snapshot_series.h -- snapshots of a heap that are made again and again, FILE.NUMBER.heap: how many of them are kept.
 *
 * When there are too many, or they take too much of the disk, every second one is removed, and from then on only every
 * second one is made, as points of the time line are.  Only those of the present data file count.  One caller at a
 * time.
 */
#ifndef MP_SNAPSHOT_SERIES_H
#define MP_SNAPSHOT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_ROOM 64u      /* snapshots */

/* Returns whether the next snapshot beside the data file PATH is to be made.  Removes others if that is necessary. */
bool mp_snapshot_series_wants(const char *path);

/* The snapshot FILE was made, or is being written. */
void mp_snapshot_series_made(const char *file);

#endif
