/* SPDX-License-Identifier: MIT */
/* live_writer.h -- finds out whether the process that writes a live file still runs; see runtime/writer.h. */
#ifndef MP_REPORTER_WRITER_H
#define MP_REPORTER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "runtime/format.h"

/* Returns the start time of process PID in clock ticks since boot, or 0 if there is no such process or it has
 * ended. */
uint64_t mp_process_start_ticks(uint32_t pid);

/* Returns whether the process that writes the live file with HEADER still runs. If its pid cannot be checked here,
 * because it is in another pid namespace, checks whether any process has the file open for writing. FD is the file,
 * open for reading only, or -1, which counts as not open. In case of doubt returns true, because a process mistaken
 * for dead loses its file. */
bool mp_writer_runs(const struct mp_live_header *header, int fd);

/* Returns whether any process has FD's file open for writing, or mapped that way. FD is open for reading only. Returns
 * true if that cannot be found out. Overlayfs reveals only open descriptors. That suffices for the process that
 * records, because the monitor keeps its descriptor open. */
bool mp_writer_may_write(int fd);

/* Returns the pid of the process because of which FD's file must not be replaced, or 0 if there is none. The process
 * records to the file, or is the mprof run that will seal the file. If the process is in another pid namespace, returns
 * its pid in that namespace. */
uint32_t mp_writer_in_the_way(int fd);

/* Returns whether PATH may be replaced. Returns false and sets *ERROR if another process uses the file. */
bool mp_writer_is_away(const char *path, struct mp_error *error);

#endif
