/*
 * module.h -- opens the file of a profile's module, and verifies that it is the file that ran.
 *
 * libdwfl combines the file, its debug file and the symbols of .gnu_debugdata. It is given copies (file_copy.h) of
 * the files found by debug_file.h.
 */
#ifndef MP_SYMBOLS_MODULE_H
#define MP_SYMBOLS_MODULE_H

#include "binary.h"
#include "symbols.h"

/* Opens the file of MODULE and verifies that it is the recorded one, by its build-id. If no build-id was recorded,
 * checks that the N_ADDRESSES (sorted) are in its code. Returns NULL on failure, with the reason in *PROBLEM, in
 * the profile's arena. */
struct mp_binary *mp_binary_open(const struct mp_profile *profile,
                                 const struct mp_symbol_options *options, uint32_t module,
                                 const uint64_t *addresses, uint32_t n_addresses,
                                 const char **problem);
/* Returns the path of MODULE's file, or NULL if the module is not a file. */
const char *mp_binary_path(const struct mp_profile *profile, const struct mp_symbol_options *options,
                           uint32_t module);

void mp_binary_close(struct mp_binary *binary);

/* Reads symbols and debug information, once. Returns false if that fails, with the reason in `problem`. */
bool mp_binary_load(struct mp_binary *binary);

#endif
