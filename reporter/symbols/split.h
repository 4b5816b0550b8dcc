/*
 * split.h -- debug information in .dwo files, which -gsplit-dwarf stores beside the object files.
 *
 * libdw opens and maps a .dwo file itself, by the name in the program's unit. It must map a private copy
 * (file_copy.h) instead. While libdw opens the file, the copy's name therefore replaces the original name in our
 * copy of the program.
 */
#ifndef MP_SYMBOLS_SPLIT_H
#define MP_SYMBOLS_SPLIT_H

#include "binary.h"

/* Opens the .dwo files of BINARY's debug information, so that libdw does not open them itself. Reports missing
 * files in BINARY's `problem`. */
void mp_split_link(struct mp_binary *binary);

#endif
