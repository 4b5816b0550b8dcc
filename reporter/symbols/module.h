/*
 * module.h -- from a module of a profile to its open file, which is the one that ran.
 *
 * libdwfl puts together what belongs to it: the file, its debug file, the symbols of
 * .gnu_debugdata.  It gets copies (file_copy.h) of what is found (debug_file.h).
 */
#ifndef MP_SYMBOLS_MODULE_H
#define MP_SYMBOLS_MODULE_H

#include "binary.h"
#include "symbols.h"

/* Open the file of MODULE and see that it is what was recorded: by build-id, or, if none was
 * recorded, that its code is where the N_ADDRESSES (sorted) are.  NULL: *PROBLEM (in the
 * profile's arena) says why. */
struct mp_binary *mp_binary_open(const struct mp_profile *profile,
                                 const struct mp_symbol_options *options, uint32_t module,
                                 const uint64_t *addresses, uint32_t n_addresses,
                                 const char **problem);
/* Where that file would be; NULL: it is none. */
const char *mp_binary_path(const struct mp_profile *profile, const struct mp_symbol_options *options,
                           uint32_t module);

void mp_binary_close(struct mp_binary *binary);

/* Read symbols and debug information, once; false: that is not possible, and `problem` says why. */
bool mp_binary_load(struct mp_binary *binary);

#endif
