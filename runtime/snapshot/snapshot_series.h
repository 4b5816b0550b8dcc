/* SPDX-License-Identifier: MIT */
/*
 * snapshot_series.h -- limits the number of periodic heap snapshots, FILE.NUMBER.heap.
 *
 * When there are too many snapshots, or they take too much disk space, every second one is removed, and from then on
 * only every second one of those that are asked for is made. Snapshots of earlier data files do not count. Only one
 * thread at a time calls these functions.
 */
#ifndef MP_SNAPSHOT_SERIES_H
#define MP_SNAPSHOT_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define MP_SERIES_ROOM 64u      /* maximum number of snapshots */

/* Returns whether the next snapshot beside the data file PATH is to be made. Removes earlier ones if necessary. */
bool mp_snapshot_series_wants(const char *path);

/* Notes that the snapshot FILE was made or is being written. */
void mp_snapshot_series_made(const char *file);

#endif
