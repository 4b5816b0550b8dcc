/*
 * debug_file.h -- finds the file with the debug information that was taken out of another.
 *
 * By build-id below /usr/lib/debug; by the name and checksum of .gnu_debuglink; from debuginfod,
 * where DEBUGINFOD_URLS is set.  What dwz took out of several files lies in a common one.  libdwfl
 * looks in the same places, but maps what it finds (see file_copy.h).
 */
#ifndef MP_SYMBOLS_DEBUG_FILE_H
#define MP_SYMBOLS_DEBUG_FILE_H

#include "binary.h"

/* The debug file of BINARY, whose file is ELF; -1: there is none, or it needs none.  The caller
 * closes it. */
int mp_debug_find(const struct mp_binary *binary, Elf *elf);
/* The same for dwz's common file NAME with build-id ID, to which FILE refers. */
int mp_debug_find_common(const struct mp_binary *binary, const char *file, const char *name,
                         const uint8_t *id, size_t id_size);

#endif
