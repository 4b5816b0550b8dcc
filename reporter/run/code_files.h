/*
 * code_files.h -- receives the files of code that the programs of a run hand over, see runtime/code_socket.h, and holds
 * them for reporter/symbols/.
 */
#ifndef MP_CODE_FILES_H
#define MP_CODE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/code_socket.h"

/* Returns the socket of the run RUN_ID, or -1 if there can be none. */
int mp_code_files_listen(const uint64_t run_id[2]);

/* Holds all files that were sent to SOCKET, which may be -1. */
void mp_code_files_receive(int socket, const uint64_t run_id[2]);

/* Writes the ids of the mounts whose files can be held to MOUNTS. A held file keeps its mount busy, and a program may
 * want to unmount it. So these are only the mounts of the root, of the working directory, of /tmp, of the program PATH,
 * and of files without a name. An unknown one is UINT32_MAX. */
void mp_code_files_mounts(const char *path, uint32_t mounts[MP_CODE_MOUNTS]);

#endif
