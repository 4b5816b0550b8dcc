/*
 * mentions.h -- the types that a file knows, by name and size: those that a function mentions (as a
 * variable, parameter, result or template argument, itself or behind pointers), and all that lie
 * outside of functions.
 */
#ifndef MP_SYMBOLS_MENTIONS_H
#define MP_SYMBOLS_MENTIONS_H

#include "binary.h"

/* Read the types that KNOWN mentions, if that was not done and its file is loaded. */
void mp_mentions_read(struct mp_binary *binary, struct mp_known *known);

/* Types of BINARY outside of functions, by one walk of its debug information; loads it if need be.  All that
 * functions of BINARY mention was read before.  What cannot be loaded has none. */
const struct mp_catalog *mp_catalog_of(struct mp_binary *binary);

#endif
