/* file_offsets.h -- converts file offsets to addresses, for profiles of other tools that recorded only mappings. */
#ifndef MP_SYMBOLS_FILE_OFFSETS_H
#define MP_SYMBOLS_FILE_OFFSETS_H

#include "symbols.h"

/* Converts the offsets of frames in modules of PROFILE that have `in_file` set. A frame remains unchanged if the
 * file is missing or contains no code at that offset. */
void mp_symbols_place(struct mp_profile *profile, const struct mp_symbol_options *options);

#endif
