/* writer.h -- whether the process that writes a live file still runs; see runtime/writer.h. */
#ifndef MP_REPORTER_WRITER_H
#define MP_REPORTER_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/error.h"
#include "runtime/format.h"

/* When process PID started, in clock ticks since boot; 0: there is none, or it has ended. */
uint64_t mp_process_start_ticks(uint32_t pid);

/* Does the process still run that writes the live file with HEADER?  FD: the file, open for reading
 * only, or -1.  Where that cannot be known the answer is yes, because the file is lost to a process
 * that is taken for dead. */
bool mp_writer_runs(const struct mp_live_header *header, int fd);

/* The process that stands in the way of replacing FD's file: one that records there, or the mprof run
 * that will seal it; 0: none.  A process of another pid namespace goes by its number there. */
uint32_t mp_writer_in_the_way(int fd);

/* False and *ERROR: another process stands in the way of replacing the file PATH. */
bool mp_writer_is_away(const char *path, struct mp_error *error);

#endif
