/*
 * heap_seal.h -- a RAW snapshot becomes a SEALED one, in place: names instead of contexts and addresses, compressed.
 */
#ifndef MP_HEAP_SEAL_H
#define MP_HEAP_SEAL_H

#include "reporter/base/error.h"

/* Seal PATH, with names from RECORDING (NULL: see mp_heap_name()), and replace it; one that is sealed stays what it
 * is.  False and *ERROR: it is not whole, or cannot be written, and is as it was. */
bool mp_heap_seal(const char *path, const char *recording, struct mp_error *error);

/* Seal all snapshots RECORDING.NUMBER.heap, before that itself is sealed; what a link leads to only if it is of this
 * recording.  Lines on stderr tell which cannot be. */
void mp_heap_seal_all(const char *recording);

#endif
