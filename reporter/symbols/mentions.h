/*
 * mentions.h -- the types in a file, by name and size: structs, unions, classes and typedefs. A function mentions a
 * type as a variable, parameter, result or template argument, directly or behind pointers. The catalog contains the
 * types outside of functions.
 *
 * Functions mention a typedef of a number, a vector, an enumeration or a pointer only behind a pointer, and the catalog
 * has no such typedef. Otherwise size_t would name each block of 8 bytes.
 */
#ifndef MP_SYMBOLS_MENTIONS_H
#define MP_SYMBOLS_MENTIONS_H

#include "binary.h"

/* Reads the types that KNOWN mentions, unless they were read before or the file is not loaded. */
void mp_mentions_read(struct mp_binary *binary, struct mp_known_function *known);

/* Returns the types of BINARY outside of functions, found by one walk of its debug information. Loads BINARY if
 * necessary; a file that cannot be loaded has no types. The mentions of BINARY's functions must have been read
 * before. */
const struct mp_catalog *mp_catalog_of(struct mp_binary *binary);

#endif
