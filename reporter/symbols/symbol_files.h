/* SPDX-License-Identifier: MIT */
/*
 * symbol_files.h -- finds files of code and debug information: among those that the user named, by build-id below
 * directories that the user named and in /usr/lib/debug, by the name in .gnu_debuglink in the usual folders, or by
 * debuginfod if DEBUGINFOD_URLS is set.
 *
 * A file is accepted if its build-id matches, or, without a build-id, its checksum.
 *
 * libdwfl searches most of these places, but cannot be used. dwfl_standard_find_debuginfo() maps each candidate to
 * check it, and if another user truncates the file, access to the mapping ends the process (private_copy.h). It also
 * blocks if a candidate is a pipe. libdw's search for dwz's common files and .dwo files has the same faults.
 */
#ifndef MP_SYMBOLS_SYMBOL_FILES_H
#define MP_SYMBOLS_SYMBOL_FILES_H

#include <gelf.h>
#include <sys/types.h>

#include "reporter/profile/profile.h"

/* How much a file can name. */
enum mp_worth {
    MP_WORTH_ANYTHING,          /* it may be stripped */
    MP_WORTH_NAMES,             /* it has a table of all symbols */
    MP_WORTH_LINES              /* it has debug information */
};
enum mp_worth mp_elf_worth(Elf *elf);

/* The properties of the file to find. */
struct mp_wanted {
    const uint8_t *id;
    size_t id_size;             /* in bytes; 0 = no build-id */
    const char *beside;         /* path of the file that it belongs to */
    const char *link;           /* its usual name, or its absolute path */
    bool has_crc;
    uint32_t crc;
    dev_t device;               /* device and inode of the file that it belongs to, which is not meant */
    ino_t inode;
    enum mp_worth least, most;  /* a file of worth `most` is preferred, and one below `least` refused */
};

/* Opens the file. Returns a descriptor, which the caller closes, or -1 if it cannot be opened. */
int mp_wanted_find(struct mp_wanted *wanted, struct mp_arena *arena);

/* Notes which of the named files belong to PROFILE by their build-ids. */
void mp_named_files_note(const struct mp_profile *profile);

/* Prints which of the named files have no symbols for the modules of PROFILE to which they belong, once for each. */
void mp_named_files_tell(const struct mp_profile *profile);

/* Returns the path of the file that the user named for a program of which no build-id was recorded, or NULL. */
const char *mp_named_program(void);

/* Notes that the file of mp_named_program() is the program, or does not fit because of PROBLEM. */
void mp_named_program_note(const char *problem);

#endif
