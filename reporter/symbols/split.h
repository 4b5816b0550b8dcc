/*
 * split.h -- debug information in .dwo files, which -gsplit-dwarf leaves beside the objects.
 *
 * libdw opens such a file itself, by the name that the unit in the program has, and maps it.  It
 * must map a private copy (file_copy.h) instead.  So while it looks, the copy's name stands in
 * place of the other in our copy of the program's file.
 */
#ifndef MP_SYMBOLS_SPLIT_H
#define MP_SYMBOLS_SPLIT_H

#include "binary.h"

/* Open the .dwo files of BINARY's debug information, so that libdw need not; what is missing is its
 * `problem`. */
void mp_split_link(struct mp_binary *binary);

#endif
