/*
 * debug_file.h -- finds the separate file with the debug information of a stripped file.
 *
 * Searches for the build-id below /usr/lib/debug, then for the name in .gnu_debuglink in the usual folders, then
 * asks debuginfod if DEBUGINFOD_URLS is set. A file is accepted if its build-id matches, or, without a build-id,
 * its checksum. Debug information that dwz moved out of several files is in a common file. libdwfl searches the
 * same places, but maps the files that it finds (see file_copy.h).
 */
#ifndef MP_SYMBOLS_DEBUG_FILE_H
#define MP_SYMBOLS_DEBUG_FILE_H

#include "binary.h"

/* Returns a descriptor of the debug file of BINARY, whose file is ELF, which the caller closes. Returns -1 if no
 * such file exists, or if ELF contains debug information itself. */
int mp_debug_find(const struct mp_binary *binary, Elf *elf);
/* Like mp_debug_find(), for dwz's common file NAME with build-id ID, to which FILE refers. */
int mp_debug_find_common(const struct mp_binary *binary, const char *file, const char *name,
                         const uint8_t *id, size_t id_size);

#endif
