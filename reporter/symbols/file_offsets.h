/* file_offsets.h -- from places in a file to its own addresses, where another tool knew only what was mapped where. */
#ifndef MP_SYMBOLS_FILE_OFFSETS_H
#define MP_SYMBOLS_FILE_OFFSETS_H

#include "symbols.h"

/* Let frames of modules of PROFILE that are `in_file` have offsets as all others have.  Where a file is not there,
 * or has nothing at such a place, they stay as they are. */
void mp_symbols_place(struct mp_profile *profile, const struct mp_symbol_options *options);

#endif
