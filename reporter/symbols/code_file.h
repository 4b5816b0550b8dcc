/* SPDX-License-Identifier: MIT */
/*
 * code_file.h -- decides whether a file is the one that a module was loaded from, and holds files that were handed over
 * while they were mapped, so that names can be read from them even if they were removed or replaced since.
 */
#ifndef MP_SYMBOLS_CODE_FILE_H
#define MP_SYMBOLS_CODE_FILE_H

#include <stddef.h>
#include <sys/stat.h>

#include "reporter/profile/profile.h"

/* Returns whether MODULE is the program of PROFILE. It has the program's path, or only its name if it was renamed
 * during the run. */
bool mp_module_is_program(const struct mp_profile *profile, const struct mp_module *module);

/* Writes the beginning of the SIZE bytes ID to TEXT, as "ab12cd..", or "none" if SIZE is 0. Returns TEXT. */
#define MP_SHORT_ID_SIZE 15
const char *mp_short_build_id(const uint8_t *id, size_t size, char text[static MP_SHORT_ID_SIZE]);

/* Returns whether the SIZE bytes ID are the build-id of MODULE, of which only the beginning may have been recorded. */
bool mp_has_build_id(const struct mp_module *module, const uint8_t *id, size_t size);

/* Returns whether the file FD has the build-id of MODULE. */
bool mp_file_has_build_id(int fd, const struct mp_module *module);

/* Returns whether a file with STATUS has the inode number, size and time that were recorded for the file of MODULE. If
 * IS_OTHER, compares only the size, because the user named the file. */
bool mp_has_status(const struct mp_module *module, const struct stat *status, bool is_other);

/* Returns a descriptor of the file that MODULE was loaded from, which the caller closes, or -1 if it is not held. */
int mp_held_find(const struct mp_module *module);

/* Returns a descriptor of the file that process PID has mapped at the start of MODULE, which the caller closes, or -1.
 * IS_PROGRAM means that it may be the executable of the process, which needs no privileges. */
int mp_mapped_open(uint32_t pid, const struct mp_module *module, bool is_program);

#endif
