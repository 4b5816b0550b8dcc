/*
 * split.h -- debug information in .dwo files, which -gsplit-dwarf leaves beside the objects.
 *
 * libdw opens such a file itself, by the name in the unit that was linked, and maps it.  Here it
 * finds a private copy (file_copy.h): while it looks, that name is the copy's, in our copy of the
 * unit's file.
 */
#ifndef MP_SYMBOLS_SPLIT_H
#define MP_SYMBOLS_SPLIT_H

#include "binary.h"

/* Open the .dwo files of BINARY's debug information, so that libdw need not; what is missing is its
 * `problem`. */
void mp_split_link(struct mp_binary *binary);

#endif
