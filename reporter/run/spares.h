/* SPDX-License-Identifier: MIT */
/*
 * spares.h -- lets new processes use the live files of processes that have ended and whose recordings are collected
 * elsewhere.
 *
 * Creating and removing a file takes much of the time of a short process. On ext4, creating a file takes the longer the
 * more files were removed in the last minutes. A spare file keeps its name until a process renames it. Its content is
 * zero, like that of a new file, except for the run's id in the header. mprof run sends the names of spare files
 * through the socket, where they wait until a process receives them (runtime/runner_message.h).
 */
#ifndef MP_SPARES_H
#define MP_SPARES_H

#include <stdbool.h>
#include <stdint.h>

#include "reporter/base/file_at.h"

#define MP_MOST_SPARES 16u

/* One thread at a time uses it. Must be zeroed at first. */
struct mp_spares {
    struct mp_file_at list[MP_MOST_SPARES];     /* a file that is not open has path NULL */
};

/* Makes FILE a spare file of the run RUN_ID and sends its name to TO, the socket. No process may have FILE open.
 * Returns false if FILE has grown or there are enough spare files; then the caller removes FILE. */
bool mp_spares_keep(struct mp_spares *spares, const struct mp_file_at *file, const uint64_t run_id[2], int to);

/* Removes PATH if it is a spare file of the run RUN_ID that was left by a killed worker of mprof run. */
void mp_spares_drop(const char *path, const uint64_t run_id[2]);

/* Removes the spare files that no process has used. */
void mp_spares_end(struct mp_spares *spares);

#endif
